#include "evaluator/group/accelerator_group_model.h"

#include <algorithm>
#include <array>

#include "evaluator/group/chip.h"
#include "problems/builtin_accelerators.h"
#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;
using paretrain::tests::GroupOf;
using paretrain::tests::SmallGraph;

namespace {

Accelerator quad() {
  return *builtin_accelerator("edge-tpu-quad");
}

// x, convolution, relu, convolution, sum with x, sums by channel.
SmallGraph residual_block(std::int64_t bits = 8) {
  SmallGraph graph(bits);
  const StorageId x = graph.tensor("x", {1, 32, 28, 28}, StorageRole::Input);
  const StorageId y = graph.convolution(x, 32, 3, 1);
  const StorageId z = graph.convolution(graph.relu(y), 32, 3, 1);
  graph.channel_sum(graph.add(z, x));
  return graph;
}

GroupCost cost_of(const AcceleratorGroupModel& model,
                  const SmallGraph& graph,
                  std::size_t first,
                  std::size_t last) {
  return model.cost(GroupOf(graph.graph(), first, last).content());
}

// Arrays in a row, the last one beside the off-chip memory.
Accelerator chain(std::size_t cores) {
  Accelerator accelerator = quad();
  const Core array = accelerator.cores[0];
  const Core dram = accelerator.cores[6];
  accelerator.cores.assign(cores, array);
  accelerator.cores.push_back(dram);
  accelerator.offchip = CoreId(cores);
  accelerator.links.clear();
  for (std::size_t c = 0; c < cores; ++c)
    accelerator.links.push_back({false, {CoreId(c), CoreId(c + 1)}, 512, 1});
  return accelerator;
}

std::int64_t bytes_touched_alone(const SmallGraph& graph, std::size_t first, std::size_t last) {
  std::int64_t sum = 0;
  for (std::size_t o = first; o <= last; ++o)
    for (const auto* accesses :
         {&graph.graph().operators[o].reads, &graph.graph().operators[o].writes})
      for (const Access& access : *accesses)
        sum += access.bytes.number();
  return sum;
}

}  // namespace

TEST_CASE("cost: an operator on its own moves each of its operands once") {
  const SmallGraph graph = residual_block();
  const Accelerator accelerator = quad();
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  for (std::size_t o = 0; o < graph.graph().operators.size(); ++o) {
    INFO("operator " << o);
    CHECK(cost_of(model, graph, o, o).offchip_bytes == bytes_touched_alone(graph, o, o));
  }
}

TEST_CASE("cost: what passes inside a group is neither stored nor fetched") {
  const SmallGraph graph = residual_block();
  const Accelerator accelerator = quad();
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  const std::int64_t tensor = std::int64_t{32} * 28 * 28;
  REQUIRE(model.is_legal(GroupOf(graph.graph(), 0, 1).operators));
  CHECK(cost_of(model, graph, 0, 1).offchip_bytes == bytes_touched_alone(graph, 0, 1) - 2 * tensor);
  REQUIRE(model.is_legal(GroupOf(graph.graph(), 0, 3).operators));
  // Three tensors pass inside; x is fetched once for both of its readers.
  CHECK(cost_of(model, graph, 0, 3).offchip_bytes == bytes_touched_alone(graph, 0, 3) - 7 * tensor);
}

TEST_CASE("cost: latency is never below the busiest resource and energies add up") {
  const SmallGraph graph = residual_block(32);
  const Accelerator accelerator = quad();
  for (const Objective objective : {Objective::Latency, Objective::Energy, Objective::Edp}) {
    GroupCostOptions options;
    options.tile_objective = objective;
    const AcceleratorGroupModel model(graph.graph(), accelerator, {}, options);
    for (std::size_t first = 0; first < 5; ++first)
      for (std::size_t last = first; last < 5; ++last) {
        const GroupOf group(graph.graph(), first, last);
        if (!model.is_legal(group.operators)) continue;
        const GroupReport report = model.report(group.content());
        for (const ResourceUse& use : report.resources)
          CHECK(report.cost.latency >= use.busy_cycles);
        CHECK(report.cost.energy == doctest::Approx(report.energy.total()));
        CHECK(report.cost.latency == model.cost(group.content()).latency);
      }
  }
}

