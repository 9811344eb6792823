// The patterns themselves, each found from its characteristic node.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "evaluator/graph/pattern_match.h"

namespace paretrain::evaluator {
namespace {

Node replacement_node(const ModelIndex& index,
                      std::size_t last,
                      const std::string& type,
                      std::vector<std::optional<ValueId>> inputs) {
  Node node;
  node.name = index.node(last).name;
  node.type = type;
  node.inputs = std::move(inputs);
  node.outputs = {index.node(last).outputs.front()};
  return node;
}

// Sqrt(ReduceMean(square of `centred`) + epsilon): adds the nodes and says whether it is one.
bool is_deviation(const ModelIndex& index,
                  std::optional<ValueId> value,
                  ValueId x,
                  std::vector<std::size_t>& nodes) {
  const auto root = index.producer(value, "Sqrt");
  if (!root) return false;
  const auto sum = index.producer(index.node(*root).inputs[0], "Add");
  if (!sum) return false;
  const auto& terms = index.node(*sum).inputs;
  auto mean = index.producer(terms[0], "ReduceMean");
  if (!mean) mean = index.producer(terms[1], "ReduceMean");
  if (!mean) return false;
  const ValueId squared = *index.node(*mean).inputs[0];
  auto square = index.producer(squared, "Pow");
  if (square && index.number(index.node(*square).inputs[1]) != 2.0) return false;
  if (!square) {
    square = index.producer(squared, "Mul");
    if (!square || index.node(*square).inputs[0] != index.node(*square).inputs[1]) return false;
  }
  const auto centred = index.producer(index.node(*square).inputs[0], "Sub");
  if (!centred || index.node(*centred).inputs[0] != x) return false;
  for (const std::size_t node : {*root, *sum, *mean, *square})
    nodes.push_back(node);
  if (std::find(nodes.begin(), nodes.end(), *centred) == nodes.end()) nodes.push_back(*centred);
  return true;
}

// A parameter or constant, perhaps seen with axes of extent 1.
bool is_affine_operand(const ModelIndex& index, std::optional<ValueId> value) {
  if (!value) return false;
  if (!index.is_computed(value)) return !index.number(value);
  const auto maker = index.producer(*value);
  if (!maker) return false;
  const std::string& type = index.node(*maker).type;
  return (type == "Unsqueeze" || type == "Reshape") &&
         !index.is_computed(index.node(*maker).inputs[0]);
}

// Follows y * scale + shift where both are parameters or constants.
struct Affine {
  std::size_t last = 0;
  std::optional<ValueId> scale;
  std::optional<ValueId> shift;
};

Affine affine_after(const ModelIndex& index, std::size_t last, std::vector<std::size_t>& nodes) {
  Affine affine{last, std::nullopt, std::nullopt};
  const auto follow = [&](const char* type, std::optional<ValueId>& operand) {
    const auto next = index.only_reader(affine.last, type);
    if (!next) return;
    const auto other = index.other_input(*next, *index.node(affine.last).outputs.front());
    if (!is_affine_operand(index, other)) return;
    operand = other;
    affine.last = *next;
    nodes.push_back(*next);
  };
  follow("Mul", affine.scale);
  follow("Add", affine.shift);
  return affine;
}

std::int64_t first_reduced_axis(const ModelIndex& index, std::size_t mean, std::size_t rank) {
  const Node& node = index.node(mean);
  std::vector<std::int64_t> axes;
  const auto found = node.attributes.find("axes");
  if (found != node.attributes.end()) {
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&found->second))
      axes = *numbers;
  } else if (node.inputs.size() > 1 && node.inputs[1]) {
    const Value& value = index.model().value(*node.inputs[1]);
    if (value.numbers) axes = value.numbers->integers;
  }
  std::int64_t first = static_cast<std::int64_t>(rank);
  for (std::int64_t axis : axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    first = std::min(first, axis);
  }
  const bool trailing =
      first + static_cast<std::int64_t>(axes.size()) == static_cast<std::int64_t>(rank);
  return trailing ? first : -1;
}

}  // namespace

