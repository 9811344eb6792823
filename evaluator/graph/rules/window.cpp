#include "evaluator/graph/rules/window.h"

namespace paretrain::evaluator {

Window window_of(const NodeContext& context, const Shape& kernel) {
  Window window;
  window.kernel = context.integers("kernel_shape").value_or(kernel);
  const std::size_t axes = window.kernel.size();
  if (axes < 1 || axes > 3) context.refuse("has a window of an unsupported number of axes");
  const auto ones = std::vector<std::int64_t>(axes, 1);
  window.stride = context.integers("strides").value_or(ones);
  window.dilation = context.integers("dilations").value_or(ones);
  window.pad_begin = context.integers("pads").value_or(std::vector<std::int64_t>(2 * axes, 0));
  window.pad_begin.resize(axes);
  if (window.stride.size() != axes || window.dilation.size() != axes)
    context.refuse("has strides or dilations that do not fit its kernel");
  return window;
}

}  // namespace paretrain::evaluator
