#include "evaluator/graph/patterns.h"

#include <string>

#include "evaluator/graph/name_pattern.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

const Shape kTokens = {2, 3, 8};
const Shape kRows = {2, 3, 1};

ValueId decomposed_layer_norm(SmallModel& m, ValueId x) {
  const SmallModel::Attributes last = {{"axes", std::vector<std::int64_t>{-1}}};
  const ValueId mean = m.node("mean", "ReduceMean", {x}, kRows, last);
  const ValueId centred = m.node("centred", "Sub", {x, mean}, kTokens);
  const ValueId square = m.node("square", "Pow", {centred, m.number(2)}, kTokens);
  const ValueId variance = m.node("variance", "ReduceMean", {square}, kRows, last);
  const ValueId safe = m.node("safe", "Add", {variance, m.number(1e-5)}, kRows);
  const ValueId deviation = m.node("deviation", "Sqrt", {safe}, kRows);
  return m.node("unit", "Div", {centred, deviation}, kTokens);
}

std::vector<std::string> types_of(const Recognition& recognition) {
  std::vector<std::string> types;
  for (const Node& node : recognition.model.nodes)
    types.push_back(node.type);
  return types;
}

using Types = std::vector<std::string>;

}  // namespace

TEST_CASE("patterns: a decomposed layer normalisation with scale and shift") {
  SmallModel m;
  const ValueId unit = decomposed_layer_norm(m, m.input("x", kTokens));
  const ValueId scaled = m.node("scaled", "Mul", {unit, m.parameter("scale", {8})}, kTokens);
  m.output(m.node("y", "Add", {scaled, m.parameter("shift", {8})}, kTokens));
  const Recognition found = recognised_patterns(m.graph());
  CHECK(types_of(found) == Types{"LayerNormalization"});
  const Node& node = found.model.nodes[0];
  CHECK(node.inputs.size() == 3);
  CHECK(std::get<std::int64_t>(node.attributes.at("axis")) == 2);
  CHECK(found.model.value(*node.outputs[0]).name == "y");
}

TEST_CASE("patterns: a layer normalisation without scale and shift") {
  SmallModel m;
  m.output(decomposed_layer_norm(m, m.input("x", kTokens)));
  CHECK(types_of(recognised_patterns(m.graph())) == Types{"LayerNormalization"});
}

TEST_CASE("patterns: a value inside that somebody else reads stays") {
  SmallModel m;
  const ValueId unit = decomposed_layer_norm(m, m.input("x", kTokens));
  m.output(unit);
  const auto& nodes = m.graph().nodes;
  m.output(*nodes[1].outputs[0]);  // the centred value leaves the model
  CHECK(recognised_patterns(m.graph()).recognised.empty());
}

TEST_CASE("patterns: GELU by tanh of a polynomial") {
  SmallModel m;
  const ValueId x = m.input("x", kTokens);
  const ValueId square = m.node("square", "Mul", {x, x}, kTokens);
  const ValueId cube = m.node("cube", "Mul", {x, square}, kTokens);
  const ValueId small = m.node("small", "Mul", {m.number(0.044715), cube}, kTokens);
  const ValueId sum = m.node("sum", "Add", {x, small}, kTokens);
  const ValueId inner = m.node("inner", "Mul", {m.number(0.79788456), sum}, kTokens);
  const ValueId tanh = m.node("tanh", "Tanh", {inner}, kTokens);
  const ValueId one = m.node("one", "Add", {m.number(1), tanh}, kTokens);
  const ValueId product = m.node("product", "Mul", {x, one}, kTokens);
  m.output(m.node("y", "Mul", {m.number(0.5), product}, kTokens));
  CHECK(types_of(recognised_patterns(m.graph())) == Types{"Gelu"});
}

TEST_CASE("patterns: a program's own GELU formula is run piece by piece") {
  SmallModel m;
  const ValueId x = m.input("x", kTokens);
  const ValueId half = m.node("half", "Mul", {x, m.number(0.5)}, kTokens);
  const ValueId inner = m.node("inner", "Mul", {x, m.number(0.70710678)}, kTokens);
  const ValueId erf = m.node("erf", "Erf", {inner}, kTokens);
  const ValueId one = m.node("one", "Add", {erf, m.number(1)}, kTokens);
  m.output(m.node("y", "Mul", {half, one}, kTokens));
  CHECK(recognised_patterns(m.graph()).recognised.empty());
}

