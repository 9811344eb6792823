#include <cmath>

#include "base/checked_math.h"
#include "base/number_text.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;
using List = std::vector<std::int64_t>;

// Far above every real kernel, stride or pad, and small enough that sums of products of two fit.
constexpr std::int64_t kLargestWindow = std::int64_t{1} << 30;

struct Window {
  List kernel;
  List strides;
  List dilations;
  List pads;  // begins of all axes, then ends
  std::string auto_pad;
};

List sized_list(const NodeFacts& node,
                std::string_view name,
                std::size_t size,
                std::int64_t least) {
  const std::int64_t absent = name == "pads" || name == "output_padding" ? 0 : 1;
  const auto given = node.integer_list(name);
  if (!given || (given->empty() && absent == 0)) return List(size, absent);
  if (given->size() != size)
    throw ShapeFault{"attribute '" + std::string(name) + "' has " +
                     number_text(static_cast<std::int64_t>(given->size())) + " numbers; expected " +
                     number_text(static_cast<std::int64_t>(size))};
  for (const std::int64_t number : *given)
    if (number < least || number > kLargestWindow)
      throw ShapeFault{"attribute '" + std::string(name) + "' has a " + number_text(number) +
                       "; expected " + number_text(least) + " to 2^30"};
  return *given;
}

Window window_of(const NodeFacts& node, std::size_t axes) {
  Window window;
  window.strides = sized_list(node, "strides", axes, 1);
  window.dilations = sized_list(node, "dilations", axes, 1);
  window.pads = sized_list(node, "pads", 2 * axes, -kLargestWindow);
  window.auto_pad = node.text("auto_pad", "NOTSET");
  return window;
}

std::size_t spatial_axes(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  if (input.size() < 3)
    throw ShapeFault{"input of shape " + shape_text(input) + "; expected batch, channels, extents"};
  return input.size() - 2;
}

// Extent of the result along one axis. Source: ONNX operators, Conv and MaxPool.
std::int64_t window_count(const Window& window,
                          std::size_t axis,
                          std::int64_t input,
                          bool round_up) {
  const std::size_t axes = window.strides.size();
  const std::int64_t stride = window.strides[axis];
  if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER")
    return ceil_div(input, stride);
  const std::int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
  const bool valid = window.auto_pad == "VALID";
  const std::int64_t begin = valid ? 0 : window.pads[axis];
  const std::int64_t padded = input + begin + (valid ? 0 : window.pads[axis + axes]);
  if (padded < reach)
    throw ShapeFault{"a window of " + number_text(reach) + " on an extent of " +
                     number_text(padded) + ", padding included; the result would be empty"};
  std::int64_t count = (padded - reach) / stride + 1;
  const bool rest = (padded - reach) % stride != 0;
  // A last window that would start in the padding after the input is dropped, as frameworks do.
  if (round_up && rest && count * stride < input + begin) ++count;
  return count;
}

std::int64_t groups_of(const NodeFacts& node, std::int64_t input, std::int64_t output) {
  const std::int64_t group = node.integer("group", 1);
  if (group < 1 || input % group != 0 || output % group != 0)
    throw ShapeFault{"group " + number_text(group) + "; expected a divisor of the " +
                     number_text(input) + " input and " + number_text(output) + " output channels"};
  return group;
}

void check_kernel(const NodeFacts& node, Window& window) {
  const Shape& weight = node.shape(1);
  window.kernel.assign(weight.begin() + 2, weight.end());
  for (const std::int64_t extent : window.kernel)
    if (extent < 1 || extent > kLargestWindow)
      throw ShapeFault{"kernel of shape " + shape_text(weight) + "; expected extents from 1 up"};
  const auto given = node.integer_list("kernel_shape");
  if (given && *given != window.kernel)
    throw ShapeFault{"attribute 'kernel_shape' contradicts the weight's shape " +
                     shape_text(weight)};
}

void check_bias(const NodeFacts& node, std::int64_t channels) {
  if (node.has_input(2) && node.shape(2) != Shape{channels})
    throw ShapeFault{"bias of shape " + shape_text(node.shape(2)) + " for " +
                     number_text(channels) + " output channels"};
}

std::vector<TensorFacts> convolution(const NodeFacts& node) {
  const std::size_t axes = spatial_axes(node);
  const Shape& input = node.shape(0);
  const Shape& weight = node.shape(1);
  if (weight.size() != input.size() || weight[0] < 1)
    throw ShapeFault{"input " + shape_text(input) + " and weight " + shape_text(weight) +
                     "; expected the same rank"};
  Window window = window_of(node, axes);
  check_kernel(node, window);
  const std::int64_t group = groups_of(node, input[1], weight[0]);
  if (weight[1] != input[1] / group)
    throw ShapeFault{"weight " + shape_text(weight) + " for " + number_text(input[1]) +
                     " input channels in " + number_text(group) + " groups"};
  check_bias(node, weight[0]);
  Shape output{input[0], weight[0]};
  for (std::size_t axis = 0; axis < axes; ++axis)
    output.push_back(window_count(window, axis, input[axis + 2], false));
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> transposed_convolution(const NodeFacts& node) {
  const std::size_t axes = spatial_axes(node);
  const Shape& input = node.shape(0);
  const Shape& weight = node.shape(1);
  if (weight.size() != input.size() || weight[0] != input[1] || weight[1] < 1)
    throw ShapeFault{"input " + shape_text(input) + " and weight " + shape_text(weight) +
                     " do not fit"};
  Window window = window_of(node, axes);
  check_kernel(node, window);
  const std::int64_t group = node.integer("group", 1);
  if (group < 1 || input[1] % group != 0 || group > kMaximumElements / weight[1])
    throw ShapeFault{"group " + number_text(group) + "; expected a divisor of the " +
                     number_text(input[1]) + " input channels"};
  check_bias(node, weight[1] * group);
  const List extra = sized_list(node, "output_padding", axes, 0);
  const auto wanted = node.integer_list("output_shape");
  if (wanted && wanted->size() < axes) throw ShapeFault{"attribute 'output_shape' is too short"};
  Shape output{input[0], weight[1] * group};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t stride = window.strides[axis];
    const std::int64_t reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    std::int64_t extent = stride * (input[axis + 2] - 1) + extra[axis] + reach;
    if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER") {
      extent = stride * input[axis + 2];
    } else if (window.auto_pad != "VALID") {
      extent -= window.pads[axis] + window.pads[axis + axes];
    }
    if (wanted) extent = (*wanted)[wanted->size() - axes + axis];
    if (extent < 1) throw ShapeFault{"the result would have an extent of " + number_text(extent)};
    output.push_back(extent);
  }
  return {facts(node.input(0).type, output)};
}

