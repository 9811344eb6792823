// Why: how much memory plans need, and which keep genes there are, is known before anything has a
// cost: a step without an accelerator can be held against a memory limit.
#pragma once

#include <cstdint>
#include <string>

#include "base/quantity.h"
#include "evaluator/graph/training_graph.h"
#include "problems/lowering.h"
#include "problems/plan_problem.h"

namespace paretrain::problems {

// The step with the keep genes and peaks that it has on every accelerator, no fusion gene, and no
// latency or energy.
// Errors: InputError when the bytes of the step pass 2^63 - 1.
// Cost: linear in the accesses of the step.
[[nodiscard]] PlanProblem unpriced_problem(const std::string& name,
                                           const evaluator::TrainingGraph& graph,
                                           const LoweringOptions& options);

struct PlanMemory {
  Bytes resident;       // alive during the whole step whatever the plan
  Bytes keep_all_peak;  // of the plan that keeps everything and fuses nothing, resident included
};

// Cost: one evaluation.
[[nodiscard]] PlanMemory plan_memory(const PlanProblem& problem);

}  // namespace paretrain::problems
