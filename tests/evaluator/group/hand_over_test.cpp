#include <algorithm>
#include <array>

#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/group_key.h"
#include "evaluator/group/group_simulator.h"
#include "evaluator/group/holding_place.h"
#include "problems/builtin_accelerators.h"
#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;
using paretrain::tests::GroupOf;
using paretrain::tests::SmallGraph;

namespace {

// edge-tpu-quad: cores 0-3 arrays with 2 MiB each, 4 pooling and 5 vector with 128 KiB each, 6
// off-chip memory of 64 bits at 1000 pJ a word; links of 32 bits between neighbours, a bus of 128.
constexpr std::size_t kArrays = 0;
constexpr std::size_t kVector = 2;

Chip quad() {
  return Chip(*builtin_accelerator("edge-tpu-quad"), CostModel::Corrected);
}

std::int64_t cycles_of(const Chip& chip, const TransferCost& cost, const std::string& name) {
  for (const ResourceCycles& use : cost.uses)
    if (chip.resource_names()[use.resource.index()].starts_with(name)) return use.cycles;
  return 0;
}

AcceleratorGroupModel model_of(const SmallGraph& graph,
                               const Accelerator& accelerator,
                               CostModel cost_model = CostModel::Corrected) {
  GroupCostOptions options;
  options.residency = Residency::On;
  options.cost_model = cost_model;
  return {graph.graph(), accelerator, {}, options};
}

// Operator o on its own next to operator o + 1 on its own, with what may pass between them.
struct Neighbours {
  Neighbours(const SmallGraph& graph, std::size_t o)
      : from(graph.graph(), o, o), to(graph.graph(), o + 1, o + 1), candidates(from.writes) {}

  [[nodiscard]] CarryQuestion question() const {
    return {from.content(), to.content(), candidates};
  }

  // With the candidate at a place.
  [[nodiscard]] GroupContent handing(const CarriedValue& carried) const {
    return {from.operators, from.reads, {}, {}, {&carried, 1}};
  }

  [[nodiscard]] GroupContent handed(const CarriedValue& carried) const {
    return {to.operators, {}, to.writes, {&carried, 1}, {}};
  }

  GroupOf from;
  GroupOf to;
  std::vector<StepValueId> candidates;
};

// Two relus over [1, 64, rows, 64], 4096 bytes a row.
SmallGraph two_relus(std::int64_t rows) {
  SmallGraph graph;
  graph.relu(graph.relu(graph.tensor("x", {1, 64, rows, 64}, StorageRole::Input)));
  return graph;
}

}  // namespace

TEST_CASE("holding_places: one for each set of identical cores; a shared memory counts once") {
  const std::vector<HoldingPlace> places = holding_places(quad());
  REQUIRE(places.size() == 3);
  CHECK(places[kArrays].name == "cores 0, 1, 2, 3");
  CHECK(places[kArrays].most_bytes == 4 * 2 * 1024 * 1024);
  CHECK(places[kArrays].share_of(4097) == 1025);
  CHECK(places[1].name == "core 4");
  CHECK(places[kVector].name == "core 5");
  CHECK(places[kVector].most_bytes == 128 * 1024);
  CHECK(
      holding_places(Chip(*builtin_accelerator("fusemax-example"), CostModel::Corrected)).size() ==
      1);
}

TEST_CASE("inward_cost: four holders send a quarter each over their links") {
  const Chip chip = quad();
  const HoldingPlace place = holding_places(chip)[kArrays];
  const std::array receiver{Endpoint{CoreId(5), NestOperand::I, 4096}};
  const TransferCost cost = inward_cost(chip, &place, 4096, receiver);
  for (const char* const link : {"link 0-5", "link 1-5", "link 2-5", "link 3-5"})
    CHECK(cycles_of(chip, cost, link) == 1024 * 8 / 32);
  CHECK(cost.uses.size() == 4);
  CHECK(cost.off_chip_pj == 0);
  CHECK(cost.links_pj == 0);
  // A kibibyte is 4 reads of 2048 bits and 16 writes of 512.
  CHECK(cost.on_chip_pj == doctest::Approx(4 * (4 * 416.16 + 16 * 75.0)));
}

