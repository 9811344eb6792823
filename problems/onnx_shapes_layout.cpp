#include <algorithm>

#include "base/checked_math.h"
#include "base/number_text.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;
using List = std::vector<std::int64_t>;

List reshape_target(const NodeFacts& node) {
  const auto target =
      node.opset() < 5 ? node.integer_list("shape") : std::optional<List>(node.integers(1));
  if (!target) throw ShapeFault{"attribute 'shape' is missing"};
  if (static_cast<std::int64_t>(target->size()) > kMaximumRank)
    throw ShapeFault{"a target of rank above " + number_text(kMaximumRank)};
  return *target;
}

// Source: ONNX operators, Reshape: 0 copies an extent, one -1 takes what is left.
std::vector<TensorFacts> reshape(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const bool zero_is_zero = node.integer("allowzero", 0) != 0;
  Shape output = reshape_target(node);
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (output[i] == 0 && !zero_is_zero) {
      if (i >= input.size()) throw ShapeFault{"its target copies an extent that is not there"};
      output[i] = input[i];
    }
    if (output[i] < -1 || (output[i] == -1 && open))
      throw ShapeFault{"target " + shape_text(reshape_target(node)) +
                       "; expected extents, 0, and at most one -1"};
    if (output[i] == -1) {
      open = i;
      continue;
    }
    const auto product = checked_product(known, output[i]);
    if (!product) throw ShapeFault{"its target has more than 2^63 elements"};
    known = *product;
  }
  const std::int64_t elements = checked_elements(input);
  if (open) output[*open] = known == 0 ? 0 : elements / known;
  if (open ? known == 0 || elements % known != 0 : known != elements)
    throw ShapeFault{"cannot be brought from " + shape_text(input) + " to " +
                     shape_text(reshape_target(node))};
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> flatten(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const std::int64_t axis = node.integer("axis", 1);
  const std::int64_t rank = node.rank(0);
  const std::size_t cut = axis == rank ? input.size() : axis_index(axis, rank);
  Shape output{1, 1};
  for (std::size_t i = 0; i < input.size(); ++i)
    output[i < cut ? 0 : 1] *= input[i];
  return {facts(node.input(0).type, output)};
}

// Axes as positions in a tensor of that rank. Errors: ShapeFault for an axis named twice.
std::vector<bool> chosen_axes(const List& axes, std::size_t rank) {
  std::vector<bool> chosen(rank, false);
  for (const std::int64_t axis : axes) {
    const std::size_t index = axis_index(axis, static_cast<std::int64_t>(rank));
    if (chosen[index]) throw ShapeFault{"axis " + number_text(axis) + " named twice"};
    chosen[index] = true;
  }
  return chosen;
}

