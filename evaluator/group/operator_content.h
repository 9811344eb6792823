// Why: operators of equal content cost the same, so a network's repeated layers are costed once.
// Content is everything that costs depend on and nothing else: names have no part in it.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// A number per operator, equal exactly for operators of equal content: class, phase of updates,
// nests, bits, accesses (bytes, axes, strides, operands) and the cores they may run on.
// Shape: as graph.operators. `cores` is one list per operator.
[[nodiscard]] std::vector<std::uint32_t> operator_contents(
    const TrainingGraph& graph, const std::vector<std::vector<CoreId>>& cores);

// The same for one operator, without its cores, as words to compare or hash.
[[nodiscard]] std::vector<std::uint64_t> operator_words(const Operator& op);

}  // namespace paretrain::evaluator