TEST_CASE("patterns: a gated linear unit") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 3, 16});
  const auto parts =
      m.node_with_results("part", "Split", {x}, {kTokens, kTokens}, {{"axis", std::int64_t{-1}}});
  const ValueId gate = m.node("gate", "Sigmoid", {parts[1]}, kTokens);
  m.output(m.node("y", "Mul", {parts[0], gate}, kTokens));
  CHECK(types_of(recognised_patterns(m.graph())) == Types{"Glu"});
}

TEST_CASE("patterns: parts of a packed projection are weights of linear layers") {
  SmallModel m;
  const ValueId x = m.input("x", kTokens);
  const ValueId packed = m.parameter("packed", {24, 8});
  const ValueId biases = m.parameter("biases", {24});
  const auto weights =
      m.node_with_results("w", "Split", {packed}, {{8, 8}, {16, 8}}, {{"axis", std::int64_t{0}}});
  const auto shifts =
      m.node_with_results("b", "Split", {biases}, {{8}, {16}}, {{"axis", std::int64_t{0}}});
  const ValueId turned = m.node("turned", "Transpose", {weights[0]}, {8, 8});
  const ValueId product = m.node("p", "MatMul", {x, turned}, kTokens);
  m.output(m.node("y", "Add", {product, shifts[0]}, kTokens));
  const Recognition found = recognised_patterns(m.graph());
  REQUIRE(found.recognised.size() == 1);
  CHECK(found.recognised[0].pattern == "Linear");
}

TEST_CASE("patterns: gates of the same input and no others") {
  const auto types = [](const std::string& gate, bool same) {
    SmallModel m;
    const ValueId x = m.input("x", kTokens);
    const ValueId other = m.input("other", kTokens);
    const ValueId g = m.node("gate", gate, {x}, kTokens);
    m.output(m.node("y", "Mul", {same ? x : other, g}, kTokens));
    return types_of(recognised_patterns(m.graph()));
  };
  CHECK(types("Sigmoid", true) == Types{"Silu"});
  CHECK(types("HardSigmoid", true) == Types{"HardSwish"});
  CHECK(types("Sigmoid", false) == Types{"Sigmoid", "Mul"});
}

TEST_CASE("patterns: group normalisation by way of instance normalisation") {
  SmallModel m;
  const Shape image = {2, 8, 4, 4};
  const ValueId x = m.input("x", image);
  const ValueId grouped = m.node("grouped", "Reshape", {x, m.integers({0, 2, -1})}, {2, 2, 64});
  const ValueId unit =
      m.node("unit", "InstanceNormalization", {grouped, m.number(1), m.number(0)}, {2, 2, 64});
  const ValueId back = m.node("back", "Reshape", {unit, m.integers({2, 8, 4, 4})}, image);
  const ValueId scaled = m.node("scaled", "Mul", {back, m.parameter("scale", {8, 1, 1})}, image);
  m.output(m.node("y", "Add", {scaled, m.parameter("shift", {8, 1, 1})}, image));
  const Recognition found = recognised_patterns(m.graph());
  CHECK(types_of(found) == Types{"GroupNormalization"});
  CHECK(std::get<std::int64_t>(found.model.nodes[0].attributes.at("num_groups")) == 2);
}

TEST_CASE("patterns: a product and its bias are one linear layer") {
  SmallModel m;
  const ValueId x = m.input("x", kTokens);
  const ValueId product = m.node("p", "MatMul", {x, m.parameter("w", {8, 4})}, {2, 3, 4});
  m.output(m.node("y", "Add", {product, m.parameter("b", {4})}, {2, 3, 4}));
  CHECK(types_of(recognised_patterns(m.graph())) == Types{"Linear"});
}

TEST_CASE("matches_pattern: stars and question marks") {
  CHECK(matches_pattern("layer1.conv.weight", "layer1.*"));
  CHECK(matches_pattern("layer1.conv.weight", "*.weight"));
  CHECK(matches_pattern("layer1", "layer?"));
  CHECK(matches_pattern("", "*"));
  CHECK(matches_pattern("abcabc", "*abc"));
  CHECK_FALSE(matches_pattern("layer1.conv.weight", "layer1"));
  CHECK_FALSE(matches_pattern("layer12", "layer?"));
  CHECK_FALSE(matches_pattern("", "?"));
}

}  // namespace paretrain::tests