std::vector<TensorFacts> squeeze(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const auto axes = node.integer_list_or_input("axes", 1);
  std::vector<bool> dropped(input.size());
  for (std::size_t i = 0; i < input.size(); ++i)
    dropped[i] = !axes && input[i] == 1;
  if (axes) dropped = chosen_axes(*axes, input.size());
  Shape output;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (dropped[i] && input[i] != 1)
      throw ShapeFault{"drops an axis of extent " + number_text(input[i]) + "; expected 1"};
    if (!dropped[i]) output.push_back(input[i]);
  }
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> unsqueeze(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const auto axes = node.integer_list_or_input("axes", 1);
  if (!axes) throw ShapeFault{"says no axes"};
  const std::vector<bool> added = chosen_axes(*axes, input.size() + axes->size());
  Shape output;
  std::size_t next = 0;
  for (const bool is_new : added)
    output.push_back(is_new ? 1 : input[next++]);
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> transpose(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  List order(input.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  if (const auto given = node.integer_list("perm")) order = *given;
  std::vector<bool> seen(input.size(), false);
  Shape output;
  for (const std::int64_t axis : order) {
    const bool fits = axis >= 0 && axis < static_cast<std::int64_t>(input.size());
    if (!fits || seen[static_cast<std::size_t>(axis)] || order.size() != input.size())
      throw ShapeFault{"attribute 'perm' is no order of the axes of " + shape_text(input)};
    seen[static_cast<std::size_t>(axis)] = true;
    output.push_back(input[static_cast<std::size_t>(axis)]);
  }
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> expand(const NodeFacts& node) {
  const List& target = node.integers(1);
  for (const std::int64_t extent : target)
    if (extent < 1) throw ShapeFault{"a target extent of " + number_text(extent)};
  return {facts(node.input(0).type, broadcast(node.shape(0), target))};
}

std::vector<TensorFacts> tile(const NodeFacts& node) {
  Shape output = node.shape(0);
  const List& repeats = node.integers(1);
  if (repeats.size() != output.size())
    throw ShapeFault{"its repeats do not fit an input of shape " + shape_text(output)};
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto product = checked_product(output[i], repeats[i]);
    if (!product || repeats[i] < 0) throw ShapeFault{"repeats of " + number_text(repeats[i])};
    output[i] = *product;
  }
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> concat(const NodeFacts& node) {
  Shape output = node.shape(0);
  const std::int64_t absent = node.opset() < 4 ? 1 : 0;
  const std::size_t axis = axis_index(node.integer("axis", absent), node.rank(0));
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    const Shape& part = node.shape(i);
    bool fits = part.size() == output.size();
    for (std::size_t k = 0; fits && k < part.size(); ++k)
      fits = k == axis || part[k] == output[k];
    if (!fits)
      throw ShapeFault{"joins " + shape_text(node.shape(0)) + " and " + shape_text(part) +
                       " along axis " + number_text(static_cast<std::int64_t>(axis))};
    output[axis] += part[axis];
    if (output[axis] > kMaximumElements) throw ShapeFault{"the result is too large"};
  }
  return {facts(node.input(0).type, output)};
}

List split_sizes(const NodeFacts& node, std::int64_t extent) {
  if (const auto given = node.integer_list_or_input("split", 1)) return *given;
  const auto parts = static_cast<std::int64_t>(node.node().outputs.size());
  const std::int64_t size = ceil_div(extent, parts);
  List sizes(static_cast<std::size_t>(parts), size);
  sizes.back() = extent - size * (parts - 1);
  return sizes;
}

std::vector<TensorFacts> split(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const std::size_t axis = axis_index(node.integer("axis", 0), node.rank(0));
  const List sizes = split_sizes(node, input[axis]);
  std::int64_t rest = input[axis];
  std::vector<TensorFacts> outputs;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > rest)
      throw ShapeFault{"a part of " + number_text(size) + "; the parts must add up to " +
                       number_text(input[axis])};
    rest -= size;
    Shape part = input;
    part[axis] = size;
    outputs.push_back(facts(node.input(0).type, part));
  }
  if (rest != 0 || sizes.size() != node.node().outputs.size())
    throw ShapeFault{"its parts do not add up to " + number_text(input[axis]) +
                     " or are not as many as its outputs"};
  return outputs;
}

std::vector<TensorFacts> pad(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const auto pads = node.integer_list_or_input("pads", 1);
  if (!pads) throw ShapeFault{"says no pads"};
  const bool some_axes = node.has_input(3);
  const List axes = some_axes ? node.integers(3) : List{};
  const std::size_t count = some_axes ? axes.size() : input.size();
  if (pads->size() != 2 * count)
    throw ShapeFault{number_text(static_cast<std::int64_t>(pads->size())) +
                     " pads for an input of shape " + shape_text(input)};
  Shape output = input;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = some_axes ? axis_index(axes[i], node.rank(0)) : i;
    const auto both = checked_sum((*pads)[i], (*pads)[i + count]);
    const auto extent = both ? checked_sum(output[axis], *both) : std::nullopt;
    if (!extent || *extent < 1)
      throw ShapeFault{"the result would have no sensible extent along axis " +
                       number_text(static_cast<std::int64_t>(axis))};
    output[axis] = *extent;
  }
  return {facts(node.input(0).type, output)};
}

constexpr NamedRule kRules[] = {{"Reshape", reshape},
                                {"Flatten", flatten},
                                {"Squeeze", squeeze},
                                {"Unsqueeze", unsqueeze},
                                {"Transpose", transpose},
                                {"Expand", expand},
                                {"Tile", tile},
                                {"Concat", concat},
                                {"Split", split},
                                {"Pad", pad}};

}  // namespace

std::span<const NamedRule> layout_rules() {
  return kRules;
}

}  // namespace paretrain::problems
