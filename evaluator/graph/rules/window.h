// Why: convolutions and pools say their windows in the same attributes.
#pragma once

#include "evaluator/graph/nests.h"
#include "evaluator/graph/rules/node_context.h"

namespace paretrain::evaluator {

// Kernel, stride, dilation and leading pads with ONNX's defaults. `kernel` is used where the node
// does not say its own.
[[nodiscard]] Window window_of(const NodeContext& context, const Shape& kernel);

}  // namespace paretrain::evaluator
