#include "evaluator/group/stream_layers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "evaluator/graph/nests.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;

namespace {

OperandView view(std::size_t storage, const Shape& shape) {
  return {StorageId(storage), shape, contiguous_strides(shape), 8};
}

Operator elementwise(const Shape& shape, NestLayout layout) {
  Operator op;
  op.type = "Relu";
  op.operator_class = OperatorClass::Elementwise;
  op.nest = pointwise_nest({shape, layout, {view(0, shape)}, {view(1, shape)}, 16}).nest;
  return op;
}

// Loops of more than one step, in the order of the enumeration.
std::vector<std::pair<Loop, std::int64_t>> loops_of(const LoopNest& nest) {
  std::vector<std::pair<Loop, std::int64_t>> loops;
  for (std::size_t l = 0; l < kLoopCount; ++l)
    if (nest.sizes[l] > 1) loops.emplace_back(static_cast<Loop>(l), nest.sizes[l]);
  return loops;
}

using Loops = std::vector<std::pair<Loop, std::int64_t>>;

LoopNest only_layer(const Operator& op) {
  const auto layers = stream_layers(op, op.nest);
  REQUIRE(layers.size() == 1);
  return layers.front();
}

}  // namespace

TEST_CASE("stream_layers: axes are called B, H, D, K by their place") {
  CHECK(loops_of(only_layer(elementwise({5}, NestLayout::Tokens))) == Loops{{Loop::B, 5}});
  CHECK(loops_of(only_layer(elementwise({5, 7}, NestLayout::Weights))) ==
        Loops{{Loop::B, 5}, {Loop::H, 7}});
  CHECK(loops_of(only_layer(elementwise({1, 6, 7}, NestLayout::Tokens))) ==
        Loops{{Loop::H, 6}, {Loop::D, 7}});
  CHECK(loops_of(only_layer(elementwise({2, 64, 4, 3}, NestLayout::Image))) ==
        Loops{{Loop::B, 2}, {Loop::K, 3}, {Loop::H, 64}, {Loop::D, 4}});
}

TEST_CASE("stream_layers: operands are indexed by the new names") {
  const LoopNest nest = only_layer(elementwise({2, 64, 4, 3}, NestLayout::Image));
  for (const NestOperand operand : {NestOperand::O, NestOperand::I}) {
    std::vector<Loop> loops;
    for (const AxisIndex& axis : nest.operand(operand))
      loops.push_back(axis.first);
    CHECK(loops == std::vector<Loop>{Loop::B, Loop::H, Loop::D, Loop::K});
  }
}

TEST_CASE("stream_layers: a missing second input is one number") {
  const LoopNest nest = only_layer(elementwise({2, 64, 4, 3}, NestLayout::Image));
  REQUIRE(nest.operand(NestOperand::W).size() == 1);
  CHECK(nest.size(nest.operand(NestOperand::W).front().first) == 1);
  CHECK(nest.bits.weight == 8);
}

TEST_CASE("stream_layers: a reduction calls its last axis C and the one before it K") {
  Operator op;
  op.type = "ReduceSum";
  op.operator_class = OperatorClass::Reduction;
  const Shape shape = {4, 6, 7};
  const Shape result = {1, 1, 7};
  op.nest =
      pointwise_nest({shape, NestLayout::Tokens, {view(0, shape)}, {view(1, result)}, 16}).nest;
  const LoopNest nest = only_layer(op);
  CHECK(loops_of(nest) == Loops{{Loop::B, 4}, {Loop::K, 6}, {Loop::C, 7}});
  CHECK(std::ranges::any_of(nest.operand(NestOperand::O),
                            [](const AxisIndex& axis) { return axis.first == Loop::C; }));
}

TEST_CASE("stream_layers: a softmax is a maximum, an exponential, a sum and a division") {
  Operator op = elementwise({4, 6, 8}, NestLayout::Tokens);
  op.type = "Softmax";
  const auto layers = stream_layers(op, op.nest);
  REQUIRE(layers.size() == 4);
  for (const LoopNest& layer : layers)
    CHECK(loops_of(layer) == Loops{{Loop::B, 4}, {Loop::H, 6}, {Loop::D, 8}});
  for (const std::size_t row : {0U, 2U})
    CHECK(layers[row].operand(NestOperand::O).size() == 2);
  for (const std::size_t whole : {1U, 3U}) {
    CHECK(layers[whole].operand(NestOperand::O).size() == 3);
    CHECK(layers[whole].operand(NestOperand::W).size() == 2);
  }
  CHECK(layers[1].cycles_per_operation == 4);
  CHECK(layers[3].cycles_per_operation == 1);
}

TEST_CASE("stream_layers: the window of a pooling has names that pooling cores do not unroll") {
  Operator op;
  op.type = "MaxPool";
  op.operator_class = OperatorClass::Pooling;
  Window window;
  window.kernel = {3, 2};
  window.stride = {2, 2};
  window.dilation = {1, 1};
  window.pad_begin = {0, 0};
  op.nest = pooling_nest({view(0, {1, 8, 9, 8}), view(1, {1, 8, 4, 4}), std::nullopt, window}).nest;
  const LoopNest nest = only_layer(op);
  CHECK(nest.size(Loop::FY) == 1);
  CHECK(nest.size(Loop::FX) == 1);
  CHECK(nest.size(Loop::H) == 3);
  CHECK(nest.size(Loop::D) == 2);
  CHECK(nest.operations() == op.nest.operations());
}

TEST_CASE("is_free_in_stream: data movement and what is not modelled") {
  Operator op = elementwise({5, 7}, NestLayout::Weights);
  CHECK_FALSE(is_free_in_stream(op));
  op.type = "Sum";
  CHECK(is_free_in_stream(op));
  op.type = "Reshape";
  op.operator_class = OperatorClass::DataMovement;
  CHECK(is_free_in_stream(op));
}