TEST_CASE("cost: the objective of the choice is the best that any objective reaches") {
  const SmallGraph graph = residual_block();
  const Accelerator accelerator = quad();
  GroupCostOptions energy;
  energy.tile_objective = Objective::Energy;
  const AcceleratorGroupModel fast(graph.graph(), accelerator, {}, {});
  const AcceleratorGroupModel thrifty(graph.graph(), accelerator, {}, energy);
  for (std::size_t o = 0; o < graph.graph().operators.size(); ++o) {
    // Mappings of tiles follow the objective too, so only the way around that must hold is asked.
    CHECK(cost_of(fast, graph, o, o).latency <= cost_of(thrifty, graph, o, o).latency);
  }
}

TEST_CASE("cost: thousands of identical cores cost what the ones nearest to the memory do") {
  SmallGraph graph;
  graph.convolution(graph.tensor("x", {1, 256, 14, 14}, StorageRole::Input), 256, 3, 1);
  const auto cost_on_chain = [&](std::size_t cores) {
    const Accelerator accelerator = chain(cores);
    const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
    return cost_of(model, graph, 0, 0);
  };
  const GroupCost cost = cost_on_chain(3000);
  const GroupCost nearest = cost_on_chain(kMostIdenticalCores);
  CHECK(cost.latency == nearest.latency);
  CHECK(cost.energy == nearest.energy);
  CHECK(cost.offchip_bytes == nearest.offchip_bytes);
  CHECK(cost.latency != cost_on_chain(1).latency);
}

TEST_CASE("cost: equal content is costed once and the order of asking does not matter") {
  SmallGraph graph;
  StorageId x = graph.tensor("x", {1, 16, 14, 14}, StorageRole::Input);
  for (int layer = 0; layer < 4; ++layer)
    x = graph.relu(graph.convolution(x, 16, 3, 1));
  const Accelerator accelerator = quad();
  const AcceleratorGroupModel forwards(graph.graph(), accelerator, {}, {});
  const AcceleratorGroupModel backwards(graph.graph(), accelerator, {}, {});
  std::vector<GroupCost> first;
  for (std::size_t o = 0; o < 8; ++o)
    first.push_back(cost_of(forwards, graph, o, o));
  for (std::size_t o = 8; o-- > 0;) {
    const GroupCost cost = cost_of(backwards, graph, o, o);
    CHECK(cost.latency == first[o].latency);
    CHECK(cost.energy == first[o].energy);
  }
  CHECK(forwards.statistics().group_misses == 2);
  CHECK(forwards.statistics().group_hits == 6);
}

TEST_CASE("cost: a memory that forgets everything answers the same") {
  const SmallGraph graph = residual_block();
  const Accelerator accelerator = quad();
  GroupCostOptions forgetful;
  forgetful.remembered = 1;
  const AcceleratorGroupModel keeps(graph.graph(), accelerator, {}, {});
  const AcceleratorGroupModel forgets(graph.graph(), accelerator, {}, forgetful);
  for (int round = 0; round < 2; ++round)
    for (std::size_t last = 0; last < 4; ++last) {
      const GroupCost a = cost_of(keeps, graph, 0, last);
      const GroupCost b = cost_of(forgets, graph, 0, last);
      CHECK(a.latency == b.latency);
      CHECK(a.energy == b.energy);
      CHECK(a.offchip_bytes == b.offchip_bytes);
    }
}

TEST_CASE("cost: an operator far larger than on-chip memory streams through it") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {8, 25088}, StorageRole::Input);
  graph.product(x, 4096);
  const Accelerator accelerator = quad();
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  const GroupReport report = model.report(GroupOf(graph.graph(), 0, 0).content());
  // The weights are 98 MiB, the arrays' memories 8 MiB together.
  CHECK(report.tiles * report.inner_tiles > 12);
  CHECK(report.cost.offchip_bytes >= bytes_touched_alone(graph, 0, 0));
  CHECK(report.cost.offchip_bytes < 1.01 * static_cast<double>(bytes_touched_alone(graph, 0, 0)));
}

