#include <array>
#include <cstdlib>
#include <functional>

#include "base/number_text.h"
#include "base/random.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/hardware/offchip.h"
#include "problems/builtin_accelerators.h"
#include "problems/operator_nests.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using evaluator::Accelerator;
using evaluator::best_core_cost;
using evaluator::Core;
using evaluator::core_cost_of_order;
using evaluator::CoreCost;
using evaluator::CoreCostOptions;
using evaluator::CoreKind;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::MappedCost;
using evaluator::Memory;
using evaluator::NoMapping;
using evaluator::Objective;
using problems::NestKind;
using problems::NestShape;

constexpr double kRounding = 1 + 1e-9;

std::uint64_t test_seed() {
  const char* const given = std::getenv("TEST_SEED");
  const auto seed = given == nullptr ? std::nullopt : parsed_integer(given);
  return static_cast<std::uint64_t>(seed.value_or(1));
}

std::int64_t pick(RandomStream& random, std::initializer_list<std::int64_t> values) {
  return values.begin()[random.below(values.size())];
}

LoopNest random_nest(RandomStream& random) {
  NestShape shape;
  shape.kind = static_cast<NestKind>(random.below(6));
  const auto size = [&](Loop loop) -> std::int64_t& {
    return shape.sizes[static_cast<std::size_t>(loop)];
  };
  for (const Loop loop : {Loop::B, Loop::K, Loop::C})
    size(loop) = pick(random, {1, 2, 3, 8, 14, 64, 50});
  if (shape.kind == NestKind::MatrixProduct) {
    size(Loop::D) = pick(random, {1, 7, 32});
  } else {
    size(Loop::OY) = size(Loop::OX) = pick(random, {1, 7, 14, 28});
  }
  const bool windowed = shape.kind == NestKind::Convolution || shape.kind == NestKind::Pooling ||
                        shape.kind == NestKind::Depthwise;
  if (windowed) {
    size(Loop::FY) = size(Loop::FX) = pick(random, {1, 3, 5});
    shape.stride_x = shape.stride_y = pick(random, {1, 2});
  }
  const std::int64_t bits = pick(random, {8, 16, 32});
  shape.bits = {bits, bits, std::max<std::int64_t>(bits, 16), bits};
  return problems::loop_nest_of(shape);
}

bool is_register(const Core& core, const Memory& memory) {
  return memory.served_axes.size() < core.array.sizes.size();
}

double value(Objective objective, const CoreCost& cost) {
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

struct Sample {
  Core core;
  LoopNest nest;
  CoreCostOptions options;
  MappedCost mapped;
};

// Calls `law` with random operators on random cores of the chips, whole (with DRAM) or on chip.
void for_samples(std::uint64_t stream,
                 std::initializer_list<const char*> chips,
                 const std::function<void(const Sample&, RandomStream&)>& law) {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    INFO("TEST_SEED=" << seed << " trial " << trial);
    RandomStream random(seed, stream, trial);
    const Accelerator chip =
        *problems::builtin_accelerator(chips.begin()[random.below(chips.size())]);
    Sample sample;
    const std::size_t core = random.below(chip.cores.size());
    if (chip.cores[core].kind == CoreKind::Memory) continue;
    sample.core = evaluator::on_chip_part(chip.cores[core]);
    sample.nest = random_nest(random);
    sample.options.objective = static_cast<Objective>(random.below(3));
    sample.options.loop_limit = 4;
    const auto found = best_core_cost(sample.core, sample.nest, sample.options);
    if (const auto* mapped = std::get_if<MappedCost>(&found)) {
      sample.mapped = *mapped;
      law(sample, random);
    }
  }
}

double searched(const Core& core, const Sample& sample) {
  const auto found = best_core_cost(core, sample.nest, sample.options);
  REQUIRE(std::holds_alternative<MappedCost>(found));
  return value(sample.options.objective, std::get<MappedCost>(found).cost);
}

double in_same_order(const Core& core, const Sample& sample) {
  const auto found = core_cost_of_order(core,
                                        sample.nest,
                                        sample.mapped.mapping.requested,
                                        sample.mapped.mapping.order,
                                        sample.options);
  REQUIRE(std::holds_alternative<MappedCost>(found));
  return value(sample.options.objective, std::get<MappedCost>(found).cost);
}

}  // namespace

TEST_CASE("corrected cost: more bandwidth never costs more") {
  for_samples(1,
              {"edge-tpu-quad", "fusemax", "fusemax-example", "edge-tpu", "meta-prototype"},
              [](const Sample& sample, RandomStream& random) {
                Core core = sample.core;
                Memory& memory = core.memories[random.below(core.memories.size())];
                if (is_register(core, memory)) return;  // docs/core-cost.md, precision
                for (evaluator::MemoryPort& port : memory.ports)
                  port.bandwidth_max_bits *= 2;
                const double before = value(sample.options.objective, sample.mapped.cost);
                CHECK(searched(core, sample) <= before * kRounding);
                CHECK(in_same_order(core, sample) <= before * kRounding);
              });
}

