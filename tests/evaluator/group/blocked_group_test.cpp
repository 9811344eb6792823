#include "evaluator/group/blocked_group.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/fused_outline.h"
#include "evaluator/group/group_simulator.h"
#include "evaluator/group/tile_costs.h"
#include "problems/builtin_accelerators.h"
#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;
using paretrain::tests::GroupOf;
using paretrain::tests::SmallGraph;

namespace {

GroupShape shape_of(const SmallGraph& graph, std::size_t last) {
  return group_shape(graph.graph(), GroupOf(graph.graph(), 0, last).content());
}

// Convolution and relu.
SmallGraph convolved(std::int64_t batch, std::int64_t channels, std::int64_t kernel = 3) {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {batch, channels, 16, 16}, StorageRole::Input);
  graph.relu(graph.convolution(x, channels, kernel, 1));
  return graph;
}

SmallGraph two_relus(std::int64_t batch) {
  SmallGraph graph;
  graph.relu(graph.relu(graph.tensor("x", {batch, 8, 16, 16}, StorageRole::Input)));
  return graph;
}

const GroupTensor& fetched(const GroupShape& shape, std::int64_t bytes) {
  const auto found = std::ranges::find(shape.tensors, bytes, &GroupTensor::fetch_bytes);
  REQUIRE(found != shape.tensors.end());
  return *found;
}

// Costs given ways on one accelerator. Contents are numbered by operator: one graph an instance.
struct Costing {
  explicit Costing(const char* name)
      : accelerator(*builtin_accelerator(name)),
        chip(accelerator, CostModel::Corrected),
        costs(chip, CoreCostOptions{CostModel::Corrected, Objective::Latency, 6}, 4096) {}

  [[nodiscard]] FusedWay way(const GroupShape& group, std::int64_t tiles) const {
    FusedWay result;
    result.axis = tile_axes(group).back();
    for (const GroupMember& member : group.members) {
      const bool matrix = member.op->operator_class == OperatorClass::Matrix;
      result.cores.emplace_back(matrix ? array : vector);
      result.contents.push_back(static_cast<std::uint32_t>(member.index));
    }
    result.tiles = tiles;
    result.depth = PipelineDepth::InTurn;
    return result;
  }

  [[nodiscard]] CoreId first_core(CoreKind kind) const {
    for (std::size_t c = 0; c < accelerator.cores.size(); ++c)
      if (accelerator.cores[c].kind == kind) return CoreId(c);
    return CoreId(0);
  }

  Accelerator accelerator;
  Chip chip;
  TileCosts costs;
  std::vector<CoreId> array{first_core(CoreKind::Array)};
  std::vector<CoreId> vector{first_core(CoreKind::Vector)};
};

}  // namespace

TEST_CASE("blocked_group: a block of a batch has its share of images and all weights") {
  const SmallGraph graph = convolved(2, 8);
  const GroupShape group = shape_of(graph, 1);
  const std::vector<BlockCut> cuts = {{{{Loop::B, Loop::B}}, 2}};
  const auto block = blocked_group(group, cuts);
  REQUIRE(block);
  CHECK(block->shape.blocks == 2);
  CHECK(block->operators[0].nest.size(Loop::B) == 1);
  CHECK(block->shape.members[0].whole->nest.size(Loop::B) == 2);
  CHECK(fetched(block->shape, 8 * 16 * 16).parted);
  CHECK_FALSE(fetched(block->shape, 8 * 8 * 9).parted);
  CHECK(block->shape.members[0].writes.front().access->bytes.number() == 8 * 16 * 16);
  CHECK(block->shape.tensors.back().store_bytes == 8 * 16 * 16);
}

TEST_CASE("blocked_group: loops that are not parted equally make no blocks") {
  const SmallGraph graph = convolved(3, 8);
  const std::vector<BlockCut> cuts = {{{{Loop::B, Loop::B}}, 2}};
  CHECK_FALSE(blocked_group(shape_of(graph, 1), cuts));
}

