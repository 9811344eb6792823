// Why: exporters write shapes as chains of small integer operators, which must be known to know the
// shapes; they are computed here instead of by the network.
#pragma once

#include "problems/onnx_facts.h"

namespace paretrain::problems {

// The numbers of the first output of a node, whose shape is `output`. Empty when an operand is not
// known, the result has more than kMaximumKnownNumbers elements, or the operator is none that
// exporters use for shapes and scalars. `Shape` and `Size` need only the shape of their input.
// Errors: ShapeFault for a division by zero and for integer overflow.
[[nodiscard]] std::optional<evaluator::ConstantNumbers> folded_numbers(const NodeFacts& node,
                                                                       const TensorFacts& output);

}  // namespace paretrain::problems
