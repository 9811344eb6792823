#include "base/number_text.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;

std::vector<TensorFacts> same_as_first(const NodeFacts& node) {
  return {facts(node.input(0).type, node.shape(0))};
}

std::vector<TensorFacts> flags_like_first(const NodeFacts& node) {
  return {facts(ElementType::Bool, node.shape(0))};
}

Shape broadcast_of_all(const NodeFacts& node, std::size_t first) {
  Shape shape = node.shape(first);
  for (std::size_t i = first + 1; i < node.input_count(); ++i)
    if (node.has_input(i)) shape = broadcast(shape, node.shape(i));
  return shape;
}

std::vector<TensorFacts> broadcast_operands(const NodeFacts& node) {
  return {facts(node.input(0).type, broadcast_of_all(node, 0))};
}

std::vector<TensorFacts> broadcast_comparison(const NodeFacts& node) {
  return {facts(ElementType::Bool, broadcast_of_all(node, 0))};
}

std::vector<TensorFacts> where(const NodeFacts& node) {
  return {facts(node.input(1).type, broadcast_of_all(node, 0))};
}

std::vector<TensorFacts> along_axis(const NodeFacts& node) {
  const std::int64_t absent = node.opset() < 13 ? 1 : -1;
  const std::int64_t rank = node.rank(0);
  // Before opset 13 the axis may be the rank itself, and the tensor was flattened there.
  const std::int64_t axis = node.integer("axis", absent);
  if (!(node.opset() < 13 && axis == rank)) static_cast<void>(axis_index(axis, rank));
  return same_as_first(node);
}

// Old exports give one slope per channel without the axes after it.
std::vector<TensorFacts> parametric_relu(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const Shape& slope = node.shape(1);
  const bool per_channel = input.size() > 1 && slope == Shape{input[1]};
  if (!per_channel && broadcast(input, slope) != input)
    throw ShapeFault{"slopes of shape " + shape_text(slope) + " for an input of shape " +
                     shape_text(input)};
  return same_as_first(node);
}

std::vector<TensorFacts> dropout(const NodeFacts& node) {
  const ElementType mask = node.opset() < 10 ? node.input(0).type : ElementType::Bool;
  return {facts(node.input(0).type, node.shape(0)), facts(mask, node.shape(0))};
}

std::int64_t channels_of(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  if (input.size() < 2)
    throw ShapeFault{"input of shape " + shape_text(input) + "; expected batch and channels"};
  return input[1];
}

void check_per_channel(const NodeFacts& node, std::size_t first, std::size_t last) {
  const std::int64_t channels = channels_of(node);
  for (std::size_t i = first; i <= last; ++i)
    if (node.shape(i) != Shape{channels})
      throw ShapeFault{"input " + number_text(static_cast<std::int64_t>(i)) + " of shape " +
                       shape_text(node.shape(i)) + " for " + number_text(channels) + " channels"};
}

// Newer opsets give mean and variance, older ones also what was saved for the backward pass.
std::vector<TensorFacts> batch_normalization(const NodeFacts& node) {
  check_per_channel(node, 1, 4);
  std::vector<TensorFacts> outputs{facts(node.input(0).type, node.shape(0))};
  for (std::size_t i = 1; i < 5; ++i)
    outputs.push_back(facts(node.input(3).type, node.shape(3)));
  return outputs;
}

std::vector<TensorFacts> instance_normalization(const NodeFacts& node) {
  check_per_channel(node, 1, 2);
  return same_as_first(node);
}

std::vector<TensorFacts> layer_normalization(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const std::size_t axis = axis_index(node.integer("axis", -1), node.rank(0));
  const Shape normalised(input.begin() + static_cast<std::ptrdiff_t>(axis), input.end());
  for (std::size_t i = 1; i < 3; ++i) {
    if (node.has_input(i) && broadcast(normalised, node.shape(i)) != normalised)
      throw ShapeFault{"scale or bias of shape " + shape_text(node.shape(i)) + " for " +
                       shape_text(normalised) + " normalised numbers"};
  }
  Shape statistics = input;
  for (std::size_t i = axis; i < statistics.size(); ++i)
    statistics[i] = 1;
  return {facts(node.input(0).type, input),
          facts(ElementType::Float32, statistics),
          facts(ElementType::Float32, statistics)};
}

