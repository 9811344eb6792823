#include "evaluator/core_cost/core_cost_search.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/core_cost/loop_factors.h"
#include "evaluator/core_cost/spatial_mapping.h"
#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

using evaluator::best_core_cost;
using evaluator::Core;
using evaluator::core_cost_of_order;
using evaluator::CoreCost;
using evaluator::CoreCostOptions;
using evaluator::CoreCostResult;
using evaluator::CostModel;
using evaluator::Direction;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::MappedCost;
using evaluator::NestOperand;
using evaluator::NoMapping;
using evaluator::Objective;
using evaluator::TemporalLoop;

namespace {

double objective_of(Objective objective, const CoreCost& cost) {
  switch (objective) {
    case Objective::Latency:
      return cost.total_cycles();
    case Objective::Energy:
      return cost.total_energy_pj();
    case Objective::Edp:
      return cost.total_cycles() * cost.total_energy_pj();
  }
  return 0;
}

double energy(const CoreCost& cost, std::size_t memory, NestOperand operand, Direction direction) {
  for (const evaluator::LevelTraffic& traffic : cost.traffic) {
    if (traffic.memory == memory && traffic.operand == operand)
      return traffic.energy_pj[static_cast<std::size_t>(direction)];
  }
  return -1;
}

// The least objective over every order, by its definition.
double least_by_enumeration(const Core& core,
                            const LoopNest& nest,
                            const CoreCostOptions& options) {
  const auto mappings = evaluator::spatial_mappings(core, nest, core.dataflow, options);
  if (std::holds_alternative<NoMapping>(mappings)) return -1;
  double least = -1;
  const auto& mapping = std::get<0>(mappings).front();
  evaluator::for_each_order(evaluator::loop_factors(nest, mapping.temporal, options.loop_limit),
                            [&](std::span<const TemporalLoop> order) {
                              const auto result =
                                  core_cost_of_order(core, nest, core.dataflow, order, options);
                              if (const auto* mapped = std::get_if<MappedCost>(&result)) {
                                const double value = objective_of(options.objective, mapped->cost);
                                if (least < 0 || value < least) least = value;
                              }
                            });
  return least;
}

}  // namespace

TEST_CASE("core_cost_of_order: equals the cost worked by hand") {
  const LoopNest nest = matrix_product(2, 2, 2);
  const Core core = two_lanes();
  CoreCostOptions options;
  options.model = CostModel::Zigzag;
  const std::vector<TemporalLoop> order = {{Loop::C, 2}, {Loop::D, 2}};
  const auto result = core_cost_of_order(core, nest, core.dataflow, order, options);
  REQUIRE(std::holds_alternative<MappedCost>(result));
  const CoreCost& cost = std::get<MappedCost>(result).cost;

  // 8 operations on 2 units; both inputs share a port that needs 2 cycles for the 1 that a step
  // lasts, on 2 of 4 steps that do not hide behind the others; the last result leaves in 1 cycle.
  CHECK(cost.ideal_cycles == 4);
  CHECK(cost.spatial_cycles == 0);
  CHECK(cost.stall_cycles == 2);
  CHECK(cost.onload_cycles == 0);
  CHECK(cost.offload_cycles == 1);
  CHECK(cost.total_cycles() == 7);

  CHECK(cost.mac_energy_pj == 8);
  CHECK(energy(cost, 0, NestOperand::O, Direction::WriteFromLow) == doctest::Approx(8 * 0.2));
  CHECK(energy(cost, 0, NestOperand::O, Direction::ReadToLow) == doctest::Approx(8 * 0.1));
  CHECK(energy(cost, 0, NestOperand::O, Direction::ReadToHigh) == doctest::Approx(4 * 0.1));
  CHECK(energy(cost, 0, NestOperand::O, Direction::WriteFromHigh) == 0);
  CHECK(energy(cost, 1, NestOperand::O, Direction::WriteFromLow) == 2 * 3);
  CHECK(energy(cost, 1, NestOperand::W, Direction::ReadToLow) == 4 * 2);
  CHECK(energy(cost, 1, NestOperand::I, Direction::ReadToLow) == 2 * 2);
  CHECK(cost.total_energy_pj() == doctest::Approx(28.8));
}

TEST_CASE("core_cost_of_order: shows which loops each memory holds") {
  const LoopNest nest = matrix_product(2, 2, 2);
  const Core core = two_lanes();
  const std::vector<TemporalLoop> order = {{Loop::C, 2}, {Loop::D, 2}};
  const auto result = core_cost_of_order(core, nest, core.dataflow, order, {});
  REQUIRE(std::holds_alternative<MappedCost>(result));
  const auto& levels = std::get<MappedCost>(result).mapping.levels;
  const auto& output = levels[static_cast<std::size_t>(NestOperand::O)];
  REQUIRE(output.size() == 2);
  CHECK(output[0].loops == std::vector<TemporalLoop>{{Loop::C, 2}});
  CHECK(output[1].loops == std::vector<TemporalLoop>{{Loop::D, 2}});
  const auto& weight = levels[static_cast<std::size_t>(NestOperand::W)];
  REQUIRE(weight.size() == 1);
  CHECK(weight[0].loops == order);
}

