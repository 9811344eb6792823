#include "evaluator/graph/window_loops.h"

#include <algorithm>

#include "base/check.h"

namespace paretrain::evaluator {

SpatialLoops spatial_loops(std::size_t rank) {
  CHECK(rank >= 1 && rank <= 3, "one to three spatial axes");
  const std::vector<Loop> outer = {Loop::D, Loop::OY, Loop::OX};
  const std::vector<Loop> kernel = {Loop::H, Loop::FY, Loop::FX};
  const auto skip = static_cast<std::ptrdiff_t>(3 - rank);
  return {{outer.begin() + skip, outer.end()}, {kernel.begin() + skip, kernel.end()}};
}

SpatialLoops transposed_spatial_loops(std::size_t rank) {
  SpatialLoops loops = spatial_loops(rank);
  for (Loop& loop : loops.outer) {
    if (loop == Loop::OY) loop = Loop::IY;
    if (loop == Loop::OX) loop = Loop::IX;
  }
  return loops;
}

WindowAxis window_axis(Loop feature, Loop kernel, const WindowExtent& extent) {
  WindowAxis axis;
  axis.index.first = feature;
  axis.index.stride = extent.stride;
  axis.index.windowed = extent.kernel > 1;
  axis.index.second = kernel;
  axis.index.dilation = extent.dilation;
  axis.index.extent = extent.image;
  axis.touched = std::min(extent.image, extent.feature * extent.kernel);
  return axis;
}

WindowExtent window_extent(const OperandView& image,
                           const OperandView& feature,
                           const Window& window,
                           std::size_t axis) {
  return {image.shape[axis + 2],
          feature.shape[axis + 2],
          window.kernel[axis],
          window.stride[axis],
          window.dilation[axis]};
}

}  // namespace paretrain::evaluator