ElementType onnx_number_type(std::int64_t number) {
  constexpr std::optional<ElementType> kTypes[] = {std::nullopt,
                                                   ElementType::Float32,
                                                   ElementType::UInt8,
                                                   ElementType::Int8,
                                                   ElementType::UInt16,
                                                   ElementType::Int16,
                                                   ElementType::Int32,
                                                   ElementType::Int64,
                                                   std::nullopt,
                                                   ElementType::Bool,
                                                   ElementType::Float16,
                                                   ElementType::Float64,
                                                   ElementType::UInt32,
                                                   ElementType::UInt64,
                                                   std::nullopt,
                                                   std::nullopt,
                                                   ElementType::BFloat16};
  if (number < 0 || number > 16 || !kTypes[number])
    throw ShapeFault{"element type " + number_text(number) + " is no number type of ONNX"};
  return *kTypes[number];
}

std::vector<TensorFacts> cast(const NodeFacts& node) {
  return {facts(onnx_number_type(node.integer("to", 0)), node.shape(0))};
}

std::vector<TensorFacts> cast_like(const NodeFacts& node) {
  return {facts(node.input(1).type, node.shape(0))};
}

std::vector<TensorFacts> same_as_second(const NodeFacts& node) {
  return {facts(node.input(0).type, node.shape(1))};
}

constexpr NamedRule kRules[] = {{"Abs", same_as_first},
                                {"Acos", same_as_first},
                                {"Acosh", same_as_first},
                                {"Asin", same_as_first},
                                {"Asinh", same_as_first},
                                {"Atan", same_as_first},
                                {"Atanh", same_as_first},
                                {"Ceil", same_as_first},
                                {"Celu", same_as_first},
                                {"Clip", same_as_first},
                                {"Cos", same_as_first},
                                {"Cosh", same_as_first},
                                {"CumSum", same_as_first},
                                {"Elu", same_as_first},
                                {"Erf", same_as_first},
                                {"Exp", same_as_first},
                                {"Floor", same_as_first},
                                {"Gelu", same_as_first},
                                {"FastGelu", same_as_first},
                                {"QuickGelu", same_as_first},
                                {"HardSigmoid", same_as_first},
                                {"HardSwish", same_as_first},
                                {"Identity", same_as_first},
                                {"LeakyRelu", same_as_first},
                                {"Log", same_as_first},
                                {"LRN", same_as_first},
                                {"LpNormalization", along_axis},
                                {"MeanVarianceNormalization", same_as_first},
                                {"Mish", same_as_first},
                                {"Neg", same_as_first},
                                {"Not", same_as_first},
                                {"Reciprocal", same_as_first},
                                {"Relu", same_as_first},
                                {"Round", same_as_first},
                                {"Selu", same_as_first},
                                {"Shrink", same_as_first},
                                {"Sigmoid", same_as_first},
                                {"Sign", same_as_first},
                                {"Sin", same_as_first},
                                {"Sinh", same_as_first},
                                {"Softplus", same_as_first},
                                {"Softsign", same_as_first},
                                {"Sqrt", same_as_first},
                                {"Tan", same_as_first},
                                {"Tanh", same_as_first},
                                {"ThresholdedRelu", same_as_first},
                                {"Trilu", same_as_first},
                                {"ReluGrad", same_as_first},
                                {"IsNaN", flags_like_first},
                                {"IsInf", flags_like_first},
                                {"Softmax", along_axis},
                                {"LogSoftmax", along_axis},
                                {"Hardmax", along_axis},
                                {"Add", broadcast_operands},
                                {"Sub", broadcast_operands},
                                {"Mul", broadcast_operands},
                                {"Div", broadcast_operands},
                                {"Pow", broadcast_operands},
                                {"Mod", broadcast_operands},
                                {"Max", broadcast_operands},
                                {"Min", broadcast_operands},
                                {"Sum", broadcast_operands},
                                {"Mean", broadcast_operands},
                                {"BitShift", broadcast_operands},
                                {"And", broadcast_comparison},
                                {"Or", broadcast_comparison},
                                {"Xor", broadcast_comparison},
                                {"Equal", broadcast_comparison},
                                {"Greater", broadcast_comparison},
                                {"GreaterOrEqual", broadcast_comparison},
                                {"Less", broadcast_comparison},
                                {"LessOrEqual", broadcast_comparison},
                                {"Where", where},
                                {"PRelu", parametric_relu},
                                {"Dropout", dropout},
                                {"BatchNormalization", batch_normalization},
                                {"InstanceNormalization", instance_normalization},
                                {"GroupNormalization", same_as_first},
                                {"LayerNormalization", layer_normalization},
                                {"Cast", cast},
                                {"CastLike", cast_like},
                                {"SoftmaxCrossEntropyLossGrad", same_as_second}};

}  // namespace

std::span<const NamedRule> elementwise_rules() {
  return kRules;
}

}  // namespace paretrain::problems
