#include "tests/evaluator/core_cost/small_cores.h"

#include <array>
#include <cstdlib>

#include "base/number_text.h"
#include "evaluator/hardware/core_kind.h"

namespace paretrain::tests {

namespace {

using evaluator::AxisIndex;
using evaluator::Core;
using evaluator::Direction;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::Memory;
using evaluator::MemoryOperand;
using evaluator::MemoryPort;
using evaluator::NestOperand;
using evaluator::PortUse;

AxisIndex direct(Loop loop) {
  AxisIndex axis;
  axis.first = loop;
  return axis;
}

constexpr std::array<Direction, 2> kInputReads = {Direction::ReadToLow, Direction::ReadToHigh};
constexpr std::array<Direction, 2> kInputWrites = {Direction::WriteFromHigh,
                                                   Direction::WriteFromLow};

MemoryPort port(const std::vector<MemoryOperand>& operands,
                const std::array<Direction, 2>& directions,
                std::int64_t granularity,
                std::int64_t bandwidth) {
  MemoryPort result{"port", granularity, bandwidth, {}};
  for (const MemoryOperand operand : operands) {
    for (const Direction direction : directions) {
      const bool output_only =
          direction == Direction::ReadToHigh || direction == Direction::WriteFromLow;
      if (operand == MemoryOperand::O || !output_only)
        result.uses.push_back(PortUse{operand, direction});
    }
  }
  return result;
}

Memory memory(std::string name,
              std::int64_t size_bits,
              std::vector<MemoryOperand> operands,
              std::vector<std::size_t> served) {
  Memory result;
  result.name = std::move(name);
  result.size_bits = size_bits;
  result.operands = std::move(operands);
  result.served_axes = std::move(served);
  return result;
}

void add_ports(Memory& memory, std::int64_t granularity, std::int64_t bandwidth) {
  memory.ports = {port(memory.operands, kInputReads, granularity, bandwidth),
                  port(memory.operands, kInputWrites, granularity, bandwidth)};
}

std::int64_t pick(RandomStream& random, std::initializer_list<std::int64_t> values) {
  return values.begin()[random.below(values.size())];
}

}  // namespace

LoopNest matrix_product(std::int64_t d, std::int64_t c, std::int64_t k) {
  LoopNest nest;
  nest.size(Loop::D) = d;
  nest.size(Loop::C) = c;
  nest.size(Loop::K) = k;
  nest.operand(NestOperand::O) = {direct(Loop::D), direct(Loop::K)};
  nest.operand(NestOperand::W) = {direct(Loop::C), direct(Loop::K)};
  nest.operand(NestOperand::I) = {direct(Loop::D), direct(Loop::C)};
  return nest;
}

LoopNest convolution(std::int64_t k, std::int64_t c, std::int64_t size) {
  LoopNest nest;
  nest.size(Loop::K) = k;
  nest.size(Loop::C) = c;
  nest.size(Loop::OY) = size;
  nest.size(Loop::OX) = size;
  nest.size(Loop::FY) = 3;
  nest.size(Loop::FX) = 3;
  nest.operand(NestOperand::O) = {direct(Loop::K), direct(Loop::OY), direct(Loop::OX)};
  nest.operand(NestOperand::W) = {
      direct(Loop::K), direct(Loop::C), direct(Loop::FY), direct(Loop::FX)};
  nest.operand(NestOperand::I) = {direct(Loop::C),
                                  {Loop::OY, 1, true, Loop::FY, 1, size + 2},
                                  {Loop::OX, 1, true, Loop::FX, 1, size + 2}};
  return nest;
}

Core two_lanes() {
  Core core;
  core.name = "two lanes";
  core.array = {{2}, 1.0};
  core.dataflow = {std::vector<evaluator::UnrollFactor>{{Loop::K, 2}}};
  core.kind = evaluator::core_kind(core);
  Memory output = memory("register", 16, {MemoryOperand::O}, {});
  output.read_energy_pj = 0.1;
  output.write_energy_pj = 0.2;
  for (const Direction direction : {Direction::ReadToLow,
                                    Direction::ReadToHigh,
                                    Direction::WriteFromLow,
                                    Direction::WriteFromHigh})
    output.ports.push_back({"port", 16, 16, {PortUse{MemoryOperand::O, direction}}});
  Memory buffer =
      memory("buffer", 1024, {MemoryOperand::I1, MemoryOperand::I2, MemoryOperand::O}, {0});
  buffer.read_energy_pj = 2;
  buffer.write_energy_pj = 3;
  add_ports(buffer, 8, 16);
  core.memories = {output, buffer};
  return core;
}

Core random_core(RandomStream& random) {
  const std::vector<MemoryOperand> all = {MemoryOperand::I1, MemoryOperand::I2, MemoryOperand::O};
  Core core;
  core.name = "random";
  core.array.mac_energy_pj = 0.5;
  core.array.sizes =
      random.below(2) == 0 ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{3, 2};
  core.dataflow.resize(core.array.sizes.size());
  core.dataflow[0] = std::vector<evaluator::UnrollFactor>{{Loop::K, 4}};
  if (core.dataflow.size() > 1)
    core.dataflow[1] = std::vector<evaluator::UnrollFactor>{{Loop::C, 2}};
  core.kind = evaluator::core_kind(core);
  std::vector<std::size_t> every(core.array.sizes.size());
  for (std::size_t axis = 0; axis < every.size(); ++axis)
    every[axis] = axis;
  core.memories.push_back(memory("weights", pick(random, {16, 64, 256}), {MemoryOperand::I2}, {}));
  add_ports(core.memories.back(), 8, 8);
  core.memories.push_back(memory("sums", pick(random, {32, 64}), {MemoryOperand::O}, {}));
  add_ports(core.memories.back(), 16, 16);
  if (random.below(2) == 0) {
    core.memories.push_back(memory(
        "buffer", pick(random, {1024, 4096, 16384}), {MemoryOperand::I1, MemoryOperand::O}, every));
    add_ports(core.memories.back(), 16, pick(random, {32, 64, 128}));
  }
  core.memories.push_back(memory("outer", 1'000'000, all, every));
  add_ports(core.memories.back(), 8, pick(random, {8, 32, 64}));
  double energy = 0.1;
  for (Memory& m : core.memories) {
    m.read_energy_pj = energy * (1 + random.unit());
    m.write_energy_pj = energy * (1 + random.unit());
    energy *= 8;
  }
  return core;
}

LoopNest random_nest(RandomStream& random) {
  LoopNest nest =
      random.below(2) == 0
          ? matrix_product(
                pick(random, {1, 4, 6}), pick(random, {2, 3, 8}), pick(random, {2, 5, 8}))
          : convolution(pick(random, {2, 5}), pick(random, {1, 3}), pick(random, {4, 5}));
  const std::int64_t bits = pick(random, {8, 16});
  nest.bits = {bits, bits, pick(random, {16, 32}), bits};
  return nest;
}

std::uint64_t test_seed() {
  const char* const given = std::getenv("TEST_SEED");
  const auto seed = given == nullptr ? std::nullopt : parsed_integer(given);
  return static_cast<std::uint64_t>(seed.value_or(1));
}

}  // namespace paretrain::tests