TEST_CASE("corrected cost: lower access energy never costs more") {
  for_samples(2,
              {"edge-tpu-quad", "fusemax", "edge-tpu-4x4", "eyeriss", "meta-prototype"},
              [](const Sample& sample, RandomStream& random) {
                Core core = sample.core;
                Memory& memory = core.memories[random.below(core.memories.size())];
                memory.read_energy_pj *= 0.7;
                memory.write_energy_pj *= 0.4;
                const double before = value(sample.options.objective, sample.mapped.cost);
                CHECK(searched(core, sample) <= before * kRounding);
                CHECK(in_same_order(core, sample) <= before * kRounding);
              });
}

TEST_CASE("corrected cost: a memory of twice the size never costs more") {
  for_samples(3,
              {"edge-tpu-quad", "fusemax", "fusemax-example", "edge-tpu-4x4"},
              [](const Sample& sample, RandomStream& random) {
                Core core = sample.core;
                core.memories[random.below(core.memories.size())].size_bits *= 2;
                const double before = value(sample.options.objective, sample.mapped.cost);
                CHECK(searched(core, sample) <= before * kRounding);
              });
}

TEST_CASE(
    "corrected cost: more memory never costs more with a DRAM level when sizes are all tried") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    INFO("TEST_SEED=" << seed << " trial " << trial);
    RandomStream random(seed, 5, trial);
    static constexpr std::array kChips = {"tpu", "edge-tpu", "meta-prototype", "eyeriss"};
    Sample sample;
    sample.core = evaluator::with_offchip_level(
        *problems::builtin_accelerator(kChips[random.below(kChips.size())]), evaluator::CoreId(0));
    sample.nest = random_nest(random);
    sample.options.objective = static_cast<Objective>(random.below(3));
    sample.options.loop_limit = 3;
    sample.options.allocating = evaluator::Allocating::Thorough;
    const auto found = best_core_cost(sample.core, sample.nest, sample.options);
    if (std::holds_alternative<NoMapping>(found)) continue;
    const double before = value(sample.options.objective, std::get<MappedCost>(found).cost);
    Core core = sample.core;
    core.memories[random.below(core.memories.size())].size_bits *= 2;
    CHECK(searched(core, sample) <= before * kRounding);
  }
}

TEST_CASE("corrected cost: scaling every energy scales the total") {
  for_samples(
      4,
      {"edge-tpu-quad", "fusemax", "edge-tpu", "eyeriss"},
      [](const Sample& sample, RandomStream& /*random*/) {
        Core core = sample.core;
        core.array.mac_energy_pj *= 4;
        for (Memory& memory : core.memories) {
          memory.read_energy_pj *= 4;
          memory.write_energy_pj *= 4;
        }
        const auto found = best_core_cost(core, sample.nest, sample.options);
        const CoreCost& cost = std::get<MappedCost>(found).cost;
        CHECK(cost.total_cycles() == sample.mapped.cost.total_cycles());
        CHECK(cost.total_energy_pj() == doctest::Approx(4 * sample.mapped.cost.total_energy_pj()));
      });
}

TEST_CASE("corrected cost: every kind of operator has a mapping on the built-in chips") {
  for (const char* name : {"edge-tpu-quad", "fusemax", "edge-tpu-4x4", "tpu-v4i"}) {
    const Accelerator chip = *problems::builtin_accelerator(name);
    for (std::size_t c = 0; c < chip.cores.size(); ++c) {
      if (chip.cores[c].kind == CoreKind::Memory) continue;
      const Core core = evaluator::with_offchip_level(chip, evaluator::CoreId(c));
      for (int kind = 0; kind < 6; ++kind) {
        INFO(name << " core " << c << " kind " << kind);
        NestShape shape;
        shape.kind = static_cast<NestKind>(kind);
        shape.bits = {32, 32, 32, 32};
        shape.sizes = {2, 1, 24, 12, 10, 10, 3, 3, 1, 5, 1, 1};
        const auto found = best_core_cost(core, problems::loop_nest_of(shape), {});
        REQUIRE(std::holds_alternative<MappedCost>(found));
        CHECK(std::get<MappedCost>(found).cost.total_cycles() > 0);
        CHECK(std::get<MappedCost>(found).cost.total_energy_pj() > 0);
      }
    }
  }
}

}  // namespace paretrain::tests