TEST_CASE("blocked_group: rows under a window make no blocks") {
  const SmallGraph graph = convolved(1, 8);
  const std::vector<BlockCut> cuts = {{{{Loop::OY, Loop::OY}}, 2}};
  CHECK_FALSE(blocked_group(shape_of(graph, 1), cuts));
}

TEST_CASE("block_cuts: one sample of odd channels has none and a batch is halved") {
  CHECK(block_cuts(shape_of(convolved(1, 7), 1)).empty());
  const SmallGraph graph = convolved(12, 7);
  std::vector<std::int64_t> parts;
  for (const auto& cuts : block_cuts(shape_of(graph, 1)))
    parts.push_back(cuts.front().parts);
  CHECK(parts == std::vector<std::int64_t>{12, 6, 3});
}

TEST_CASE("block_cuts: a convolution and a relu share channels and two convolutions do not") {
  const SmallGraph graph = convolved(1, 8);
  const auto cuts = block_cuts(shape_of(graph, 1));
  REQUIRE(cuts.size() == 3);
  CHECK(cuts[0].front().axis.loops.front() == Loop::K);
  CHECK(cuts[2].front().parts == 8);
  SmallGraph two;
  const StorageId x = two.tensor("x", {1, 8, 16, 16}, StorageRole::Input);
  two.convolution(two.convolution(x, 8, 3, 1), 8, 3, 1);
  for (const auto& cut : block_cuts(shape_of(two, 1))) {
    const auto block = blocked_group(shape_of(two, 1), cut);
    // The second one would add up over blocks in rows that have left.
    if (block) CHECK(axes_within_blocks(*block, cut).empty());
  }
}

TEST_CASE("fused_outline: two samples one by one take twice what one sample takes") {
  const SmallGraph one = two_relus(1);
  const SmallGraph two = two_relus(2);
  const GroupShape single = shape_of(one, 1);
  const GroupShape pair = shape_of(two, 1);
  const std::vector<BlockCut> cuts = {{{{Loop::B, Loop::B}}, 2}};
  const auto block = blocked_group(pair, cuts);
  REQUIRE(block);
  for (const std::int64_t tiles : {1, 2, 4, 16}) {
    Costing costing_one("edge-tpu-quad");
    Costing costing_two("edge-tpu-quad");
    auto way = costing_one.way(single, tiles);
    auto a = fused_outline(costing_one.chip, costing_one.costs, single, way);
    way = costing_two.way(block->shape, tiles);
    way.blocks = cuts;
    auto b = fused_outline(costing_two.chip, costing_two.costs, block->shape, way);
    REQUIRE(a);
    REQUIRE(b);
    const auto cost_one = costed(costing_one.chip, costing_one.costs, *a);
    const auto cost_two = costed(costing_two.chip, costing_two.costs, *b);
    REQUIRE(cost_one);
    REQUIRE(cost_two);
    CHECK(cost_two->latency == 2 * cost_one->latency);
    CHECK(cost_two->offchip_bytes == 2 * cost_one->offchip_bytes);
    CHECK(cost_two->offchip_bytes == 2 * (2 * 8 * 16 * 16));
    CHECK(cost_two->energy.total() == doctest::Approx(2 * cost_one->energy.total()));
    CHECK(b->tiles == 2 * tiles);
  }
}

TEST_CASE("fused_outline: weights are fetched with the first sample only") {
  const SmallGraph graph = convolved(4, 8);
  const GroupShape group = shape_of(graph, 1);
  const std::vector<BlockCut> cuts = {{{{Loop::B, Loop::B}}, 4}};
  const auto block = blocked_group(group, cuts);
  REQUIRE(block);
  Costing costing("edge-tpu-quad");
  auto way = costing.way(block->shape, 4);
  way.blocks = cuts;
  auto outline = fused_outline(costing.chip, costing.costs, block->shape, way);
  REQUIRE(outline);
  const auto cost = costed(costing.chip, costing.costs, *outline);
  REQUIRE(cost);
  CHECK(cost->offchip_bytes == 4 * (2 * 8 * 16 * 16) + 8 * 8 * 9);
  const auto resources = costing.chip.resource_names().size();
  const std::int64_t first = makespan(outline->stages, resources).cycles;
  CHECK(cost->latency < 4 * first);
  CHECK(cost->latency > 3 * (first - cost->latency / 4));
}

