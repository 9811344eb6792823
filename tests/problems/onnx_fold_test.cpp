#include "problems/onnx_fold.h"

#include "problems/onnx_shapes.h"
#include "tests/problems/onnx_facts_of.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using List = std::vector<std::int64_t>;

evaluator::ConstantNumbers folded(const WrittenNodeFacts& node) {
  const auto outputs = problems::output_facts(node.facts());
  REQUIRE(outputs.has_value());
  const auto numbers = problems::folded_numbers(node.facts(), (*outputs)[0]);
  REQUIRE(numbers.has_value());
  return *numbers;
}

List integers(const WrittenNodeFacts& node) {
  return folded(node).integers;
}

TEST_CASE("folded_numbers: a shape chain gives the target of a reshape") {
  CHECK(integers(WrittenNodeFacts("Shape").operand({5, 3, 2})) == List{5, 3, 2});
  CHECK(integers(WrittenNodeFacts("Shape").operand({5, 3, 2}).attribute(
            "start", std::int64_t{-2})) == List{3, 2});
  CHECK(integers(WrittenNodeFacts("Gather").integers({5, 3, 2}).constant({}, {-1})) == List{2});
  CHECK(integers(WrittenNodeFacts("Concat").integers({1}).integers({7, 8}).attribute(
            "axis", std::int64_t{0})) == List{1, 7, 8});
  CHECK(integers(WrittenNodeFacts("Slice").integers({4, 5, 6, 7}).integers({1}).integers({3})) ==
        List{5, 6});
  CHECK(integers(WrittenNodeFacts("Size").operand({5, 3, 2})) == List{30});
}

// Exporters reverse the pairs of a padding in this way.
TEST_CASE("folded_numbers: slices of tables keep their rows in any direction") {
  const WrittenNodeFacts reversed = WrittenNodeFacts("Slice")
                                        .constant({3, 2}, {1, 2, 3, 4, 5, 6})
                                        .integers({-1})
                                        .integers({-INT64_MAX})
                                        .integers({0})
                                        .integers({-1});
  CHECK(integers(reversed) == List{5, 6, 3, 4, 1, 2});
  const WrittenNodeFacts corner = WrittenNodeFacts("Slice")
                                      .constant({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
                                      .integers({1, 0})
                                      .integers({9, 3})
                                      .integers({0, -1})
                                      .integers({1, 2});
  CHECK(integers(corner) == List{4, 6, 7, 9});
  const WrittenNodeFacts nothing =
      WrittenNodeFacts("Slice").constant({2, 2}, {1, 2, 3, 4}).integers({2}).integers({2});
  CHECK(integers(nothing).empty());
}

TEST_CASE("folded_numbers: integer arithmetic truncates and broadcasts") {
  CHECK(integers(WrittenNodeFacts("Div").integers({7, -7}).constant({}, {2})) == List{3, -3});
  CHECK(integers(WrittenNodeFacts("Mod").integers({7, -7}).constant({}, {4})) == List{3, 1});
  CHECK(integers(WrittenNodeFacts("Mul").constant({2, 1}, {2, 3}).constant({2}, {5, 7})) ==
        List{10, 14, 15, 21});
  CHECK(integers(WrittenNodeFacts("Equal").integers({1, -1}).constant({}, {-1})) == List{0, 1});
  CHECK(integers(WrittenNodeFacts("Where").integers({0, 1}).integers({5, 6}).integers({7, 8})) ==
        List{7, 6});
}

TEST_CASE("folded_numbers: ranges and filled tensors are counted out") {
  CHECK(integers(WrittenNodeFacts("Range").constant({}, {2}).constant({}, {9}).constant({}, {3})) ==
        List{2, 5, 8});
  CHECK(folded(WrittenNodeFacts("ConstantOfShape").integers({2, 2})).floats ==
        std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("folded_numbers: casts between floats and integers") {
  CHECK(
      integers(WrittenNodeFacts("Cast").reals({2}, {2.9, -1.5}).attribute("to", std::int64_t{7})) ==
      List{2, -1});
  CHECK(folded(WrittenNodeFacts("Cast").integers({3}).attribute("to", std::int64_t{1})).floats ==
        std::vector<double>{3.0});
}

TEST_CASE("folded_numbers: transposes and expansions move numbers along") {
  CHECK(integers(WrittenNodeFacts("Transpose").constant({2, 3}, {1, 2, 3, 4, 5, 6})) ==
        List{1, 4, 2, 5, 3, 6});
  CHECK(integers(WrittenNodeFacts("Expand").constant({2, 1}, {1, 2}).integers({2, 3})) ==
        List{1, 1, 1, 2, 2, 2});
}

TEST_CASE("folded_numbers: what is not known or too large stays unknown") {
  const WrittenNodeFacts open =
      WrittenNodeFacts("Add").operand({1}, ElementType::Int64).integers({1});
  CHECK_FALSE(problems::folded_numbers(open.facts(), problems::facts(ElementType::Int64, {1})));
  const WrittenNodeFacts large = WrittenNodeFacts("ConstantOfShape").integers({1 << 20, 1 << 20});
  CHECK_FALSE(problems::folded_numbers(large.facts(),
                                       problems::facts(ElementType::Float32, {1 << 20, 1 << 20})));
}

TEST_CASE("folded_numbers: division by zero and overflow are faults") {
  const WrittenNodeFacts zero = WrittenNodeFacts("Div").integers({7}).integers({0});
  const auto output = problems::facts(ElementType::Int64, {1});
  CHECK_THROWS_AS(static_cast<void>(problems::folded_numbers(zero.facts(), output)),
                  problems::ShapeFault);
  const WrittenNodeFacts huge = WrittenNodeFacts("Add").integers({INT64_MAX}).integers({1});
  CHECK_THROWS_AS(static_cast<void>(problems::folded_numbers(huge.facts(), output)),
                  problems::ShapeFault);
}

}  // namespace

}  // namespace paretrain::tests
