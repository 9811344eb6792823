// Why: plans know values, makers and readers, not tensors and loops; this says what each storage
// and operator of a training graph is to them. Rules: docs/group-cost.md, from graph to plan.
#pragma once

#include <cstdint>

#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"
#include "evaluator/plan/step_graph.h"

namespace paretrain::problems {

struct LoweringOptions {
  evaluator::UpdatePlacement update = evaluator::UpdatePlacement::End;
  // Times that forward and backward run before the update; with more than one, parameter gradients
  // exist from the start of what a plan shows (the last micro-batch).
  std::int64_t repetitions = 1;
};

// Value i is storage i, operator i is operator i.
// Requires: a forward storage has one writer; an operator writes at most 64 storages.
// Cost: linear in accesses.
[[nodiscard]] evaluator::StepGraph lowered_step(const evaluator::TrainingGraph& graph,
                                                const LoweringOptions& options);

// Identifies everything about the graph that plans and costs depend on; names have no part in it.
[[nodiscard]] std::uint64_t content_hash(const evaluator::TrainingGraph& graph);

}  // namespace paretrain::problems
