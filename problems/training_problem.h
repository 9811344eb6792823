// Why: a model, an accelerator and what the user chose about both become one thing: the training
// graph, the group costs on that accelerator and the plans over them. Every command that takes a
// MODEL and an accelerator starts here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"
#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/hardware/accelerator.h"
#include "problems/import_options.h"
#include "problems/plan_problem.h"

namespace paretrain::problems {

// Options of a problem on an accelerator, as the command line names them (INTERFACE: options of a
// problem).
struct TrainingProblemOptions {
  ImportOptions import;
  evaluator::TrainingOptions training;
  std::string accelerator;             // built-in name or YAML file
  std::optional<std::string> mapping;  // --mapping FILE
  evaluator::CostModel cost_model = evaluator::CostModel::Corrected;
  evaluator::Objective tile_objective = evaluator::Objective::Latency;
  evaluator::Residency residency = evaluator::Residency::Off;
  std::int64_t max_group_length = 6;
  std::optional<std::int64_t> micro_batch;         // samples; a divisor of the batch
  std::optional<std::int64_t> memory_limit_bytes;  // the DRAM's size when empty
};

// The parts stay where they are when the whole is moved: `problem` owns `group_costs`, which looks
// into `graph` and `accelerator`. Operator i of the plan problem's step graph is operator i of
// `graph`, value i is storage i.
struct TrainingProblem {
  std::unique_ptr<const evaluator::TrainingGraph> graph;
  std::unique_ptr<const evaluator::Accelerator> accelerator;
  const evaluator::AcceleratorGroupModel* group_costs = nullptr;
  PlanProblem problem;
  std::vector<std::string> warnings;  // of the import, for people
};

// `model` is an .onnx file or the name of a built-in model.
// Errors: InputError for everything that is wrong with the files or options.
[[nodiscard]] TrainingProblem training_problem(const std::string& model,
                                               const TrainingProblemOptions& options);

}  // namespace paretrain::problems
