#include "cli/evaluate.h"

#include <utility>
#include <variant>

#include "base/error.h"
#include "cli/command.h"
#include "cli/loaded_problem.h"
#include "cli/plan_argument.h"
#include "cli/problem_options.h"
#include "results/atomic_file.h"
#include "results/evaluation_json.h"
#include "results/evaluation_report.h"
#include "results/evaluation_text.h"
#include "results/simulation_trace.h"

namespace paretrain::cli {

namespace {

OptionGroup evaluate_option_group() {
  return {"Plan",
          {{"plan",
            "P",
            AnyText{},
            "a named plan (keep-all, recompute-all, every-K, greedy-memory, each also with "
            "+greedy), genome:TEXT, a plan file, or DIR:ID"},
           {"simulate",
            "",
            Flag{},
            "play every group tile by tile as well and write the trace, for ui.perfetto.dev"},
           {"trace",
            "FILE",
            AnyText{},
            "where --simulate writes the trace (1 cycle is shown as 1 us)",
            "plan.perfetto.json"}}};
}

}  // namespace

CommandSyntax evaluate_syntax() {
  std::vector<OptionGroup> groups;
  groups.push_back(evaluate_option_group());
  for (OptionGroup& group : problem_option_groups())
    groups.push_back(std::move(group));
  groups.push_back(output_option_group());
  return {.name = "evaluate",
          .usage = "evaluate MODEL --accelerator A --plan P [options]",
          .description =
              "Evaluates one plan and says where its latency, energy and peak memory come from: "
              "every group with its tiles and its cost, what fusing saved, what each recomputed "
              "tensor frees and costs, and the tensors alive at the peak.",
          .positionals = {{"MODEL", "an .onnx file, a cost graph (.json) or a built-in model"}},
          .groups = std::move(groups),
          .examples = {"paretrain evaluate resnet18 --accelerator edge-tpu-quad --plan keep-all",
                       "paretrain evaluate net.onnx --accelerator fusemax --plan out:17 --json"}};
}

int run_evaluate(const Options& options, Terminal& terminal) {
  if (!options.has("plan"))
    throw InputError(Problem{"--plan", "is missing; expected the plan to evaluate", ""});
  if (options.is_given("trace") && !options.flag("simulate"))
    throw InputError(Problem{"--trace", "there is nothing to trace without --simulate", ""});
  const ProblemOptions problem = problem_options(options);
  const LoadedProblem loaded = loaded_problem(problem);
  for (const std::string& warning : loaded.warnings)
    terminal.warning(warning);
  const PlanArgument plan = plan_argument(loaded.plans(), options.text("plan"));

  results::EvaluationSubject subject;
  subject.problem = &loaded.plans();
  if (const auto* training = std::get_if<problems::TrainingProblem>(&loaded.parts))
    subject.group_costs = training->group_costs;
  subject.plan = plan.label;
  subject.clock_hz = problem.accelerator.clock_hz;
  if (options.flag("simulate")) {
    if (subject.group_costs == nullptr)
      throw InputError(Problem{
          "--simulate", "a cost graph has no tiles; expected a network on an accelerator", ""});
    subject.simulation = results::Simulation::On;
    if (problem.accelerator.core_cost.model == evaluator::CostModel::Zigzag)
      terminal.warning(
          "--simulate: with --cost-model zigzag an operator on its own has no tiles to play; its "
          "simulated figures repeat the model's");
  }
  const results::EvaluationReport report = results::evaluation_report(subject, plan.genome);
  if (options.flag("simulate")) {
    const std::string file = options.text("trace");
    results::write_atomically(file, results::simulation_trace(report));
    terminal.message("wrote " + file);
  }
  terminal.data(options.flag("json") ? results::evaluation_json(report)
                                     : results::evaluation_page(report));
  return kDone;
}

}  // namespace paretrain::cli