// (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + shift over the last axes.
std::optional<PatternMatch> layer_normalisation_pattern(const ModelIndex& index, std::size_t node) {
  if (index.node(node).type != "Div") return std::nullopt;
  const auto& inputs = index.node(node).inputs;
  const auto centred = index.producer(inputs[0], "Sub");
  if (!centred) return std::nullopt;
  const auto x = index.node(*centred).inputs[0];
  const auto mean = index.producer(index.node(*centred).inputs[1], "ReduceMean");
  if (!x || !mean || index.node(*mean).inputs[0] != x) return std::nullopt;
  std::vector<std::size_t> nodes = {node, *centred, *mean};
  if (!is_deviation(index, inputs[1], *x, nodes)) return std::nullopt;
  for (std::size_t n : std::vector<std::size_t>(nodes)) {
    // A second subtraction has a mean of its own or shares the first.
    const auto own = index.node(n).type == "Sub"
                         ? index.producer(index.node(n).inputs[1], "ReduceMean")
                         : std::nullopt;
    if (own && std::find(nodes.begin(), nodes.end(), *own) == nodes.end()) nodes.push_back(*own);
  }
  const std::int64_t axis = first_reduced_axis(index, *mean, index.model().value(*x).shape.size());
  if (axis < 0) return std::nullopt;
  const Affine affine = affine_after(index, node, nodes);
  if (!index.closed(nodes, affine.last)) return std::nullopt;
  PatternMatch match{"LayerNormalization", nodes, {}};
  match.replacement =
      replacement_node(index, affine.last, "LayerNormalization", {x, affine.scale, affine.shift});
  match.replacement.attributes["axis"] = axis;
  return match;
}

// Reshape to groups, instance normalisation, reshape back, scale and shift per channel.
std::optional<PatternMatch> group_normalisation_pattern(const ModelIndex& index, std::size_t node) {
  if (index.node(node).type != "InstanceNormalization") return std::nullopt;
  const auto before = index.producer(index.node(node).inputs[0], "Reshape");
  const auto after = index.only_reader(node, "Reshape");
  if (!before || !after) return std::nullopt;
  const auto x = index.node(*before).inputs[0];
  const Shape& shape = index.model().value(*x).shape;
  const Shape& grouped = index.model().value(*index.node(*before).outputs[0]).shape;
  if (index.model().value(*index.node(*after).outputs[0]).shape != shape) return std::nullopt;
  if (shape.size() < 3 || grouped.size() < 3 || grouped[0] != shape[0] ||
      shape[1] % grouped[1] != 0)
    return std::nullopt;
  std::vector<std::size_t> nodes = {node, *before, *after};
  const Affine affine = affine_after(index, *after, nodes);
  if (!index.closed(nodes, affine.last)) return std::nullopt;
  PatternMatch match{"GroupNormalization", nodes, {}};
  match.replacement =
      replacement_node(index, affine.last, "GroupNormalization", {x, affine.scale, affine.shift});
  match.replacement.attributes["num_groups"] = grouped[1];
  return match;
}

// x * (1 + f(x)) * 0.5 with f = erf(x / sqrt 2), or tanh of a polynomial made of products: the
// order in which exporters write the framework's own operator. Another order, or a power, is a
// program's own formula, which the framework runs piece by piece.
std::optional<PatternMatch> gelu_pattern(const ModelIndex& index, std::size_t node) {
  const bool erf = index.node(node).type == "Erf";
  if (!erf && index.node(node).type != "Tanh") return std::nullopt;
  const auto plus_one = index.only_reader(node, "Add");
  if (!plus_one) return std::nullopt;
  const auto one = index.other_input(*plus_one, *index.node(node).outputs[0]);
  if (index.number(one) != 1.0) return std::nullopt;
  const auto product = index.only_reader(*plus_one, "Mul");
  if (!product) return std::nullopt;
  const auto x = index.other_input(*product, *index.node(*plus_one).outputs[0]);
  const auto halved = index.only_reader(*product, "Mul");
  if (!x || !halved) return std::nullopt;
  const auto half = index.other_input(*halved, *index.node(*product).outputs[0]);
  if (index.number(half) != 0.5) return std::nullopt;
  std::vector<std::size_t> nodes = {node, *plus_one, *product, *halved};
  const auto inner = index.node(node).inputs[0];
  if (!inner || !index.collect_cone(*inner, *x, {"Mul", "Add", "Div"}, nodes)) return std::nullopt;
  if (!index.closed(nodes, *halved)) return std::nullopt;
  return PatternMatch{
      erf ? "Gelu (erf)" : "Gelu (tanh)", nodes, replacement_node(index, *halved, "Gelu", {x})};
}

