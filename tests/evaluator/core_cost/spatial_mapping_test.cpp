#include "evaluator/core_cost/spatial_mapping.h"

#include "evaluator/hardware/core_kind.h"
#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

using evaluator::Core;
using evaluator::CostModel;
using evaluator::Dataflow;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::NestOperand;
using evaluator::SpatialMapping;
using evaluator::UnrollFactor;

namespace {

// An array without memories: nothing but its axes bounds the unrolling.
Core bare_array(std::vector<std::int64_t> sizes) {
  Core core;
  core.array.sizes = std::move(sizes);
  core.dataflow.resize(core.array.sizes.size());
  core.kind = evaluator::core_kind(core);
  return core;
}

SpatialMapping only_mapping(const Core& core, const LoopNest& nest, const Dataflow& dataflow) {
  const auto mappings = evaluator::spatial_mappings(core, nest, dataflow, {});
  REQUIRE(std::holds_alternative<std::vector<SpatialMapping>>(mappings));
  return std::get<0>(mappings).front();
}

std::vector<UnrollFactor> unroll(Loop loop, double factor) {
  return {{loop, factor}};
}

}  // namespace

TEST_CASE("spatial_mappings: rounds a factor that does not divide its loop") {
  // 1000 over 32 units takes 32 steps, so 31.25 units work on average and 31 always.
  const auto mapping = only_mapping(bare_array({32, 32}),
                                    matrix_product(1, 512, 1000),
                                    {unroll(Loop::K, 32), unroll(Loop::C, 32)});
  REQUIRE(mapping.loops.size() == 2);
  CHECK(mapping.loops[0].fractional == 31.25);
  CHECK(mapping.loops[0].whole == 31);
  CHECK(mapping.loops[1].fractional == 32);
  CHECK(mapping.temporal[static_cast<std::size_t>(Loop::K)] == 32);
  CHECK(mapping.temporal[static_cast<std::size_t>(Loop::C)] == 16);
}

TEST_CASE("spatial_mappings: reduces factors to the loop and drops loops of one step") {
  const auto mapping = only_mapping(
      bare_array({32, 32}), matrix_product(4, 1, 24), {unroll(Loop::K, 32), unroll(Loop::C, 32)});
  REQUIRE(mapping.loops.size() == 1);
  CHECK(mapping.loops[0].fractional == 24);
  CHECK(mapping.requested[1]->empty());
}

TEST_CASE("spatial_mappings: a loop on two axes is rounded on the wider one") {
  const auto mapping = only_mapping(
      bare_array({4, 3}), matrix_product(1, 1, 10), {unroll(Loop::K, 4), unroll(Loop::K, 3)});
  // 10 over 12 units is one step; the wider axis runs 10 / 3 on average.
  CHECK(mapping.temporal[static_cast<std::size_t>(Loop::K)] == 1);
  CHECK(mapping.loops[0].fractional == doctest::Approx(10.0 / 3));
  CHECK(mapping.loops[0].whole == 3);
  CHECK(mapping.loops[1].fractional == 3);
}

TEST_CASE("spatial_mappings: an open axis takes the loops that use it best") {
  const auto mappings =
      evaluator::spatial_mappings(bare_array({8}), matrix_product(3, 5, 16), {std::nullopt}, {});
  const auto& list = std::get<std::vector<SpatialMapping>>(mappings);
  REQUIRE(list.size() == 3);
  REQUIRE(list[0].loops.size() == 1);
  CHECK(list[0].loops[0].loop == Loop::K);
  CHECK(list[0].loops[0].fractional == 8);
}

TEST_CASE("spatial_mappings: a narrow port limits units in the zigzag model only") {
  const LoopNest nest = matrix_product(4, 1, 64);
  Core core = two_lanes();
  core.array.sizes = {64};
  core.memories.erase(core.memories.begin());  // now the buffer is the innermost memory
  evaluator::CoreCostOptions options;
  options.model = CostModel::Zigzag;
  const Dataflow wish = {unroll(Loop::K, 64)};
  const auto limited = evaluator::spatial_mappings(core, nest, wish, options);
  // 16-bit partial sums over a 16-bit port: one unit.
  CHECK(std::get<0>(limited).front().temporal[static_cast<std::size_t>(Loop::K)] == 64);
  options.model = CostModel::Corrected;
  const auto free = evaluator::spatial_mappings(core, nest, wish, options);
  CHECK(std::get<0>(free).front().temporal[static_cast<std::size_t>(Loop::K)] == 1);
}

TEST_CASE("default_dataflow: a vector core fills idle lanes with the innermost loops") {
  Core core = bare_array({64});
  core.dataflow = {unroll(Loop::K, 64)};
  LoopNest nest;
  nest.size(Loop::OY) = 7;
  nest.size(Loop::OX) = 28;
  for (const NestOperand operand : {NestOperand::O, NestOperand::I})
    nest.operand(operand) = {{Loop::OY, 1, false, Loop::FY, 1, 7},
                             {Loop::OX, 1, false, Loop::FX, 1, 28}};
  const Dataflow corrected = evaluator::default_dataflow(core, nest, CostModel::Corrected);
  REQUIRE(corrected[0]->size() == 2);
  CHECK((*corrected[0])[0].loop == Loop::OX);
  CHECK((*corrected[0])[0].factor == 28);
  CHECK((*corrected[0])[1].loop == Loop::OY);
  CHECK((*corrected[0])[1].factor == 2);
  const Dataflow plain = evaluator::default_dataflow(core, nest, CostModel::Zigzag);
  CHECK((*plain[0])[0].loop == Loop::K);
}

}  // namespace paretrain::tests