TEST_CASE("core_cost_of_order: refuses an order that is not the nest's") {
  const LoopNest nest = matrix_product(2, 2, 2);
  const Core core = two_lanes();
  const std::vector<TemporalLoop> order = {{Loop::C, 2}};
  const auto result = core_cost_of_order(core, nest, core.dataflow, order, {});
  REQUIRE(std::holds_alternative<NoMapping>(result));
  CHECK(std::get<NoMapping>(result).reason ==
        "the order does not multiply up to the temporal loops of the nest (C:2 D:2, at most 24 "
        "factors)");
}

TEST_CASE("core_cost_of_order: refuses an order whose product does not fit 64 bits") {
  const LoopNest nest = matrix_product(2, 2, 2);
  const Core core = two_lanes();
  const std::int64_t huge = std::int64_t{1} << 31U;
  const std::vector<TemporalLoop> order = {{Loop::C, huge}, {Loop::C, huge}, {Loop::C, huge}};
  CHECK(
      std::holds_alternative<NoMapping>(core_cost_of_order(core, nest, core.dataflow, order, {})));
}

TEST_CASE("best_core_cost: equals the enumeration of all orders") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    INFO("TEST_SEED=" << seed << " trial " << trial);
    RandomStream random(seed, 0, trial);
    const Core core = random_core(random);
    const LoopNest nest = random_nest(random);
    CoreCostOptions options;
    options.model = random.below(2) == 0 ? CostModel::Zigzag : CostModel::Corrected;
    options.objective = static_cast<Objective>(random.below(3));
    options.loop_limit = 4;
    const CoreCostResult found = best_core_cost(core, nest, core.dataflow, options);
    const double least = least_by_enumeration(core, nest, options);
    const auto* mapped = std::get_if<MappedCost>(&found);
    CHECK((mapped == nullptr) == (least < 0));
    if (mapped == nullptr) continue;
    CHECK(objective_of(options.objective, mapped->cost) == least);
    const auto again =
        core_cost_of_order(core, nest, mapped->mapping.requested, mapped->mapping.order, options);
    REQUIRE(std::holds_alternative<MappedCost>(again));
    CHECK(objective_of(options.objective, std::get<MappedCost>(again).cost) == least);
  }
}

namespace {

// Of the orders with the best objective, then the better other figure, the first.
std::optional<MappedCost> first_by_enumeration(const Core& core,
                                               const LoopNest& nest,
                                               const CoreCostOptions& options) {
  const auto mappings = evaluator::spatial_mappings(core, nest, core.dataflow, options);
  if (std::holds_alternative<NoMapping>(mappings)) return std::nullopt;
  const auto rank = [&](const CoreCost& cost) {
    const double second = options.objective == Objective::Latency  ? cost.total_energy_pj()
                          : options.objective == Objective::Energy ? cost.total_cycles()
                                                                   : 0;
    return std::pair(objective_of(options.objective, cost), second);
  };
  std::optional<MappedCost> best;
  evaluator::for_each_order(
      evaluator::loop_factors(nest, std::get<0>(mappings).front().temporal, options.loop_limit),
      [&](std::span<const TemporalLoop> order) {
        const auto result = core_cost_of_order(core, nest, core.dataflow, order, options);
        const auto* mapped = std::get_if<MappedCost>(&result);
        if (mapped != nullptr && (!best || rank(mapped->cost) < rank(best->cost))) best = *mapped;
      });
  return best;
}

// Puts the weights' outermost memory where other operands only pass through.
void end_weights_in_buffer(Core& core) {
  using evaluator::MemoryOperand;
  if (core.memories.size() != 4) return;
  evaluator::Memory& buffer = core.memories[2];
  evaluator::Memory& outer = core.memories[3];
  buffer.operands.push_back(MemoryOperand::I2);
  std::erase(outer.operands, MemoryOperand::I2);
  for (std::size_t p = 0; p < outer.ports.size(); ++p) {
    for (const evaluator::PortUse& use : outer.ports[p].uses)
      if (use.operand == MemoryOperand::I2) buffer.ports[p].uses.push_back(use);
    std::erase_if(outer.ports[p].uses,
                  [](const evaluator::PortUse& use) { return use.operand == MemoryOperand::I2; });
  }
}

}  // namespace

TEST_CASE("best_core_cost: takes the first of the best orders of the enumeration") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t trial = 0; trial < 120; ++trial) {
    INFO("TEST_SEED=" << seed << " trial " << trial);
    RandomStream random(seed, 3, trial);
    Core core = random_core(random);
    if (random.below(3) == 0) end_weights_in_buffer(core);
    const LoopNest nest = random_nest(random);
    CoreCostOptions options;
    options.model = random.below(3) == 0 ? CostModel::Zigzag : CostModel::Corrected;
    options.objective = static_cast<Objective>(random.below(3));
    options.loop_limit = 5;
    const CoreCostResult found = best_core_cost(core, nest, core.dataflow, options);
    const auto* mapped = std::get_if<MappedCost>(&found);
    const auto first = first_by_enumeration(core, nest, options);
    REQUIRE((mapped != nullptr) == first.has_value());
    if (mapped == nullptr) continue;
    CHECK(mapped->mapping.order == first->mapping.order);
    CHECK(mapped->cost.total_cycles() == first->cost.total_cycles());
    CHECK(mapped->cost.total_energy_pj() == first->cost.total_energy_pj());
    for (std::size_t o = 0; o < evaluator::kNestOperandCount; ++o) {
      REQUIRE(mapped->mapping.levels[o].size() == first->mapping.levels[o].size());
      for (std::size_t level = 0; level < first->mapping.levels[o].size(); ++level)
        CHECK(mapped->mapping.levels[o][level].loops == first->mapping.levels[o][level].loops);
    }
  }
}