TEST_CASE("fused_outline: channels one part after another read the image again each time") {
  const SmallGraph graph = convolved(1, 8);
  const GroupShape group = shape_of(graph, 1);
  const auto all = block_cuts(group);
  const auto& cuts = all[1];
  REQUIRE(cuts.front().parts == 4);
  const auto block = blocked_group(group, cuts);
  REQUIRE(block);
  Costing costing("edge-tpu-quad");
  auto way = costing.way(block->shape, 4);
  REQUIRE(axes_within_blocks(*block, cuts).size() == 1);
  way.axis = axes_within_blocks(*block, cuts).front();
  way.blocks = cuts;
  auto outline = fused_outline(costing.chip, costing.costs, block->shape, way);
  REQUIRE(outline);
  const auto cost = costed(costing.chip, costing.costs, *outline);
  REQUIRE(cost);
  CHECK(cost->offchip_bytes == 4 * (8 * 16 * 16) + 8 * 16 * 16 + 8 * 8 * 9);
}

TEST_CASE("simulated_group: blocks are played as the model counts them") {
  for (const auto& graph : {convolved(4, 8), convolved(2, 16, 1), two_relus(4)})
    for (const char* name : {"edge-tpu-quad", "fusemax"}) {
      const GroupShape group = shape_of(graph, 1);
      Costing costing(name);
      std::size_t compared = 0;
      for (const auto& cuts : block_cuts(group)) {
        const auto block = blocked_group(group, cuts);
        REQUIRE(block);
        for (const TileAxis& axis : axes_within_blocks(*block, cuts))
          for (const std::int64_t tiles : {1, 4, 16}) {
            auto way = costing.way(block->shape, tiles);
            way.axis = axis;
            way.blocks = cuts;
            auto outline = fused_outline(costing.chip, costing.costs, block->shape, way);
            if (!outline) continue;
            const auto cost = costed(costing.chip, costing.costs, *outline);
            if (!cost) continue;
            const auto played = simulated_group(costing.chip, costing.costs, group, outline->way);
            REQUIRE(played);
            ++compared;
            CHECK(played->offchip_bytes == cost->offchip_bytes);
            CHECK(played->energy.compute == doctest::Approx(cost->energy.compute));
            const Makespan run = makespan_of_blocks(
                outline->stages, costing.chip.resource_names().size(), outline->blocks);
            for (std::size_t r = 0; r < run.busy.size(); ++r) {
              CHECK(cost->latency >= run.busy[r]);
              CHECK(played->latency >= played->busy[r]);
            }
            CHECK(static_cast<double>(played->latency) ==
                  doctest::Approx(static_cast<double>(cost->latency)).epsilon(0.1));
          }
      }
      CHECK(compared > 0);
    }
}

TEST_CASE("is_legal: what no row of all samples fits is fused sample by sample") {
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  // A row of one sample has 63 x 56 words, 14 KiB; of eight samples 110 KiB of 128.
  SmallGraph graph(32);
  const StorageId x = graph.tensor("x", {8, 63, 56, 56}, StorageRole::Input);
  graph.relu(graph.convolution(x, 63, 1, 1));
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  const GroupOf group(graph.graph(), 0, 1);
  REQUIRE(model.is_legal(group.operators));
  CHECK(model.report(group.content()).tiles >= 8);
  CHECK(model.cost(group.content()).offchip_bytes == 2 * 8 * 63 * 56 * 56 * 4 + 63 * 63 * 4);
}

TEST_CASE("is_legal: a row of too many channels is cut by channels") {
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 256, 8, 256}, StorageRole::Input);
  graph.relu(graph.convolution(x, 256, 1, 1));
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  CHECK(model.is_legal(GroupOf(graph.graph(), 0, 1).operators));
}
