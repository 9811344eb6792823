// Laws of groups that run in blocks, on training steps of small networks: every cut into blocks,
// every axis, core set, split and depth. TEST_SEED chooses other networks.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "evaluator/graph/training_step.h"
#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/blocked_group.h"
#include "evaluator/group/fused_outline.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/operator_content.h"
#include "problems/builtin_accelerators.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::RandomStream;
using paretrain::problems::builtin_accelerator;
using paretrain::tests::SmallModel;

namespace {

std::uint64_t seed() {
  const char* const given = std::getenv("TEST_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

// Two convolutions with a bias and something elementwise around them, several samples.
TrainingGraph random_step(RandomStream& random) {
  const auto channels = static_cast<std::int64_t>(2 + 2 * random.below(12));
  const auto size = static_cast<std::int64_t>(4 + random.below(20));
  const Shape shape = {static_cast<std::int64_t>(2 + random.below(4)), channels, size, size};
  SmallModel model;
  ValueId x = model.input("x", shape);
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = "conv" + std::to_string(layer);
    const auto window = static_cast<std::int64_t>(1 + 2 * random.below(2));
    const std::int64_t pad = window / 2;
    const ValueId weight = model.parameter(name + ".w", {channels, channels, window, window});
    const ValueId bias = model.parameter(name + ".b", {channels});
    const ValueId y = model.node(name,
                                 "Conv",
                                 {x, weight, bias},
                                 shape,
                                 {{"kernel_shape", std::vector<std::int64_t>{window, window}},
                                  {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}});
    const ValueId z = model.node(name + ".relu", "Relu", {y}, shape);
    x = random.below(2) == 0 ? model.node(name + ".add", "Add", {z, x}, shape) : z;
  }
  model.output(x);
  TrainingOptions options;
  options.precision = Precision::Fp16;
  return training_step(model.graph(), options);
}

class Costing {
 public:
  Costing(const TrainingGraph& graph, Accelerator accelerator)
      : accelerator_(std::move(accelerator)),
        chip_(accelerator_, CostModel::Corrected),
        costs_(chip_, CoreCostOptions{CostModel::Corrected, Objective::Latency, 5}, 1 << 16),
        contents_(operator_contents(
            graph, std::vector<std::vector<std::uint64_t>>(graph.operators.size()))) {
    for (std::size_t c = 0; c < accelerator_.cores.size(); ++c) {
      if (accelerator_.cores[c].kind == CoreKind::Array) arrays_.emplace_back(c);
      if (accelerator_.cores[c].kind == CoreKind::Vector) vectors_.emplace_back(c);
    }
  }

  // Calls visit(block, outline, cost) for the ways of a group in blocks that fit.
  template <class Visit>
  void visit_ways(const GroupShape& group, const Visit& visit) {
    for (const std::vector<BlockCut>& cuts : block_cuts(group)) {
      const auto block = blocked_group(group, cuts);
      if (!block) continue;
      for (const TileAxis& axis : axes_within_blocks(*block, cuts))
        for (const SplitKind split : {SplitKind::None, SplitKind::Columns, SplitKind::Rows})
          for (const std::int64_t tiles : {1, 3, 4})
            for (const PipelineDepth depth : {PipelineDepth::InTurn, PipelineDepth::Stepped}) {
              FusedWay way = way_of(block->shape);
              way.axis = axis;
              way.blocks = cuts;
              way.split = split;
              way.tiles = std::min(tiles, shortest(block->shape, axis));
              way.depth = depth;
              auto outline = fused_outline(chip_, costs_, block->shape, way);
              if (!outline) continue;
              const auto cost = costed(chip_, costs_, *outline);
              if (cost) visit(*block, *outline, *cost);
            }
    }
  }

  [[nodiscard]] const Chip& chip() const { return chip_; }

 private:
  [[nodiscard]] FusedWay way_of(const GroupShape& group) const {
    FusedWay way;
    for (const GroupMember& member : group.members) {
      const bool matrix = member.op->operator_class == OperatorClass::Matrix;
      way.cores.emplace_back(matrix ? arrays_ : vectors_);
      way.contents.push_back(contents_[member.index]);
    }
    return way;
  }

  static std::int64_t shortest(const GroupShape& group, const TileAxis& axis) {
    std::int64_t least = 4096;
    for (std::size_t m = 0; m < group.members.size(); ++m)
      least = std::min(least, group.members[m].op->nest.size(axis.loops[m]));
    return least;
  }

  Accelerator accelerator_;
  Chip chip_;
  TileCosts costs_;
  std::vector<std::uint32_t> contents_;
  std::vector<CoreId> arrays_;
  std::vector<CoreId> vectors_;
};

// Groups of two or three operators that stand next to each other and pass something.
std::vector<GroupShape> groups_of(const TrainingGraph& graph) {
  std::vector<GroupShape> groups;
  for (std::size_t first = 0; first + 1 < graph.operators.size(); ++first)
    for (std::size_t length = 2; length <= 3 && first + length <= graph.operators.size();
         ++length) {
      std::vector<RunningOperator> members;
      for (std::size_t o = first; o < first + length; ++o)
        members.push_back({StepOperatorId(o)});
      GroupShape group = widest_group_shape(graph, members);
      if (!tile_axes(group).empty()) groups.push_back(std::move(group));
    }
  return groups;
}

std::int64_t compulsory_bytes(const GroupShape& group) {
  std::int64_t bytes = 0;
  for (const GroupTensor& tensor : group.tensors)
    bytes += tensor.fetch_bytes + tensor.store_bytes;
  return bytes;
}

}  // namespace

TEST_CASE("groups in blocks: work is done once, no less is moved than once, busy is not exceeded") {
  std::size_t ways = 0;
  for (std::uint64_t trial = 0; trial < 6; ++trial) {
    RandomStream random(seed(), 21, trial);
    const TrainingGraph graph = random_step(random);
    Costing costing(graph, *builtin_accelerator(trial % 2 == 0 ? "edge-tpu-quad" : "fusemax"));
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    for (const GroupShape& group : groups_of(graph))
      costing.visit_ways(
          group,
          [&](const BlockedGroup& block, const GroupOutline& outline, const ScheduleCost& cost) {
            ++ways;
            INFO("first operator " << group.members.front().op->name << " axis " << outline.axis);
            CHECK(cost.offchip_bytes >= compulsory_bytes(group));
            for (std::size_t m = 0; m < group.members.size(); ++m) {
              std::int64_t done = 0;
              for (const TileVariant& variant : outline.runs[m].variants)
                done += variant.times * tile_operations(group.members[m].op->nest, variant.counts);
              std::int64_t all = tile_operations(group.members[m].op->nest, {});
              CHECK(done == all);
            }
            CHECK(outline.blocks == block.shape.blocks);
            const Makespan run = makespan_of_blocks(
                outline.stages, costing.chip().resource_names().size(), outline.blocks);
            for (const std::int64_t busy : run.busy)
              CHECK(cost.latency >= busy);
            const std::int64_t port = costing.chip().offchip().read.maximum_bits +
                                      costing.chip().offchip().write.maximum_bits;
            CHECK(cost.latency * port >= cost.offchip_bytes * 8);
          });
  }
  CHECK(ways > 1000);
}

TEST_CASE("groups in blocks: more memory never costs latency") {
  std::size_t groups = 0;
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    RandomStream random(seed(), 22, trial);
    const TrainingGraph graph = random_step(random);
    Accelerator small = *builtin_accelerator("edge-tpu-quad");
    for (Core& core : small.cores)
      if (core.kind != CoreKind::Memory && !core.memories.empty())
        core.memories.back().size_bits /= 8;
    Accelerator large = small;
    for (Core& core : large.cores)
      if (core.kind != CoreKind::Memory && !core.memories.empty())
        core.memories.back().size_bits *= 4;
    const AcceleratorGroupModel tight(graph, small, {}, {});
    const AcceleratorGroupModel roomy(graph, large, {}, {});
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    for (std::size_t first = 0; first + 1 < graph.operators.size(); ++first) {
      const std::vector<RunningOperator> members = {{StepOperatorId(first)},
                                                    {StepOperatorId(first + 1)}};
      if (!tight.is_legal(members)) continue;
      ++groups;
      std::vector<StepValueId> reads;
      std::vector<StepValueId> writes;
      for (const GroupTensor& tensor : widest_group_shape(graph, members).tensors) {
        if (tensor.fetch_bytes > 0) reads.emplace_back(tensor.storage.index());
        if (tensor.store_bytes > 0) writes.emplace_back(tensor.storage.index());
      }
      const GroupContent content{members, reads, writes};
      CHECK(roomy.is_legal(members));
      CHECK(roomy.cost(content).latency <= tight.cost(content).latency);
    }
  }
  CHECK(groups > 10);
}