TEST_CASE("inward_cost: what lies in the reader's own memory moves nowhere") {
  const Chip chip = quad();
  const HoldingPlace place = holding_places(chip)[kVector];
  const std::array receiver{Endpoint{CoreId(5), NestOperand::I, 4096}};
  CHECK(read_in_place(chip, place, std::array{CoreId(5)}, NestOperand::I));
  const TransferCost cost = inward_cost(chip, &place, 4096, receiver);
  CHECK(cost.uses.empty());
  CHECK(cost.on_chip_pj == 0);
}

TEST_CASE("inward_cost: without a place it is a fetch") {
  const Chip chip = quad();
  const std::array receiver{Endpoint{CoreId(0), NestOperand::I, 1024}};
  CHECK(inward_cost(chip, nullptr, 1024, receiver).off_chip_pj == doctest::Approx(128 * 1000.0));
  CHECK(outward_cost(chip, nullptr, 1024, receiver).off_chip_pj == doctest::Approx(128 * 1000.0));
}

TEST_CASE("outward_cost: four cores keep what they make; one core spreads it") {
  const Chip chip = quad();
  const HoldingPlace place = holding_places(chip)[kArrays];
  const std::array alone{Endpoint{CoreId(0), NestOperand::O, 4096}};
  const std::array all{Endpoint{CoreId(0), NestOperand::O, 1024},
                       Endpoint{CoreId(1), NestOperand::O, 1024},
                       Endpoint{CoreId(2), NestOperand::O, 1024},
                       Endpoint{CoreId(3), NestOperand::O, 1024}};
  CHECK(outward_cost(chip, &place, 4096, all).uses.empty());
  const TransferCost cost = outward_cost(chip, &place, 4096, alone);
  CHECK(cycles_of(chip, cost, "link 0-1") == 256);
  CHECK(cycles_of(chip, cost, "link 0-3") == 256);
  CHECK(cycles_of(chip, cost, "bus") == 64);  // to core 2, which is no neighbour
  CHECK(cost.uses.size() == 3);
}

TEST_CASE("carried: a small tensor stays in the vector core that makes and reads it") {
  const SmallGraph graph = two_relus(8);
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  const AcceleratorGroupModel model = model_of(graph, accelerator);
  const Neighbours pair(graph, 0);
  REQUIRE(model.carried(pair.question())[0] == kVector + 1);
  const CarriedValue carried{pair.candidates[0], kVector};
  const std::int64_t bytes = 8 * 4096;
  for (const GroupContent& group : {pair.handing(carried), pair.handed(carried)}) {
    const GroupReport report = model.report(group);
    CHECK(report.cost.offchip_bytes == bytes);
    CHECK(report.energy.off_chip == doctest::Approx(1000.0 * bytes / 8));
    CHECK(report.energy.links == 0);
    CHECK(report.cost.latency >= bytes / 8);
  }
  CHECK(model.cost(pair.from.content()).offchip_bytes == 2 * bytes);
  CHECK(model.cost(pair.from.content()).latency >= 2 * bytes / 8);
}

TEST_CASE("carried: what fills the vector core is held by the arrays; what fills the chip leaves") {
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  // 32 rows are 128 KiB: they fit the vector core's memory, but no tile fits beside them.
  const SmallGraph full = two_relus(32);
  const Neighbours pair(full, 0);
  const AcceleratorGroupModel model = model_of(full, accelerator);
  CHECK_FALSE(model.possible_cost(pair.handing({pair.candidates[0], kVector})).has_value());
  CHECK(model.possible_cost(pair.handing({pair.candidates[0], kArrays})).has_value());
  CHECK(model.carried(pair.question())[0] == kArrays + 1);
  // 8 MiB fill the arrays; nothing else is there, so they may.
  CHECK(model.most_carried_bytes() == 8 * 1024 * 1024);
  const SmallGraph larger = two_relus(2049);
  const AcceleratorGroupModel other = model_of(larger, accelerator);
  CHECK(other.carried(Neighbours(larger, 0).question())[0] == 0);
}

TEST_CASE("carried: nothing without the option") {
  const SmallGraph graph = two_relus(8);
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  const AcceleratorGroupModel model(graph.graph(), accelerator, {}, {});
  CHECK(model.most_carried_bytes() == 0);
  CHECK(model.carried(Neighbours(graph, 0).question()) == CarryAnswer{});
}

TEST_CASE("carried: nothing to or from a single operator in zigzag mode") {
  const SmallGraph graph = two_relus(8);
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  const AcceleratorGroupModel model = model_of(graph, accelerator, CostModel::Zigzag);
  CHECK(model.carried(Neighbours(graph, 0).question())[0] == 0);
}

