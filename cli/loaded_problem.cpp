#include "cli/loaded_problem.h"

#include <filesystem>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/printable_text.h"
#include "cli/plan_argument.h"
#include "problems/accelerator_file.h"
#include "problems/builtin_accelerators.h"
#include "problems/builtin_models.h"
#include "problems/cost_graph_file.h"
#include "problems/cost_graph_problem.h"
#include "results/snapshot_frame.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostInputBytes = std::size_t{1} << 33U;

results::RunInput file_input(const std::string& role, const std::string& name) {
  return {role,
          name,
          fs::absolute(name).lexically_normal().string(),
          results::content_hash(file_content(name, kMostInputBytes))};
}

bool is_file(const std::string& name) {
  std::error_code ignored;
  return fs::exists(name, ignored);
}

results::RunInput model_input(const ProblemOptions& options) {
  if (is_file(options.model) || !problems::is_builtin_model(options.model))
    return file_input("model", options.model);
  return {"model",
          options.model,
          "",
          results::content_hash(
              problems::builtin_model_bytes(options.model, options.import.dimensions))};
}

// The content is what was read, core files included, in the project's own writing.
results::RunInput accelerator_input(const std::string& name,
                                    const evaluator::Accelerator& accelerator) {
  results::RunInput input{
      "accelerator", name, "", results::content_hash(problems::accelerator_text(accelerator))};
  if (!problems::builtin_accelerator(name))
    input.path = fs::absolute(name).lexically_normal().string();
  return input;
}

[[noreturn]] void fail_option(const std::string& option, const std::string& what) {
  throw InputError(Problem{"--" + option, what, ""});
}

LoadedProblem loaded_cost_graph(const ProblemOptions& options) {
  const problems::CostGraph graph = problems::read_cost_graph(options.model);
  if (options.accelerator.clock_hz && graph.latency_unit != "cycles")
    fail_option("clock",
                "only for latencies in cycles; those of this cost graph are in '" +
                    printable(graph.latency_unit) + "'");
  problems::CostGraphOptions graph_options;
  if (options.plan.count_gradients)
    graph_options.count_gradients = *options.plan.count_gradients == GradientCount::On;
  graph_options.max_group_length = options.plan.max_group_length;
  if (options.plan.memory_limit)
    graph_options.memory_limit_bytes = options.plan.memory_limit->number();
  return {problems::cost_graph_problem(graph, graph_options),
          graph.name,
          {file_input("model", options.model)},
          {}};
}

problems::TrainingProblemOptions training_problem_options(const ProblemOptions& options) {
  problems::TrainingProblemOptions training;
  training.import = options.import;
  training.training = options.training;
  training.accelerator = options.accelerator.accelerator;
  training.mapping = options.accelerator.mapping;
  training.cost_model = options.accelerator.core_cost.model;
  training.tile_objective = options.accelerator.core_cost.objective;
  training.residency =
      options.accelerator.residency ? evaluator::Residency::On : evaluator::Residency::Off;
  constexpr std::int64_t kDefaultGroupLength = 6;
  training.max_group_length = options.plan.max_group_length.value_or(kDefaultGroupLength);
  training.micro_batch = options.micro_batch;
  if (options.plan.memory_limit) training.memory_limit_bytes = options.plan.memory_limit->number();
  return training;
}

LoadedProblem loaded_training_problem(const ProblemOptions& options) {
  if (options.accelerator.accelerator.empty()) {
    throw InputError(Problem{"--accelerator",
                             "is missing; a network needs one (a cost graph .json does not)",
                             "`paretrain list accelerators` names those that are built in"});
  }
  problems::TrainingProblem problem =
      problems::training_problem(options.model, training_problem_options(options));
  LoadedProblem loaded{std::move(problem), "", {model_input(options)}, {}};
  const auto& training = std::get<problems::TrainingProblem>(loaded.parts);
  const std::string& accelerator = options.accelerator.accelerator;
  loaded.inputs.push_back(accelerator_input(accelerator, *training.accelerator));
  if (options.accelerator.mapping)
    loaded.inputs.push_back(file_input("mapping", *options.accelerator.mapping));
  loaded.warnings = training.warnings;
  loaded.title = training.problem.name() +
                 (options.training.inference ? " inference on " : " training step on ") +
                 training.accelerator->name;
  return loaded;
}

problems::Checkpointing checkpointing(const std::string& name) {
  if (name == "keep-all") return problems::Checkpointing::KeepAll;
  if (name == "recompute-all") return problems::Checkpointing::RecomputeAll;
  return problems::Checkpointing::Search;
}

// A group of one operator leaves no fusion gene, which is what was asked for.
std::vector<std::string> idle_fusion_options(const PlanOptions& options,
                                             const problems::PlanProblem& problem) {
  std::vector<std::string> warnings;
  if (problem.fusion_gene_count() > 0) return warnings;
  for (const std::string& name : options.said_of_fusion)
    if (name != "max-group-length" || options.max_group_length != 1)
      warnings.push_back("--" + name + " has no effect: there is no fusion gene");
  return warnings;
}

}  // namespace

const problems::PlanProblem& LoadedProblem::plans() const {
  if (const auto* const plain = std::get_if<problems::PlanProblem>(&parts)) return *plain;
  return std::get<problems::TrainingProblem>(parts).problem;
}

LoadedProblem loaded_problem(const ProblemOptions& options) {
  LoadedProblem loaded =
      is_cost_graph(options.model) ? loaded_cost_graph(options) : loaded_training_problem(options);
  if (is_fusion_file(options.plan.fusion))
    loaded.inputs.push_back(file_input("fusion plan", options.plan.fusion));
  for (std::string& warning : idle_fusion_options(options.plan, loaded.plans()))
    loaded.warnings.push_back(std::move(warning));
  return loaded;
}

problems::SearchSpaceOptions search_space_options(const problems::PlanProblem& problem,
                                                  const PlanOptions& options) {
  problems::SearchSpaceOptions space;
  space.checkpointing = checkpointing(options.checkpointing);
  space.keep = options.keep;
  space.recompute = options.recompute;
  if (options.fusion == "none") {
    space.fusion = problems::Fusion::None;
  } else if (options.fusion == "greedy") {
    space.fusion = problems::Fusion::Greedy;
  } else if (options.fusion != "search") {
    space.fusion = problems::Fusion::Given;
    space.fusion_plan = plan_of_file(problem, options.fusion);
  }
  return space;
}

problems::SearchSpace search_space(const problems::PlanProblem& problem,
                                   const PlanOptions& options) {
  return {problem, search_space_options(problem, options)};
}

}  // namespace paretrain::cli