Window pool_window(const NodeFacts& node, std::size_t axes) {
  Window window = window_of(node, axes);
  if (!node.has_attribute("kernel_shape")) throw ShapeFault{"attribute 'kernel_shape' is missing"};
  window.kernel = sized_list(node, "kernel_shape", axes, 1);
  return window;
}

std::vector<TensorFacts> pool(const NodeFacts& node) {
  const std::size_t axes = spatial_axes(node);
  const Shape& input = node.shape(0);
  const Window window = pool_window(node, axes);
  const bool round_up = node.integer("ceil_mode", 0) != 0;
  Shape output{input[0], input[1]};
  for (std::size_t axis = 0; axis < axes; ++axis)
    output.push_back(window_count(window, axis, input[axis + 2], round_up));
  return {facts(node.input(0).type, output), facts(evaluator::ElementType::Int64, output)};
}

// onnxruntime's gradient of a pool: the windows' extents back to the pooled ones.
std::vector<TensorFacts> pool_gradient(const NodeFacts& node) {
  const std::size_t axes = spatial_axes(node);
  const Shape& gradient = node.shape(0);
  const Window window = pool_window(node, axes);
  Shape output{gradient[0], gradient[1]};
  for (std::size_t axis = 0; axis < axes; ++axis)
    output.push_back((gradient[axis + 2] - 1) * window.strides[axis] +
                     (window.kernel[axis] - 1) * window.dilations[axis] + 1 - window.pads[axis] -
                     window.pads[axis + axes]);
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> global_pool(const NodeFacts& node) {
  const std::size_t axes = spatial_axes(node);
  Shape output(node.shape(0));
  for (std::size_t axis = 0; axis < axes; ++axis)
    output[axis + 2] = 1;
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> depth_to_space(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const std::int64_t block = node.integer("blocksize", 0);
  if (input.size() != 4 || block < 1 || block > 65536 || input[1] % (block * block) != 0)
    throw ShapeFault{"blocks of " + number_text(block) + " in an input of shape " +
                     shape_text(input)};
  return {facts(node.input(0).type,
                {input[0], input[1] / (block * block), input[2] * block, input[3] * block})};
}

std::vector<TensorFacts> space_to_depth(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const std::int64_t block = node.integer("blocksize", 0);
  if (input.size() != 4 || block < 1 || block > 65536 || input[2] % block != 0 ||
      input[3] % block != 0)
    throw ShapeFault{"blocks of " + number_text(block) + " in an input of shape " +
                     shape_text(input)};
  return {facts(node.input(0).type,
                {input[0], input[1] * block * block, input[2] / block, input[3] / block})};
}

// Source: ONNX operators, Resize: floor(extent * scale).
Shape scaled_shape(const Shape& input, const std::vector<double>& scales) {
  if (scales.size() != input.size())
    throw ShapeFault{number_text(static_cast<std::int64_t>(scales.size())) +
                     " scales for an input of shape " + shape_text(input)};
  Shape output;
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    const double extent = std::floor(static_cast<double>(input[axis]) * scales[axis]);
    if (!(extent >= 1.0) || extent > 0x1p40)
      throw ShapeFault{"the result would have no sensible extent along axis " +
                       number_text(static_cast<std::int64_t>(axis))};
    output.push_back(static_cast<std::int64_t>(extent));
  }
  return output;
}

std::vector<TensorFacts> resize(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const bool oldest = node.opset() < 11;
  const std::size_t scales = node.node().type == "Upsample" || oldest ? 1 : 2;
  if (node.has_input(scales) && !node.shape(scales).empty() && node.shape(scales)[0] > 0) {
    const auto& numbers = node.input(scales).numbers;
    if (!numbers) throw ShapeFault{"its scales are not known before the network runs"};
    return {facts(node.input(0).type, scaled_shape(input, numbers->floats))};
  }
  const List& sizes = node.integers(3);
  if (sizes.size() != input.size())
    throw ShapeFault{"its sizes do not fit an input of shape " + shape_text(input)};
  return {facts(node.input(0).type, sizes)};
}

constexpr NamedRule kRules[] = {{"Conv", convolution},
                                {"ConvTranspose", transposed_convolution},
                                {"MaxPool", pool},
                                {"AveragePool", pool},
                                {"LpPool", pool},
                                {"AveragePoolGrad", pool_gradient},
                                {"GlobalAveragePool", global_pool},
                                {"GlobalMaxPool", global_pool},
                                {"GlobalLpPool", global_pool},
                                {"DepthToSpace", depth_to_space},
                                {"SpaceToDepth", space_to_depth},
                                {"Resize", resize},
                                {"Upsample", resize}};

}  // namespace

std::span<const NamedRule> convolution_rules() {
  return kRules;
}

}  // namespace paretrain::problems
