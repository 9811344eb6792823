// Why: which cores may run an operator follows from what it computes and what the cores are, unless
// a mapping file says so. Rules: docs/group-cost.md, cores.
#pragma once

#include <span>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/group/chip.h"
#include "evaluator/group/group_choice.h"

namespace paretrain::evaluator {

// Matrix-like operators run on array cores, pooling on pooling cores, everything else on vector
// cores; pooling falls back to vector cores, vector to array cores. A chip that lacks all of those
// uses whatever computes. Identical cores form one set, in order of their ids.
// `allowed` restricts the cores (a mapping file); empty: all.
// Errors: empty when no core computes.
[[nodiscard]] CoreSets core_sets(const Chip& chip,
                                 OperatorClass operator_class,
                                 std::span<const CoreId> allowed);

}  // namespace paretrain::evaluator
