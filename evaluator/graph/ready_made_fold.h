// Why: exported training graphs spell a convolution's weight gradient out as eight nodes that build
// the im2col matrix in memory; found again, it is one operator that builds nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/nests.h"

namespace paretrain::evaluator {

// One chain: x → [Pad] → Gather rows → Gather columns → Transpose → Reshape → MatMul with the
// reshaped feature gradient → ReduceSum over the batch → Reshape to the weight's shape.
struct Im2colChain {
  // In graph order, without the view of the feature gradient; the last makes the weight gradient.
  std::vector<std::size_t> nodes;
  ValueId image;
  ValueId feature_gradient;
  ValueId weight_gradient;
  Window window;
};

// Chains whose inner values nobody else reads, in the order of their last nodes. Strides, dilation
// and kernel are those that the index constants spell.
// Cost: linear in nodes.
[[nodiscard]] std::vector<Im2colChain> im2col_chains(const ModelGraph& model);

}  // namespace paretrain::evaluator
