// Why: wherever a MODEL is named, the same options say which training step of it is meant, on which
// accelerator, under which cost model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "cli/options.h"
#include "evaluator/core_cost/core_cost.h"
#include "evaluator/graph/training_options.h"
#include "problems/import_options.h"
#include "problems/plan_search_problem.h"

namespace paretrain::cli {

using problems::PlanObjective;

enum class GradientCount { On, Off };

struct AcceleratorOptions {
  std::string accelerator;             // file or built-in name; empty for cost graphs
  std::optional<std::string> mapping;  // --mapping FILE
  evaluator::CoreCostOptions core_cost;
  bool residency = false;          // --residency
  std::optional<double> clock_hz;  // --clock
};

struct PlanOptions {
  std::string checkpointing = "search";          // search, keep-all, recompute-all
  std::string fusion = "search";                 // search, none, greedy, or a plan file
  std::vector<std::string> keep;                 // --keep PATTERN
  std::vector<std::string> recompute;            // --recompute PATTERN
  std::optional<std::int64_t> max_group_length;  // as given on the command line
  std::vector<std::string> said_of_fusion;       // names of the options above that change it
  std::optional<Bytes> memory_limit;
  // Which are minimised, in this order.
  std::vector<PlanObjective> objectives = {
      PlanObjective::Latency, PlanObjective::Energy, PlanObjective::Memory};
  std::optional<GradientCount> count_gradients;  // cost graphs only
};

struct ProblemOptions {
  std::string model;
  problems::ImportOptions import;
  evaluator::TrainingOptions training;
  std::optional<std::int64_t> micro_batch;
  AcceleratorOptions accelerator;
  PlanOptions plan;
};

// Options of the model and its training step.
[[nodiscard]] std::vector<OptionGroup> model_option_groups();
// Accelerator and cost model.
[[nodiscard]] OptionGroup accelerator_option_group();
// What plans may do: fusion, checkpointing, pins, limits, objectives.
[[nodiscard]] OptionGroup plan_option_group();
// All of the above, in this order.
[[nodiscard]] std::vector<OptionGroup> problem_option_groups();

// The options of a group of which the user said something else than what holds without them (a
// config file that was printed holds every default), in the order of the group.
[[nodiscard]] std::vector<std::string> changed_options(const Options& options,
                                                       const OptionGroup& group);

// Groups that the syntax does not have keep their defaults. The syntax has the positional MODEL.
// Errors: InputError naming the option.
[[nodiscard]] ProblemOptions problem_options(const Options& options);

[[nodiscard]] bool is_fusion_file(const std::string& fusion);  // of --fusion: a plan file
[[nodiscard]] std::string objective_name(PlanObjective objective);
[[nodiscard]] bool is_cost_graph(const std::string& model);  // ends in .json

}  // namespace paretrain::cli
