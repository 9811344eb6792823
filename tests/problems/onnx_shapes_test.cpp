#include "problems/onnx_shapes.h"

#include "tests/problems/onnx_facts_of.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using List = std::vector<std::int64_t>;

std::vector<Shape> shapes(const WrittenNodeFacts& node) {
  const auto outputs = problems::output_facts(node.facts());
  REQUIRE(outputs.has_value());
  std::vector<Shape> result;
  for (const auto& output : *outputs)
    result.push_back(output.shape);
  return result;
}

Shape shape(const WrittenNodeFacts& node) {
  return shapes(node)[0];
}

std::string fault(const WrittenNodeFacts& node) {
  try {
    static_cast<void>(problems::output_facts(node.facts()));
  } catch (const problems::ShapeFault& found) {
    return found.what;
  }
  return "none";
}

WrittenNodeFacts conv(Shape input, Shape weight) {
  WrittenNodeFacts node("Conv");
  node.operand(std::move(input)).operand(std::move(weight));
  return node;
}

TEST_CASE("output_facts: convolutions count windows over padded extents") {
  CHECK(shape(conv({1, 3, 224, 224}, {64, 3, 7, 7})
                  .attribute("strides", List{2, 2})
                  .attribute("pads", List{3, 3, 3, 3})) == Shape{1, 64, 112, 112});
  CHECK(shape(conv({2, 8, 9, 9}, {8, 1, 3, 3})
                  .attribute("group", std::int64_t{8})
                  .attribute("dilations", List{2, 2})) == Shape{2, 8, 5, 5});
  CHECK(shape(conv({1, 4, 10}, {6, 4, 3}).attribute("auto_pad", std::string("SAME_UPPER"))) ==
        Shape{1, 6, 10});
  CHECK(shape(conv({1, 4, 5, 6, 7}, {2, 4, 2, 2, 2})) == Shape{1, 2, 4, 5, 6});
}

TEST_CASE("output_facts: convolutions that make no sense are refused with the reason") {
  CHECK(fault(conv({1, 3, 8, 8}, {4, 3, 3, 3}).attribute("strides", List{0, 1})) ==
        "attribute 'strides' has a 0; expected 1 to 2^30");
  CHECK(fault(conv({1, 4, 8, 8}, {6, 4, 3, 3}).attribute("group", std::int64_t{0})) ==
        "group 0; expected a divisor of the 4 input and 6 output channels");
  CHECK(fault(conv({1, 3, 8, 8}, {4, 3, 9, 9})) ==
        "a window of 9 on an extent of 8, padding included; the result would be empty");
  CHECK(fault(conv({1, 3, 8, 8}, {4, 3, 3, 3}).operand({3})) ==
        "bias of shape 3 for 4 output channels");
}

TEST_CASE("output_facts: transposed convolutions grow extents by stride and output padding") {
  WrittenNodeFacts node("ConvTranspose");
  node.operand({1, 16, 7, 7}).operand({16, 4, 3, 3});
  node.attribute("strides", List{2, 2}).attribute("pads", List{1, 1, 1, 1});
  CHECK(shape(node) == Shape{1, 4, 13, 13});
  node.attribute("output_padding", List{1, 1}).attribute("group", std::int64_t{2});
  CHECK(shape(node) == Shape{1, 8, 14, 14});
}

TEST_CASE("output_facts: pools round as asked but start no window in the padding") {
  WrittenNodeFacts node("MaxPool");
  node.operand({1, 2, 6, 6}).attribute("kernel_shape", List{3, 3});
  node.attribute("strides", List{2, 2}).outputs(2);
  CHECK(shapes(node) == std::vector<Shape>{{1, 2, 2, 2}, {1, 2, 2, 2}});
  node.attribute("ceil_mode", std::int64_t{1});
  CHECK(shape(node) == Shape{1, 2, 3, 3});
  WrittenNodeFacts edge("AveragePool");
  edge.operand({1, 1, 2, 2}).attribute("kernel_shape", List{1, 1});
  edge.attribute("strides", List{2, 2}).attribute("pads", List{0, 0, 1, 1});
  edge.attribute("ceil_mode", std::int64_t{1});
  CHECK(shape(edge) == Shape{1, 1, 2, 2});
}

TEST_CASE("output_facts: reshapes copy extents and fill one open one") {
  WrittenNodeFacts node("Reshape");
  node.operand({2, 3, 4}).integers({0, -1});
  CHECK(shape(node) == Shape{2, 12});
  WrittenNodeFacts wrong("Reshape");
  wrong.operand({2, 3, 4}).integers({5, -1});
  CHECK(fault(wrong) == "cannot be brought from 2x3x4 to 5x-1");
  WrittenNodeFacts twice("Reshape");
  twice.operand({2, 3}).integers({-1, -1});
  CHECK(fault(twice) == "target -1x-1; expected extents, 0, and at most one -1");
  WrittenNodeFacts open("Reshape");
  open.operand({2, 3}).operand({1}, ElementType::Int64);
  CHECK(fault(open) ==
        "input 1 ('x2') decides about a shape but is not known before the network runs");
}

TEST_CASE("output_facts: slices clamp positions beyond the ends") {
  WrittenNodeFacts node("Slice");
  node.operand({10, 4}).integers({-3, 1}).integers({INT64_MAX, 100}).integers({0, -1});
  CHECK(shape(node) == Shape{3, 3});
  WrittenNodeFacts backwards("Slice");
  backwards.operand({10}).integers({-1}).integers({INT64_MIN}).integers({0}).integers({-2});
  CHECK(shape(backwards) == Shape{5});
}