TEST_CASE("best_core_cost: equals the enumeration where every operand has one memory") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    INFO("TEST_SEED=" << seed << " trial " << trial);
    RandomStream random(seed, 2, trial);
    Core core = two_lanes();
    core.memories.erase(core.memories.begin());
    core.memories[0].size_bits = 1'000'000;
    const LoopNest nest = random_nest(random);
    CoreCostOptions options;
    options.model = random.below(2) == 0 ? CostModel::Zigzag : CostModel::Corrected;
    options.objective = static_cast<Objective>(random.below(3));
    options.loop_limit = 4;
    const CoreCostResult found = best_core_cost(core, nest, core.dataflow, options);
    const double least = least_by_enumeration(core, nest, options);
    const auto* mapped = std::get_if<MappedCost>(&found);
    CHECK((mapped == nullptr) == (least < 0));
    if (mapped != nullptr) CHECK(objective_of(options.objective, mapped->cost) == least);
  }
}

TEST_CASE("best_core_cost: parts add up and are not negative in the corrected model") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    INFO("TEST_SEED=" << seed << " trial " << trial);
    RandomStream random(seed, 1, trial);
    const Core core = random_core(random);
    const LoopNest nest = random_nest(random);
    const auto found = best_core_cost(core, nest, core.dataflow, {});
    const auto* mapped = std::get_if<MappedCost>(&found);
    if (mapped == nullptr) continue;
    const CoreCost& cost = mapped->cost;
    CHECK(cost.spatial_cycles >= 0);
    CHECK(cost.stall_cycles >= 0);
    CHECK(cost.onload_cycles >= 0);
    CHECK(cost.offload_cycles >= 0);
    double steps = nest.cycles_per_operation;
    for (const TemporalLoop& loop : mapped->mapping.order)
      steps *= static_cast<double>(loop.size);
    CHECK(cost.ideal_cycles + cost.spatial_cycles == steps);
  }
}

TEST_CASE("best_core_cost: an absent operand moves nothing") {
  LoopNest nest = matrix_product(4, 1, 4);
  nest.operand(NestOperand::W).clear();
  const Core core = two_lanes();
  const auto found = best_core_cost(core, nest, {});
  REQUIRE(std::holds_alternative<MappedCost>(found));
  for (const evaluator::LevelTraffic& traffic : std::get<MappedCost>(found).cost.traffic)
    CHECK(traffic.operand != NestOperand::W);
  LoopNest weightless = matrix_product(4, 1, 4);
  weightless.bits.weight = 0;
  const auto same = best_core_cost(core, weightless, {});
  REQUIRE(std::holds_alternative<MappedCost>(same));
  CHECK(std::get<MappedCost>(same).cost.total_cycles() ==
        std::get<MappedCost>(found).cost.total_cycles());
}

TEST_CASE("best_core_cost: says which memory is too small") {
  Core core = two_lanes();
  core.memories[1].size_bits = 16;
  const auto found = best_core_cost(core, matrix_product(2, 2, 2), {});
  REQUIRE(std::holds_alternative<NoMapping>(found));
  CHECK(std::get<NoMapping>(found).reason ==
        "memory buffer holds 16 bits but I and W and O need 56 at the least");
}

TEST_CASE("best_core_cost: costs a nest of a single operation") {
  const auto found = best_core_cost(two_lanes(), matrix_product(1, 1, 1), {});
  REQUIRE(std::holds_alternative<MappedCost>(found));
  CHECK(std::get<MappedCost>(found).cost.ideal_cycles == 1);
  CHECK(std::get<MappedCost>(found).orders == 1);
}

TEST_CASE("best_core_costs: lists different costs, best first") {
  const Core core = two_lanes();
  const LoopNest nest = matrix_product(4, 4, 4);
  const auto listed = evaluator::best_core_costs(core, nest, core.dataflow, {}, 5);
  const auto best = best_core_cost(core, nest, core.dataflow, {});
  REQUIRE(listed.size() > 1);
  CHECK(listed[0].cost.total_cycles() == std::get<MappedCost>(best).cost.total_cycles());
  for (std::size_t i = 1; i < listed.size(); ++i) {
    const bool worse = listed[i].cost.total_cycles() > listed[i - 1].cost.total_cycles() ||
                       listed[i].cost.total_energy_pj() > listed[i - 1].cost.total_energy_pj();
    CHECK(worse);
  }
}

}  // namespace paretrain::tests
