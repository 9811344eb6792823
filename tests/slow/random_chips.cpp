#include "tests/slow/random_chips.h"

#include <algorithm>
#include <array>
#include <string>

#include "problems/builtin_accelerators.h"
#include "problems/builtin_cores.h"
#include "tests/evaluator/core_cost/small_cores.h"

namespace paretrain::tests {

namespace {

using evaluator::Accelerator;
using evaluator::Core;
using evaluator::CoreId;
using evaluator::CoreKind;
using evaluator::Link;
using evaluator::Memory;
using evaluator::MemoryPort;

std::int64_t scaled(std::int64_t number, std::uint64_t up, std::uint64_t down) {
  return std::max<std::int64_t>(1, (number << up) >> down);
}

Accelerator changed_builtin(RandomStream& random) {
  constexpr std::array kNames{
      "edge-tpu-quad", "fusemax", "fusemax-example", "edge-tpu-4x4", "tpu-v4i", "tpu", "eyeriss"};
  Accelerator chip = *problems::builtin_accelerator(kNames[random.below(kNames.size())]);
  for (Link& link : chip.links)
    link.bandwidth_bits = scaled(link.bandwidth_bits, random.below(3), random.below(3));
  const std::uint64_t wider = random.below(3);
  const std::uint64_t smaller = random.below(6);
  for (Core& core : chip.cores)
    for (Memory& memory : core.memories) {
      const bool outermost = &memory == &core.memories.back();
      if (memory.is_dram || core.kind == CoreKind::Memory) {
        for (MemoryPort& port : memory.ports)
          port.bandwidth_max_bits <<= wider;
      } else if (outermost) {
        memory.size_bits >>= smaller;
      }
    }
  return chip;
}

Accelerator toy(RandomStream& random) {
  Accelerator chip;
  chip.name = "toy";
  const std::size_t cores = 1 + random.below(3);
  const bool alike = random.below(2) == 0;
  const std::int64_t bytes = std::int64_t{256} << random.below(9);
  for (std::size_t c = 0; c < cores; ++c) {
    chip.cores.push_back(c > 0 && alike ? chip.cores.front() : random_core(random));
    chip.cores.back().memories.back().size_bits = 8 * bytes;
  }
  const std::int64_t port = std::int64_t{8} << random.below(5);
  chip.cores.push_back(problems::cores::offchip_core("dram", port, 100));
  chip.offchip = CoreId(cores);
  Link bus{true, {}, std::int64_t{8} << random.below(5), 1};
  for (std::size_t c = 0; c <= cores; ++c)
    bus.cores.emplace_back(c);
  chip.links.push_back(bus);
  if (random.below(2) == 0)
    for (std::size_t c = 0; c + 1 < cores; ++c)
      chip.links.push_back(
          {false, {CoreId(c), CoreId(c + 1)}, std::int64_t{8} << random.below(4), 1});
  return chip;
}

}  // namespace

Accelerator random_accelerator(RandomStream& random) {
  return random.below(3) == 0 ? toy(random) : changed_builtin(random);
}

}  // namespace paretrain::tests