TEST_CASE("carried: both groups together are never worse in what the choices minimise") {
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 32, 28, 28}, StorageRole::Input);
  graph.add(graph.convolution(graph.relu(graph.convolution(x, 32, 3, 1)), 32, 3, 1), x);
  for (const Objective objective : {Objective::Latency, Objective::Energy, Objective::Edp}) {
    GroupCostOptions options;
    options.residency = Residency::On;
    options.tile_objective = objective;
    const AcceleratorGroupModel model(graph.graph(), accelerator, {}, options);
    const auto value = [&](const GroupCost& cost) {
      const auto latency = static_cast<double>(cost.latency);
      if (objective == Objective::Latency) return latency;
      return objective == Objective::Energy ? cost.energy : latency * cost.energy;
    };
    for (std::size_t o = 0; o + 1 < graph.graph().operators.size(); ++o) {
      const Neighbours pair(graph, o);
      const CarryAnswer answer = model.carried(pair.question());
      REQUIRE(answer[0] > 0);
      const CarriedValue carried{pair.candidates[0], answer[0] - 1U};
      GroupContent to = pair.to.content();
      std::vector<StepValueId> reads(to.reads.begin(), to.reads.end());
      std::erase(reads, carried.value);
      to.reads = reads;
      to.carried_in = {&carried, 1};
      const GroupCost before_from = model.cost(pair.from.content());
      const GroupCost before_to = model.cost(pair.to.content());
      const GroupCost from = model.cost(pair.handing(carried));
      const GroupCost after = model.cost(to);
      CHECK(value(from) + value(after) <= value(before_from) + value(before_to));
      CHECK(from.offchip_bytes + after.offchip_bytes <
            before_from.offchip_bytes + before_to.offchip_bytes);
    }
  }
}

TEST_CASE("simulated_group: what is handed over moves as the model says") {
  const Accelerator accelerator = *builtin_accelerator("edge-tpu-quad");
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 32, 28, 28}, StorageRole::Input);
  graph.convolution(graph.relu(graph.convolution(x, 32, 3, 1)), 32, 3, 1);
  const AcceleratorGroupModel model = model_of(graph, accelerator);
  // The convolution, alone and with the relu behind it, hands on what the rest reads.
  for (const std::size_t last : {std::size_t{0}, std::size_t{1}}) {
    const GroupOf from(graph.graph(), 0, last);
    const GroupOf to(graph.graph(), last + 1, 2);
    for (std::uint32_t place = 0; place < 3; ++place) {
      const CarriedValue carried{from.writes.at(0), place};
      std::vector<StepValueId> reads = to.reads;
      std::erase(reads, carried.value);
      for (const GroupContent& group :
           {GroupContent{from.operators, from.reads, {}, {}, {&carried, 1}},
            GroupContent{to.operators, reads, to.writes, {&carried, 1}, {}}}) {
        INFO("operators 0 to " << last << " place " << place);
        const auto cost = model.possible_cost(group);
        REQUIRE(cost.has_value());
        const GroupSimulation played = model.simulation(group);
        CHECK(played.offchip_bytes == cost->offchip_bytes);
        CHECK(played.energy.total() == doctest::Approx(cost->energy).epsilon(0.01));
        const auto latency = static_cast<double>(cost->latency);
        CHECK(static_cast<double>(played.latency) == doctest::Approx(latency).epsilon(0.05));
      }
    }
  }
}

TEST_CASE("cost_key: hand-overs and their places are part of it") {
  const SmallGraph graph = two_relus(8);
  const std::vector<std::uint32_t> contents{0, 0};
  const Neighbours pair(graph, 0);
  const auto key = [&](const GroupContent& group) {
    const GroupKey words = cost_key(graph.graph(), contents, group);
    return std::vector<std::uint64_t>(words.words().begin(), words.words().end());
  };
  const StepValueId value = pair.candidates[0];
  CHECK(key(pair.handing({value, 0})) != key(pair.from.content()));
  CHECK(key(pair.handing({value, 0})) != key(pair.handing({value, 2})));
  CHECK(key(pair.handed({value, 0})) != key(pair.to.content()));
  CHECK(key(pair.handed({value, 1})) != key(pair.handed({value, 0})));
}
