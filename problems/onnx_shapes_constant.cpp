#include <cmath>

#include "base/number_text.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;

// Shape: of the attribute that is given; exactly one must be.
std::vector<TensorFacts> constant(const NodeFacts& node) {
  const OnnxNode& source = node.node();
  if (source.attributes.size() + source.tensors.size() != 1)
    throw ShapeFault{"a constant needs exactly one value"};
  if (!source.tensors.empty()) {
    const OnnxTensor& tensor = source.tensors.begin()->second;
    return {facts(tensor.type, tensor.shape)};
  }
  const evaluator::Attribute& value = source.attributes.begin()->second;
  if (std::holds_alternative<std::int64_t>(value)) return {facts(ElementType::Int64, {})};
  if (std::holds_alternative<double>(value)) return {facts(ElementType::Float32, {})};
  if (const auto* const list = std::get_if<std::vector<std::int64_t>>(&value))
    return {facts(ElementType::Int64, {static_cast<std::int64_t>(list->size())})};
  if (const auto* const list = std::get_if<std::vector<double>>(&value))
    return {facts(ElementType::Float32, {static_cast<std::int64_t>(list->size())})};
  throw ShapeFault{"a constant that is a text; expected numbers"};
}

ElementType filling_type(const NodeFacts& node) {
  const auto value = node.node().tensors.find("value");
  return value == node.node().tensors.end() ? ElementType::Float32 : value->second.type;
}

std::vector<TensorFacts> constant_of_shape(const NodeFacts& node) {
  return {facts(filling_type(node), node.integers(0))};
}

std::vector<TensorFacts> shape(const NodeFacts& node) {
  const std::int64_t rank = node.rank(0);
  const auto clamped = [rank](std::int64_t at) {
    const std::int64_t from_front = at < 0 ? std::max(at, -rank) + rank : at;
    return std::min(from_front, rank);
  };
  const std::int64_t start = clamped(node.integer("start", 0));
  const std::int64_t end = clamped(node.integer("end", rank));
  return {facts(ElementType::Int64, {std::max<std::int64_t>(end - start, 0)})};
}

std::vector<TensorFacts> size(const NodeFacts&) {
  return {facts(ElementType::Int64, {})};
}

double single_number(const NodeFacts& node, std::size_t index) {
  const TensorFacts& input = node.input(index);
  if (!input.numbers) throw ShapeFault{"its bounds are not known before the network runs"};
  const bool is_float = evaluator::is_float(input.type);
  const std::size_t count =
      is_float ? input.numbers->floats.size() : input.numbers->integers.size();
  if (count != 1) throw ShapeFault{"a bound that is not one number"};
  return is_float ? input.numbers->floats[0] : static_cast<double>(input.numbers->integers[0]);
}

// Source: ONNX operators, Range: max(ceil((limit - start) / delta), 0).
std::vector<TensorFacts> range(const NodeFacts& node) {
  const double delta = single_number(node, 2);
  if (delta == 0.0) throw ShapeFault{"a step of 0"};
  const double count = std::ceil((single_number(node, 1) - single_number(node, 0)) / delta);
  if (!(count >= 1.0) || count > static_cast<double>(kMaximumElements))
    throw ShapeFault{"a range without a sensible number of elements"};
  return {facts(node.input(0).type, {static_cast<std::int64_t>(count)})};
}

std::vector<TensorFacts> random_of_shape(const NodeFacts& node) {
  const auto given = node.integer_list("shape");
  if (!given) throw ShapeFault{"attribute 'shape' is missing"};
  return {facts(ElementType::Float32, *given)};
}

std::vector<TensorFacts> random_like(const NodeFacts& node) {
  return {facts(node.input(0).type, node.shape(0))};
}

constexpr NamedRule kRules[] = {{"Constant", constant},
                                {"ConstantOfShape", constant_of_shape},
                                {"Shape", shape},
                                {"Size", size},
                                {"Range", range},
                                {"RandomNormal", random_of_shape},
                                {"RandomUniform", random_of_shape},
                                {"RandomNormalLike", random_like},
                                {"RandomUniformLike", random_like},
                                {"EyeLike", random_like},
                                {"Bernoulli", random_like}};

}  // namespace

std::span<const NamedRule> constant_rules() {
  return kRules;
}

}  // namespace paretrain::problems