TEST_CASE("has_fusion_gene: two that only wait for each other may share a group of three") {
  SmallGraph graph;
  const StorageId made = graph.relu(graph.tensor("x", {1, 8, 16, 16}, StorageRole::Input));
  const StorageId other = graph.relu(graph.tensor("y", {1, 8, 16, 16}, StorageRole::Input));
  graph.add(made, other);
  // Relu 1 needs what relu 0 makes to be alive, and touches none of it.
  Access alive;
  alive.storage = made;
  graph.graph().operators[1].reads.push_back(alive);
  const AcceleratorGroupModel model(graph.graph(), quad(), {}, {});
  const RunningOperator first{StepOperatorId(0)};
  const RunningOperator second{StepOperatorId(1)};
  const RunningOperator third{StepOperatorId(2)};
  CHECK_FALSE(model.is_legal(std::array{first, second}));
  CHECK(model.is_legal(std::array{first, second, third}));
  CHECK(model.has_fusion_gene(first, second));
  GroupCostOptions pairs;
  pairs.max_group_length = 2;
  CHECK_FALSE(
      AcceleratorGroupModel(graph.graph(), quad(), {}, pairs).has_fusion_gene(first, second));
}

TEST_CASE("is_legal: length limits a group") {
  const SmallGraph graph = residual_block();
  const Accelerator accelerator = quad();
  GroupCostOptions options;
  options.max_group_length = 2;
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, options);
  CHECK(model.is_legal(GroupOf(graph.graph(), 0, 0).operators));
  CHECK(model.is_legal(GroupOf(graph.graph(), 0, 1).operators));
  CHECK_FALSE(model.is_legal(GroupOf(graph.graph(), 0, 2).operators));
}

TEST_CASE("is_legal: a group whose tiles of one row do not fit is none") {
  SmallGraph graph;
  // A row of the image is 63 KiB; the vector core has 128 KiB for rows in and out. 251 channels
  // have no equal parts.
  const StorageId x = graph.tensor("x", {1, 251, 8, 256}, StorageRole::Input);
  graph.relu(graph.convolution(x, 251, 1, 1));
  const Accelerator accelerator = quad();
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  CHECK_FALSE(model.is_legal(GroupOf(graph.graph(), 0, 1).operators));
}

// First come, first served is not always the best order: faster links may change the order for the
// worse, by little (docs/group-cost.md, pipeline).
TEST_CASE("cost: more bandwidth hardly ever costs latency and more memory never does") {
  const SmallGraph graph = residual_block();
  const Accelerator plain = quad();
  Accelerator fast = plain;
  for (Link& link : fast.links)
    link.bandwidth_bits *= 2;
  Accelerator large = plain;
  for (std::size_t c = 0; c < 6; ++c)
    large.cores[c].memories.back().size_bits *= 2;
  const AcceleratorGroupModel base(graph.graph(), plain, {}, {});
  const AcceleratorGroupModel wide(graph.graph(), fast, {}, {});
  const AcceleratorGroupModel roomy(graph.graph(), large, {}, {});
  for (std::size_t first = 0; first < 5; ++first)
    for (std::size_t last = first; last < 5; ++last) {
      const GroupOf group(graph.graph(), first, last);
      if (!base.is_legal(group.operators)) continue;
      const GroupCost cost = base.cost(group.content());
      CHECK(wide.cost(group.content()).latency <= cost.latency + cost.latency / 50);
      CHECK(roomy.cost(group.content()).latency <= cost.latency);
    }
}

TEST_CASE("cost: scaling every energy scales the total") {
  const SmallGraph graph = residual_block();
  const Accelerator plain = quad();
  Accelerator hot = plain;
  for (Core& core : hot.cores) {
    core.array.mac_energy_pj *= 4;
    for (Memory& memory : core.memories) {
      memory.read_energy_pj *= 4;
      memory.write_energy_pj *= 4;
    }
  }
  const AcceleratorGroupModel base(graph.graph(), plain, {}, {});
  const AcceleratorGroupModel scaled(graph.graph(), hot, {}, {});
  for (std::size_t last = 0; last < 5; ++last) {
    const GroupOf group(graph.graph(), 0, last);
    if (!base.is_legal(group.operators)) continue;
    CHECK(scaled.cost(group.content()).energy ==
          doctest::Approx(4 * base.cost(group.content()).energy));
  }
}

TEST_CASE("cost: with micro-batches forward groups run once per part") {
  const SmallGraph graph = residual_block();
  const Accelerator accelerator = quad();
  GroupCostOptions parts;
  parts.repetitions = 4;
  const AcceleratorGroupModel once(graph.graph(), accelerator, {}, {});
  const AcceleratorGroupModel repeated(graph.graph(), accelerator, {}, parts);
  CHECK(cost_of(repeated, graph, 0, 1).latency == 4 * cost_of(once, graph, 0, 1).latency);
  CHECK(cost_of(repeated, graph, 0, 1).offchip_bytes ==
        4 * cost_of(once, graph, 0, 1).offchip_bytes);
}
