#include "cli/inspect.h"

#include <utility>

#include "base/error.h"
#include "base/number_text.h"
#include "cli/command.h"
#include "cli/loaded_problem.h"
#include "cli/problem_options.h"
#include "evaluator/hardware/offchip.h"
#include "problems/accelerator_file.h"
#include "problems/cost_graph_file.h"
#include "problems/cost_graph_summary.h"
#include "problems/model_step.h"
#include "results/inspect_report.h"

namespace paretrain::cli {

namespace {

// With --micro-batch the step is that of one micro-batch.
problems::ImportedModel inspected_model(const ProblemOptions& options) {
  problems::ImportedModel model = problems::imported_model(options.model, options.import);
  if (!options.micro_batch) return model;
  if (*options.micro_batch < 1 || model.graph.batch % *options.micro_batch != 0)
    throw InputError(Problem{"--micro-batch",
                             number_text(*options.micro_batch) +
                                 " was given; expected a divisor of the batch, " +
                                 number_text(model.graph.batch),
                             ""});
  return problems::imported_model(options.model,
                                  problems::at_batch(options.import, model, *options.micro_batch));
}

std::optional<results::MemoryFit> memory_of(const std::string& accelerator) {
  if (accelerator.empty()) return std::nullopt;
  const problems::AcceleratorFile file = problems::accelerator_of(accelerator);
  const auto dram = evaluator::offchip_memory(file.accelerator);
  if (!dram) return std::nullopt;
  return results::MemoryFit{file.accelerator.name, Bytes(dram->size_bits / 8)};
}

results::InspectReport cost_graph_report(const ProblemOptions& options) {
  const LoadedProblem loaded = loaded_problem(options);
  results::InspectReport report;
  report.summary =
      problems::cost_graph_summary(problems::read_cost_graph(options.model), loaded.plans());
  report.warnings = loaded.warnings;
  return report;
}

void print_report(const results::InspectReport& report,
                  const Options& options,
                  Terminal& terminal) {
  for (const std::string& warning : report.warnings)
    terminal.warning(warning);
  terminal.data(options.flag("json") ? results::inspect_json(report)
                                     : results::inspect_page(report));
}

}  // namespace

CommandSyntax inspect_syntax() {
  std::vector<OptionGroup> groups = model_option_groups();
  groups.push_back(accelerator_option_group());
  groups.push_back(output_option_group());
  return {.name = "inspect",
          .usage = "inspect MODEL [--accelerator A] [--json] [options]",
          .description =
              "Derives the training step of a model and shows it: operators, multiply-accumulates, "
              "what the backward pass reads, the memory peak when everything is kept, and the "
              "tensors that a plan may recompute. Nothing is searched.",
          .positionals = {{"MODEL",
                           "an .onnx file, a cost graph (.json) or the name of a built-in model"}},
          .groups = std::move(groups),
          .examples = {"paretrain inspect resnet18 --batch 8",
                       "paretrain inspect net.onnx --optimizer momentum --json"}};
}

int run_inspect(const Options& options, Terminal& terminal) {
  const ProblemOptions problem = problem_options(options);
  if (is_cost_graph(problem.model)) {
    print_report(cost_graph_report(problem), options, terminal);
    return kDone;
  }
  const problems::ImportedModel model = inspected_model(problem);
  evaluator::TrainingGraph graph = problems::model_step(model, problem.training);
  results::InspectReport report;
  report.summary = evaluator::step_summary(graph);
  report.summary.model = model.name;
  report.unsupported = problems::unsupported_operators(model);
  report.warnings = model.warnings;
  report.warnings.insert(report.warnings.end(), graph.warnings.begin(), graph.warnings.end());
  report.memory = memory_of(problem.accelerator.accelerator);
  print_report(report, options, terminal);
  return kDone;
}

}  // namespace paretrain::cli
