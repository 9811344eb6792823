// Why: convolutions and pools loop over their windows in the same way.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluator/graph/nests.h"

namespace paretrain::evaluator {

// Loops of the spatial axes, outermost first: over the smaller side, over the kernel.
struct SpatialLoops {
  std::vector<Loop> outer;
  std::vector<Loop> kernel;
};

// D OY OX and H FY FX, as many as there are axes. Requires: one to three.
[[nodiscard]] SpatialLoops spatial_loops(std::size_t rank);
// The same with IY IX: a transposed convolution loops over its smaller side as input.
[[nodiscard]] SpatialLoops transposed_spatial_loops(std::size_t rank);

struct WindowAxis {
  AxisIndex index;
  std::int64_t touched = 1;  // positions of the larger side that any window sees
};

struct WindowExtent {
  std::int64_t image = 1;
  std::int64_t feature = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

// How the larger side is indexed by a loop over the smaller side and one over the kernel.
[[nodiscard]] WindowAxis window_axis(Loop feature, Loop kernel, const WindowExtent& extent);
[[nodiscard]] WindowExtent window_extent(const OperandView& image,
                                         const OperandView& feature,
                                         const Window& window,
                                         std::size_t axis);

}  // namespace paretrain::evaluator
