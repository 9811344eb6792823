#include "cli/inspect.h"

#include <utility>
#include <variant>

#include "base/error.h"
#include "cli/command.h"
#include "cli/loaded_problem.h"
#include "cli/problem_options.h"
#include "evaluator/hardware/offchip.h"
#include "problems/cost_graph_file.h"
#include "problems/cost_graph_summary.h"
#include "problems/model_step.h"
#include "problems/plan_memory.h"
#include "results/inspect_page.h"
#include "results/inspect_report.h"

namespace paretrain::cli {

namespace {

using results::InspectReport;

// What was said and changes nothing of what is shown.
std::vector<std::string> idle_options(const Options& options, const ProblemOptions& problem) {
  std::vector<std::string> warnings;
  const auto add = [&](const std::string& name, const std::string& why) {
    warnings.push_back("--" + name + " has no effect: " + why);
  };
  const bool unplaced = problem.accelerator.accelerator.empty() && !is_cost_graph(problem.model);
  for (const std::string& name : changed_options(options, accelerator_option_group())) {
    if (name == "clock")
      add(name, "inspect shows no times or energies");
    else if (unplaced)
      add(name, "nothing runs anywhere without --accelerator");
  }
  if (unplaced)
    for (const std::string& name : problem.plan.said_of_fusion)
      add(name, "fusion genes need --accelerator");
  return warnings;
}

results::PlanChoices plan_choices(const PlanOptions& options) {
  results::PlanChoices choices;
  for (const PlanObjective objective : options.objectives)
    choices.objectives.push_back(objective_name(objective));
  choices.checkpointing = options.checkpointing;
  choices.fusion = options.fusion;
  return choices;
}

results::FusionGenes fusion_genes(const problems::PlanProblem& problem,
                                  const problems::SearchSpaceOptions& space) {
  results::FusionGenes genes;
  const auto count = static_cast<std::int64_t>(problem.fusion_gene_count());
  (space.fusion == problems::Fusion::Search ? genes.free : genes.pinned) = count;
  genes.max_group_length = problem.model().max_group_length();
  return genes;
}

// All that is known of plans whose groups have costs.
void add_plans(const problems::PlanProblem& problem,
               const PlanOptions& options,
               InspectReport& report) {
  const problems::SearchSpaceOptions space = search_space_options(problem, options);
  report.plans = plan_choices(options);
  report.plans.keep_pins = problems::keep_pins(problem, space);
  report.plans.fusion_genes = fusion_genes(problem, space);
}

InspectReport cost_graph_report(const ProblemOptions& options) {
  const LoadedProblem loaded = loaded_problem(options);
  InspectReport report;
  report.summary =
      problems::cost_graph_summary(problems::read_cost_graph(options.model), loaded.plans());
  report.warnings = loaded.warnings;
  report.need = problems::plan_memory(loaded.plans());
  add_plans(loaded.plans(), options.plan, report);
  return report;
}

void add_accelerator(const ProblemOptions& options, InspectReport& report) {
  const LoadedProblem loaded = loaded_problem(options);
  const auto& training = std::get<problems::TrainingProblem>(loaded.parts);
  report.warnings = loaded.warnings;
  if (const auto dram = evaluator::offchip_memory(*training.accelerator))
    report.memory = {training.accelerator->name, Bytes(dram->size_bits / 8)};
  // What is handed over on chip is in no memory, and what that is depends on costs.
  if (options.accelerator.residency) report.need = problems::plan_memory(training.problem);
  add_plans(training.problem, options.plan, report);
}

InspectReport network_report(const ProblemOptions& options) {
  const bool placed = !options.accelerator.accelerator.empty();
  if (!placed && is_fusion_file(options.plan.fusion))
    throw InputError(
        Problem{"--fusion",
                "a plan file is of a problem on an accelerator; expected --accelerator as well",
                ""});
  // With --micro-batch the step is that of one micro-batch.
  const problems::MicroBatchedModel step =
      problems::micro_batched_model(options.model, options.import, options.micro_batch);
  const evaluator::TrainingGraph graph = problems::model_step(step.model, options.training);
  InspectReport report;
  report.summary = evaluator::step_summary(graph);
  report.summary.model = step.model.name;
  report.unsupported = problems::unsupported_operators(step.model);
  const problems::PlanProblem plans = problems::unpriced_problem(
      step.model.name, graph, {options.training.update, step.repetitions});
  report.need = problems::plan_memory(plans);
  if (placed) {
    add_accelerator(options, report);
    return report;
  }
  report.warnings = step.model.warnings;
  report.warnings.insert(report.warnings.end(), graph.warnings.begin(), graph.warnings.end());
  report.plans = plan_choices(options.plan);
  report.plans.keep_pins = problems::keep_pins(plans, search_space_options(plans, options.plan));
  return report;
}

void print_report(const InspectReport& report, const Options& options, Terminal& terminal) {
  for (const std::string& warning : report.warnings)
    terminal.warning(warning);
  terminal.data(options.flag("json") ? results::inspect_json(report)
                                     : results::inspect_page(report));
}

}  // namespace

CommandSyntax inspect_syntax() {
  std::vector<OptionGroup> groups = problem_option_groups();
  groups.push_back(output_option_group());
  return {
      .name = "inspect",
      .usage = "inspect MODEL [--accelerator A] [--json] [options]",
      .description =
          "Derives the training step of a model and shows it: operators, multiply-accumulates, "
          "what the backward pass reads, the memory peak when everything is kept, and the "
          "tensors that a plan may recompute; which genes a search would have and whether the step "
          "fits a memory. Nothing is searched.",
      .positionals = {{"MODEL",
                       "an .onnx file, a cost graph (.json) or the name of a built-in model"}},
      .groups = std::move(groups),
      .examples = {"paretrain inspect resnet18 --batch 8",
                   "paretrain inspect net.onnx --optimizer momentum --json",
                   "paretrain inspect net.onnx --keep '*relu*' --memory-limit 64MiB"}};
}

int run_inspect(const Options& options, Terminal& terminal) {
  const ProblemOptions problem = problem_options(options);
  InspectReport report =
      is_cost_graph(problem.model) ? cost_graph_report(problem) : network_report(problem);
  report.memory_limit = problem.plan.memory_limit;
  for (std::string& warning : idle_options(options, problem))
    report.warnings.push_back(std::move(warning));
  print_report(report, options, terminal);
  return kDone;
}

}  // namespace paretrain::cli
