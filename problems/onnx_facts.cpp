#include "problems/onnx_facts.h"

#include <algorithm>
#include <utility>

#include "base/checked_math.h"
#include "base/number_text.h"
#include "problems/onnx_faults.h"

namespace paretrain::problems {

namespace {

template <class Wanted>
const Wanted* attribute_as(const OnnxNode& node, std::string_view name, std::string_view kind) {
  const auto found = node.attributes.find(std::string(name));
  if (found == node.attributes.end()) return nullptr;
  const auto* const value = std::get_if<Wanted>(&found->second);
  if (value == nullptr)
    throw ShapeFault{"attribute " + quoted(name) + " is not " + std::string(kind)};
  return value;
}

}  // namespace

NodeFacts::NodeFacts(const OnnxNode& node,
                     std::int64_t opset,
                     std::vector<const TensorFacts*> inputs)
    : node_(&node), opset_(opset), inputs_(std::move(inputs)) {}

const TensorFacts& NodeFacts::input(std::size_t index) const {
  if (!has_input(index))
    throw ShapeFault{"input " + number_text(static_cast<std::int64_t>(index)) + " is missing"};
  return *inputs_[index];
}

const evaluator::Shape& NodeFacts::shape(std::size_t index) const {
  return input(index).shape;
}

std::int64_t NodeFacts::rank(std::size_t index) const {
  return static_cast<std::int64_t>(shape(index).size());
}

const std::vector<std::int64_t>& NodeFacts::integers(std::size_t index) const {
  const TensorFacts& facts = input(index);
  const std::string place = "input " + number_text(static_cast<std::int64_t>(index)) + " (" +
                            quoted(node_->inputs[index]) + ")";
  if (evaluator::is_float(facts.type)) throw ShapeFault{place + " holds no integers"};
  if (!facts.numbers)
    throw ShapeFault{place + " decides about a shape but is not known before the network runs"};
  return facts.numbers->integers;
}

bool NodeFacts::has_attribute(std::string_view name) const {
  return node_->attributes.contains(std::string(name));
}

std::int64_t NodeFacts::integer(std::string_view name, std::int64_t absent) const {
  const auto* const value = attribute_as<std::int64_t>(*node_, name, "an integer");
  return value == nullptr ? absent : *value;
}

std::string NodeFacts::text(std::string_view name, std::string_view absent) const {
  const auto* const value = attribute_as<std::string>(*node_, name, "a text");
  return value == nullptr ? std::string(absent) : *value;
}

std::optional<std::vector<std::int64_t>> NodeFacts::integer_list(std::string_view name) const {
  const auto* const value =
      attribute_as<std::vector<std::int64_t>>(*node_, name, "a list of integers");
  if (value == nullptr) return std::nullopt;
  return *value;
}

std::optional<std::vector<std::int64_t>> NodeFacts::integer_list_or_input(std::string_view name,
                                                                          std::size_t index) const {
  if (has_input(index)) return integers(index);
  return integer_list(name);
}

std::size_t axis_index(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank)
    throw ShapeFault{"axis " + number_text(axis) + " of a tensor of rank " + number_text(rank)};
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

evaluator::Shape broadcast(const evaluator::Shape& a, const evaluator::Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  evaluator::Shape result(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1)
      throw ShapeFault{"shapes " + shape_text(a) + " and " + shape_text(b) +
                       " do not broadcast to one another"};
    result[rank - 1 - i] = from_a == 1 ? from_b : from_a;
  }
  return result;
}

std::int64_t single_integer(const NodeFacts& node, std::size_t index) {
  const std::vector<std::int64_t>& numbers = node.integers(index);
  if (numbers.size() != 1)
    throw ShapeFault{"input " + number_text(static_cast<std::int64_t>(index)) + " holds " +
                     number_text(static_cast<std::int64_t>(numbers.size())) +
                     " numbers; expected one"};
  return numbers[0];
}

std::int64_t checked_elements(const evaluator::Shape& shape) {
  if (static_cast<std::int64_t>(shape.size()) > kMaximumRank)
    throw ShapeFault{"rank above " + number_text(kMaximumRank)};
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw ShapeFault{"a dimension of " + number_text(extent)};
    const auto product = checked_product(elements, extent);
    if (!product || *product > kMaximumElements)
      throw ShapeFault{"shape " + shape_text(shape) + " has more than 2^44 elements"};
    elements = *product;
  }
  return elements;
}

std::string shape_text(const evaluator::Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += number_text(extent);
  }
  return text;
}

TensorFacts facts(evaluator::ElementType type, evaluator::Shape shape) {
  return {.type = type, .shape = std::move(shape), .constant = false, .numbers = std::nullopt};
}

}  // namespace paretrain::problems
