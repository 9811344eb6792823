#include <algorithm>
#include <limits>

#include "base/number_text.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using List = std::vector<std::int64_t>;

struct SliceRange {
  List starts;
  List ends;
  List axes;
  List steps;
};

SliceRange slice_range(const NodeFacts& node) {
  SliceRange range;
  const auto starts = node.integer_list_or_input("starts", 1);
  const auto ends = node.integer_list_or_input("ends", 2);
  const auto axes = node.integer_list_or_input("axes", 3);
  if (!starts || !ends) throw ShapeFault{"says no start or no end"};
  range.starts = *starts;
  range.ends = *ends;
  range.axes = axes.value_or(List{});
  for (std::size_t i = range.axes.size(); !axes && i < range.starts.size(); ++i)
    range.axes.push_back(static_cast<std::int64_t>(i));
  range.steps = node.has_input(4) ? node.integers(4) : List(range.starts.size(), 1);
  const std::size_t count = range.starts.size();
  if (range.ends.size() != count || range.axes.size() != count || range.steps.size() != count)
    throw ShapeFault{"its starts, ends, axes and steps differ in number"};
  return range;
}

// Source: ONNX operators, Slice: positions beyond either end mean that end.
std::int64_t slice_extent(std::int64_t extent,
                          std::int64_t start,
                          std::int64_t end,
                          std::int64_t step) {
  if (step == 0 || step == std::numeric_limits<std::int64_t>::min())
    throw ShapeFault{"a step of " + number_text(step)};
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto position = [&](std::int64_t at) {
    const std::int64_t from_front = at < 0 ? std::max(at, -extent - 1) + extent : at;
    return std::clamp(from_front, lowest, highest);
  };
  const std::int64_t first = std::max<std::int64_t>(position(start), 0);
  const std::int64_t length = step > 0 ? position(end) - first : first - position(end);
  const std::int64_t stride = step > 0 ? step : -step;
  return length <= 0 ? 0 : (length - 1) / stride + 1;
}

std::vector<TensorFacts> slice(const NodeFacts& node) {
  Shape output = node.shape(0);
  const SliceRange range = slice_range(node);
  for (std::size_t i = 0; i < range.starts.size(); ++i) {
    const std::size_t axis = axis_index(range.axes[i], node.rank(0));
    output[axis] = slice_extent(output[axis], range.starts[i], range.ends[i], range.steps[i]);
  }
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> gather(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const Shape& indices = node.shape(1);
  if (evaluator::is_float(node.input(1).type)) throw ShapeFault{"its indices are no integers"};
  const std::size_t axis = axis_index(node.integer("axis", 0), node.rank(0));
  Shape output(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(axis));
  output.insert(output.end(), indices.begin(), indices.end());
  output.insert(output.end(), input.begin() + static_cast<std::ptrdiff_t>(axis) + 1, input.end());
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> gather_elements(const NodeFacts& node) {
  static_cast<void>(axis_index(node.integer("axis", 0), node.rank(0)));
  if (node.rank(0) != node.rank(1)) throw ShapeFault{"data and indices differ in rank"};
  return {facts(node.input(0).type, node.shape(1))};
}

std::vector<TensorFacts> gather_nd(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const Shape& indices = node.shape(1);
  const std::int64_t batch = node.integer("batch_dims", 0);
  if (indices.empty() || batch < 0 || batch >= node.rank(1) || batch > node.rank(0) ||
      indices.back() < 0 || indices.back() > node.rank(0) - batch)
    throw ShapeFault{"indices of shape " + shape_text(indices) + " into " + shape_text(input)};
  Shape output(indices.begin(), indices.end() - 1);
  output.insert(output.end(), input.begin() + batch + indices.back(), input.end());
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> same_as_data(const NodeFacts& node) {
  return {facts(node.input(0).type, node.shape(0))};
}

// The depth may come as a float.
std::int64_t one_hot_depth(const NodeFacts& node) {
  const TensorFacts& depth = node.input(1);
  if (!evaluator::is_float(depth.type)) return single_integer(node, 1);
  if (!depth.numbers || depth.numbers->floats.size() != 1)
    throw ShapeFault{"its depth is not known before the network runs"};
  const double number = depth.numbers->floats[0];
  return number >= 1.0 && number <= 0x1p40 ? static_cast<std::int64_t>(number) : 0;
}

std::vector<TensorFacts> one_hot(const NodeFacts& node) {
  const std::int64_t depth = one_hot_depth(node);
  Shape output = node.shape(0);
  if (depth < 1) throw ShapeFault{"a depth below 1"};
  const std::int64_t rank = node.rank(0) + 1;
  const std::size_t axis = axis_index(node.integer("axis", -1), rank);
  output.insert(output.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  return {facts(node.input(2).type, output)};
}

std::vector<TensorFacts> top_k(const NodeFacts& node) {
  Shape output = node.shape(0);
  const std::size_t axis = axis_index(node.integer("axis", -1), node.rank(0));
  const std::int64_t count = node.has_input(1) ? single_integer(node, 1) : node.integer("k", 0);
  if (count < 1 || count > output[axis])
    throw ShapeFault{"the " + number_text(count) + " largest of " + number_text(output[axis])};
  output[axis] = count;
  return {facts(node.input(0).type, output), facts(ElementType::Int64, output)};
}

constexpr NamedRule kRules[] = {{"Slice", slice},
                                {"Gather", gather},
                                {"GatherElements", gather_elements},
                                {"GatherND", gather_nd},
                                {"ScatterElements", same_as_data},
                                {"Scatter", same_as_data},
                                {"ScatterND", same_as_data},
                                {"ReverseSequence", same_as_data},
                                {"OneHot", one_hot},
                                {"TopK", top_k}};

}  // namespace

std::span<const NamedRule> selection_rules() {
  return kRules;
}

}  // namespace paretrain::problems