TEST_CASE("output_facts: products broadcast leading axes and check inner ones") {
  WrittenNodeFacts node("MatMul");
  node.operand({8, 1, 5, 6}).operand({3, 6, 7});
  CHECK(shape(node) == Shape{8, 3, 5, 7});
  WrittenNodeFacts vector("MatMul");
  vector.operand({6}).operand({6});
  CHECK(shape(vector) == Shape{});
  WrittenNodeFacts wrong("MatMul");
  wrong.operand({2, 4}).operand({5, 2});
  CHECK(fault(wrong) == "multiplies 2x4 by 5x2; the inner extents differ");
  WrittenNodeFacts gemm("Gemm");
  gemm.operand({4, 2}).operand({3, 4}).operand({3});
  gemm.attribute("transA", std::int64_t{1}).attribute("transB", std::int64_t{1});
  CHECK(shape(gemm) == Shape{2, 3});
}

TEST_CASE("output_facts: einsum equations bind letters to extents") {
  WrittenNodeFacts scores("Einsum");
  scores.operand({2, 8, 5, 64}).operand({2, 8, 7, 64});
  scores.attribute("equation", std::string("bhqd, bhkd -> bhqk"));
  CHECK(shape(scores) == Shape{2, 8, 5, 7});
  WrittenNodeFacts dots("Einsum");
  dots.operand({3, 2, 5, 4}).operand({4, 6}).attribute("equation", std::string("...ij,jk->...ik"));
  CHECK(shape(dots) == Shape{3, 2, 5, 6});
  WrittenNodeFacts implied("Einsum");
  implied.operand({3, 4}).operand({4, 5}).attribute("equation", std::string("ij,jk"));
  CHECK(shape(implied) == Shape{3, 5});
  WrittenNodeFacts wrong("Einsum");
  wrong.operand({3}).attribute("equation", std::string("i>j"));
  CHECK(fault(wrong) == "equation 'i>j' is malformed");
}

TEST_CASE("output_facts: recurrent layers give all steps and last states") {
  WrittenNodeFacts node("LSTM");
  node.operand({7, 2, 3}).operand({2, 20, 3}).operand({2, 20, 5});
  node.attribute("hidden_size", std::int64_t{5});
  node.attribute("direction", std::string("bidirectional")).outputs(3);
  CHECK(shapes(node) == std::vector<Shape>{{7, 2, 2, 5}, {2, 2, 5}, {2, 2, 5}});
}

TEST_CASE("output_facts: layout operators") {
  CHECK(shape(WrittenNodeFacts("Transpose").operand({2, 3, 4}).attribute("perm", List{2, 0, 1})) ==
        Shape{4, 2, 3});
  CHECK(shape(WrittenNodeFacts("Expand").operand({3, 1}).integers({2, 1, 4})) == Shape{2, 3, 4});
  CHECK(shape(WrittenNodeFacts("Unsqueeze").operand({3, 4}).integers({0, -1})) ==
        Shape{1, 3, 4, 1});
  CHECK(shape(WrittenNodeFacts("Squeeze").operand({1, 3, 1})) == Shape{3});
  CHECK(shape(WrittenNodeFacts("Pad").operand({1, 2}).integers({0, 1, 0, 3})) == Shape{1, 6});
  CHECK(shape(WrittenNodeFacts("Flatten").operand({2, 3, 4})) == Shape{2, 12});
  CHECK(shapes(WrittenNodeFacts("Split")
                   .operand({2, 7})
                   .attribute("axis", std::int64_t{1})
                   .outputs(3)) == std::vector<Shape>{{2, 3}, {2, 3}, {2, 1}});
  CHECK(shape(WrittenNodeFacts("Concat").operand({2, 3}).operand({2, 5}).attribute(
            "axis", std::int64_t{-1})) == Shape{2, 8});
  CHECK(
      shape(
          WrittenNodeFacts("Resize").operand({1, 3, 5, 5}).omitted().reals({4}, {1, 1, 2, 2.5})) ==
      Shape{1, 3, 10, 12});
}

TEST_CASE("output_facts: axes move from attributes to inputs between opsets") {
  CHECK(shape(WrittenNodeFacts("ReduceSum", 11)
                  .operand({2, 3, 4})
                  .attribute("axes", List{1})
                  .attribute("keepdims", std::int64_t{0})) == Shape{2, 4});
  CHECK(shape(WrittenNodeFacts("ReduceSum", 13).operand({2, 3, 4}).integers({-1})) ==
        Shape{2, 3, 1});
  CHECK(shape(WrittenNodeFacts("Squeeze", 11).operand({1, 3}).attribute("axes", List{0})) ==
        Shape{3});
}

TEST_CASE("output_facts: batch normalisation of opset 13 has five outputs") {
  WrittenNodeFacts node("BatchNormalization", 13);
  node.operand({2, 4, 3, 3}).operand({4}).operand({4}).operand({4}).operand({4}).outputs(5);
  CHECK(shapes(node) == std::vector<Shape>{{2, 4, 3, 3}, {4}, {4}, {4}, {4}});
}

TEST_CASE("output_facts: tensors beyond any machine are refused") {
  CHECK(fault(WrittenNodeFacts("Expand").operand({1}).integers({std::int64_t{1} << 62})) ==
        "shape 4611686018427387904 has more than 2^44 elements");
}

TEST_CASE("output_facts: operators without a rule of ours fall back to libonnx") {
  WrittenNodeFacts node("Det");
  node.operand({5, 3, 3});
  const bool has_rule = problems::shape_rule(node.facts().node()) != nullptr;
  CHECK_FALSE(has_rule);
  CHECK(shape(node) == Shape{5});
  WrittenNodeFacts unknown("NoSuchOperator");
  unknown.operand({1});
  CHECK_FALSE(problems::output_facts(unknown.facts()).has_value());
}

}  // namespace

}  // namespace paretrain::tests
