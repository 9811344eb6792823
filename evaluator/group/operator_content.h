// Why: operators of equal content cost the same, so a network's repeated layers are costed once.
// Content is everything that costs depend on and nothing else: names have no part in it.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluator/graph/training_graph.h"

namespace paretrain::evaluator {

// A number per operator, equal exactly for operators of equal content: class, phase of updates,
// nests, bits, accesses (bytes, axes, strides, operands) and where they may run.
// Shape: as graph.operators. `placements` is what costs depend on besides: one list of words per
// operator.
[[nodiscard]] std::vector<std::uint32_t> operator_contents(
    const TrainingGraph& graph, const std::vector<std::vector<std::uint64_t>>& placements);

// The same for one operator, without its placement, as words to compare or hash.
[[nodiscard]] std::vector<std::uint64_t> operator_words(const Operator& op);

}  // namespace paretrain::evaluator
