#include "base/number_text.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using List = std::vector<std::int64_t>;

// Axes move from attribute to input in opset 13 (ReduceSum) and 18 (the others). Without any, all
// axes are reduced, unless `noop_with_empty_axes` says none.
std::vector<TensorFacts> reduce(const NodeFacts& node) {
  const Shape& input = node.shape(0);
  const auto axes = node.integer_list_or_input("axes", 1);
  const bool none = !axes || axes->empty();
  if (none && node.integer("noop_with_empty_axes", 0) != 0)
    return {facts(node.input(0).type, input)};
  std::vector<bool> reduced(input.size(), none);
  if (!none)
    for (const std::int64_t axis : *axes)
      reduced[axis_index(axis, node.rank(0))] = true;
  const bool keep = node.integer("keepdims", 1) != 0;
  Shape output;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (!reduced[i]) output.push_back(input[i]);
    if (reduced[i] && keep) output.push_back(1);
  }
  return {facts(node.input(0).type, output)};
}

std::vector<TensorFacts> position_of_extreme(const NodeFacts& node) {
  Shape output = node.shape(0);
  const std::size_t axis = axis_index(node.integer("axis", 0), node.rank(0));
  output[axis] = 1;
  if (node.integer("keepdims", 1) == 0)
    output.erase(output.begin() + static_cast<std::ptrdiff_t>(axis));
  return {facts(ElementType::Int64, output)};
}

Shape loss_shape(const NodeFacts& node) {
  const bool reduced = node.text("reduction", "mean") != "none";
  return reduced ? Shape{} : node.shape(1);
}

std::vector<TensorFacts> softmax_cross_entropy(const NodeFacts& node) {
  return {facts(node.input(0).type, loss_shape(node)), facts(node.input(0).type, node.shape(0))};
}

std::vector<TensorFacts> negative_log_likelihood(const NodeFacts& node) {
  return {facts(node.input(0).type, loss_shape(node))};
}

constexpr NamedRule kRules[] = {{"ReduceL1", reduce},
                                {"ReduceL2", reduce},
                                {"ReduceLogSum", reduce},
                                {"ReduceLogSumExp", reduce},
                                {"ReduceMax", reduce},
                                {"ReduceMean", reduce},
                                {"ReduceMin", reduce},
                                {"ReduceProd", reduce},
                                {"ReduceSum", reduce},
                                {"ReduceSumSquare", reduce},
                                {"ArgMax", position_of_extreme},
                                {"ArgMin", position_of_extreme},
                                {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
                                {"NegativeLogLikelihoodLoss", negative_log_likelihood}};

}  // namespace

std::span<const NamedRule> reduction_rules() {
  return kRules;
}

}  // namespace paretrain::problems