// One half times the sigmoid of the other.
std::optional<PatternMatch> gated_linear_pattern(const ModelIndex& index, std::size_t node) {
  const Node& split = index.node(node);
  if (split.type != "Split" || split.outputs.size() != 2) return std::nullopt;
  if (!split.outputs[0] || !split.outputs[1]) return std::nullopt;
  const auto& value = [&](std::size_t o) -> const Value& {
    return index.model().value(*split.outputs[o]);
  };
  const auto& gates = index.readers(*split.outputs[1]);
  if (value(0).shape != value(1).shape || gates.size() != 1) return std::nullopt;
  if (index.node(gates[0]).type != "Sigmoid") return std::nullopt;
  const auto product = index.only_reader(gates[0], "Mul");
  if (!product) return std::nullopt;
  if (index.other_input(*product, *index.node(gates[0]).outputs[0]) != split.outputs[0])
    return std::nullopt;
  const std::vector<std::size_t> nodes = {node, gates[0], *product};
  if (!index.closed(nodes, *product)) return std::nullopt;
  PatternMatch match{"Glu", nodes, replacement_node(index, *product, "Glu", {split.inputs[0]})};
  match.replacement.attributes = split.attributes;
  return match;
}

// x * f(x): SiLU, Mish, HardSwish.
std::optional<PatternMatch> gated_activation_pattern(const ModelIndex& index, std::size_t node) {
  if (index.node(node).type != "Mul") return std::nullopt;
  const auto& inputs = index.node(node).inputs;
  for (const std::size_t gate : {0U, 1U}) {
    const auto x = inputs[1 - gate];
    if (!x || !inputs[gate]) continue;
    std::vector<std::size_t> nodes = {node};
    std::string type;
    if (const auto sigmoid = index.producer(inputs[gate], "Sigmoid")) {
      if (index.node(*sigmoid).inputs[0] != x) continue;
      nodes.push_back(*sigmoid);
      type = "Silu";
    } else if (const auto hard = index.producer(inputs[gate], "HardSigmoid")) {
      if (index.node(*hard).inputs[0] != x) continue;
      nodes.push_back(*hard);
      type = "HardSwish";
    } else if (const auto tanh = index.producer(inputs[gate], "Tanh")) {
      const auto softplus = index.producer(index.node(*tanh).inputs[0], "Softplus");
      if (!softplus || index.node(*softplus).inputs[0] != x) continue;
      nodes.insert(nodes.end(), {*tanh, *softplus});
      type = "Mish";
    } else {
      continue;
    }
    if (!index.closed(nodes, node)) continue;
    return PatternMatch{type, nodes, replacement_node(index, node, type, {x})};
  }
  return std::nullopt;
}

// Two functions in a row that frameworks run as one: log(softmax), 1 / sqrt.
std::optional<PatternMatch> chained_function_pattern(const ModelIndex& index, std::size_t node) {
  const Node& outer = index.node(node);
  std::optional<std::size_t> inner;
  std::string type;
  if (outer.type == "Log") {
    inner = index.producer(outer.inputs[0], "Softmax");
    type = "LogSoftmax";
  } else if (outer.type == "Reciprocal") {
    inner = index.producer(outer.inputs[0], "Sqrt");
    type = "Rsqrt";
  } else if (outer.type == "Div" && index.number(outer.inputs[0]) == 1.0) {
    inner = index.producer(outer.inputs[1], "Sqrt");
    type = "Rsqrt";
  }
  if (!inner) return std::nullopt;
  const std::vector<std::size_t> nodes = {node, *inner};
  if (!index.closed(nodes, node)) return std::nullopt;
  PatternMatch match{
      type, nodes, replacement_node(index, node, type, {index.node(*inner).inputs[0]})};
  match.replacement.attributes = index.node(*inner).attributes;
  return match;
}

// x * W + b with a weight matrix and a bias vector, which may be parts of parameters.
std::optional<PatternMatch> linear_pattern(const ModelIndex& index, std::size_t node) {
  if (index.node(node).type != "MatMul") return std::nullopt;
  const auto& inputs = index.node(node).inputs;
  if (!inputs[0] || !inputs[1] || !index.is_parameter_view(*inputs[1])) return std::nullopt;
  if (index.model().value(*inputs[1]).shape.size() != 2) return std::nullopt;
  const auto sum = index.only_reader(node, "Add");
  if (!sum) return std::nullopt;
  const auto bias = index.other_input(*sum, *index.node(node).outputs[0]);
  if (!bias || !index.is_parameter_view(*bias)) return std::nullopt;
  if (index.model().value(*bias).shape.size() != 1) return std::nullopt;
  const std::vector<std::size_t> nodes = {node, *sum};
  PatternMatch match{
      "Linear", nodes, replacement_node(index, *sum, "Linear", {inputs[0], inputs[1], bias})};
  match.replacement.name = index.node(node).name;
  return match;
}

}  // namespace paretrain::evaluator
