#include "evaluator/group/tile_costs.h"

#include <vector>

#include "problems/builtin_accelerators.h"
#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;
using paretrain::tests::SmallGraph;

TEST_CASE("cost: of a tile depends on its loops and not on the cuts that led there") {
  SmallGraph graph;
  graph.convolution(graph.tensor("x", {1, 24, 20, 20}, StorageRole::Input), 24, 3, 1);
  Operator& op = graph.graph().operators[0];
  op.writes[0].accumulates = true;  // old values pass beside the nest
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  const Chip chip(accelerator, CostModel::Corrected);
  const CoreCostOptions options{CostModel::Corrected, Objective::Latency, 6};
  const auto fresh = [&](const std::vector<LoopCount>& counts) {
    TileCosts costs(chip, options, 16);
    const auto cost = costs.cost({&op, 0}, CoreId(0), counts);
    REQUIRE(cost);
    return *cost;
  };
  const TileCost once = fresh({{Loop::K, 5}, {Loop::OY, 7}});
  const std::vector<std::vector<LoopCount>> ways = {
      {{Loop::OY, 7}, {Loop::K, 5}},
      {{Loop::K, 12}, {Loop::OY, 7}, {Loop::K, 5}},
      {{Loop::OX, 20}, {Loop::OY, 7}, {Loop::OY, 9}, {Loop::K, 5}}};
  for (const auto& counts : ways) {
    const TileCost other = fresh(counts);
    CHECK(other.cycles == once.cycles);
    CHECK(other.compute_pj == once.compute_pj);
    CHECK(other.on_chip_pj == once.on_chip_pj);
  }
}
