#include "evaluator/core_cost/tile_extent.h"

#include <set>

#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

using evaluator::CostModel;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::LoopRole;
using evaluator::NestOperand;

namespace {

LoopNest windowed(std::int64_t stride, std::int64_t dilation, std::int64_t extent) {
  LoopNest nest;
  nest.operand(NestOperand::I) = {{Loop::OX, stride, true, Loop::FX, dilation, extent}};
  return nest;
}

double window_size(const LoopNest& nest, CostModel model, double first, double second) {
  return operand_indexing(nest, NestOperand::I, model).windows[0].size(first, second);
}

// Distinct values of stride * a + dilation * b by counting.
double counted(std::int64_t stride, std::int64_t dilation, std::int64_t a, std::int64_t b) {
  std::set<std::int64_t> values;
  for (std::int64_t i = 0; i < a; ++i) {
    for (std::int64_t j = 0; j < b; ++j)
      values.insert(stride * i + dilation * j);
  }
  return static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("Window::size: counts distinct indices") {
  for (std::int64_t stride = 1; stride <= 4; ++stride) {
    for (std::int64_t dilation = 1; dilation <= 4; ++dilation) {
      const LoopNest nest = windowed(stride, dilation, 1000);
      for (std::int64_t a = 1; a <= 9; ++a) {
        for (std::int64_t b = 1; b <= 9; ++b) {
          INFO("stride " << stride << " dilation " << dilation << " a " << a << " b " << b);
          CHECK(window_size(
                    nest, CostModel::Corrected, static_cast<double>(a), static_cast<double>(b)) ==
                counted(stride, dilation, a, b));
        }
      }
    }
  }
}

TEST_CASE("Window::size: is clipped to the real extent") {
  CHECK(window_size(windowed(1, 1, 56), CostModel::Corrected, 56, 3) == 56);
  CHECK(window_size(windowed(2, 1, 224), CostModel::Corrected, 112, 7) == 224);
}

TEST_CASE("Window::size: exceeds the product for dilation in the zigzag model") {
  CHECK(window_size(windowed(1, 2, 1000), CostModel::Zigzag, 1, 28) == 55);
  CHECK(window_size(windowed(1, 2, 1000), CostModel::Corrected, 1, 28) == 28);
}

TEST_CASE("operand_indexing: tells direct and windowed and irrelevant loops") {
  const auto indexing =
      operand_indexing(convolution(4, 2, 5), NestOperand::I, CostModel::Corrected);
  CHECK(indexing.role(Loop::C) == LoopRole::Relevant);
  CHECK(indexing.role(Loop::K) == LoopRole::Irrelevant);
  CHECK(indexing.role(Loop::OY) == LoopRole::FirstOfWindow0);
  CHECK(indexing.role(Loop::FX) == LoopRole::SecondOfWindow1);
}

}  // namespace paretrain::tests
