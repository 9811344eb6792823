#include "evaluator/core_cost/fitted_core.h"

#include <algorithm>
#include <cmath>

#include "evaluator/core_cost/operand_memories.h"

namespace paretrain::evaluator {

namespace {

// What arrays without a weight register are taken to be built for.
constexpr double kDefaultOperandBits = 8;

std::int64_t narrowest_port(const Memory& memory, MemoryOperand operand) {
  std::int64_t bits = 0;
  for (const MemoryPort& port : memory.ports) {
    for (const PortUse& use : port.uses) {
      if (use.operand == operand)
        bits = bits == 0 ? port.bandwidth_max_bits : std::min(bits, port.bandwidth_max_bits);
    }
  }
  return bits;
}

// Over the operands that start in a register: how much wider than its port the widest element is
// (1 when it is not), and the bits of one element each, which it holds at the least.
struct Widening {
  double factor = 1;
  std::int64_t element_bits = 0;
};

Widening widening_of(const Core& core,
                     std::size_t memory,
                     const LoopNest& nest,
                     const CoreCostOptions& options) {
  Widening result;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const auto operand = static_cast<NestOperand>(o);
    if (!moves_data(nest, operand)) continue;
    const std::vector<std::size_t> levels = levels_of(core, options.links[o]);
    if (levels.empty() || levels.front() != memory) continue;
    const std::int64_t element = widest_bits(nest, operand, options.model);
    const std::int64_t port = narrowest_port(core.memories[memory], options.links[o]);
    result.element_bits += element;
    if (port > 0) {
      result.factor =
          std::max(result.factor, static_cast<double>(element) / static_cast<double>(port));
    }
  }
  return result;
}

std::int64_t scaled(std::int64_t bits, double factor) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(bits) * factor));
}

void widen(Memory& memory, double factor) {
  memory.size_bits = scaled(memory.size_bits, factor);
  memory.read_energy_pj *= factor;
  memory.write_energy_pj *= factor;
  for (MemoryPort& port : memory.ports) {
    port.bandwidth_min_bits = scaled(port.bandwidth_min_bits, factor);
    port.bandwidth_max_bits = scaled(port.bandwidth_max_bits, factor);
  }
}

double operand_bits_of_array(const Core& core, const CoreCostOptions& options) {
  const MemoryOperand weight = options.links[static_cast<std::size_t>(NestOperand::W)];
  const std::vector<std::size_t> levels = levels_of(core, weight);
  if (levels.empty() || !is_register(core, core.memories[levels.front()]))
    return kDefaultOperandBits;
  const std::int64_t port = narrowest_port(core.memories[levels.front()], weight);
  return port > 0 ? static_cast<double>(port) : kDefaultOperandBits;
}

// An adder grows with the width, a multiplier with the product of its two widths.
double operation_scale(const Core& core, const LoopNest& nest, const CoreCostOptions& options) {
  const double built_for = operand_bits_of_array(core, options);
  double scale = 1;
  for (const NestOperand operand : {NestOperand::W, NestOperand::I}) {
    if (!moves_data(nest, operand)) continue;
    scale *=
        std::max(1.0, static_cast<double>(widest_bits(nest, operand, options.model)) / built_for);
  }
  return scale;
}

}  // namespace

FittedCore fitted_core(const Core& core, const LoopNest& nest, const CoreCostOptions& options) {
  if (options.model == CostModel::Zigzag) return FittedCore(&core);
  Core copy = core;
  copy.array.mac_energy_pj *= operation_scale(core, nest, options);
  for (std::size_t m = 0; m < copy.memories.size(); ++m) {
    if (!is_register(core, core.memories[m])) continue;
    const Widening widening = widening_of(core, m, nest, options);
    if (widening.factor > 1) widen(copy.memories[m], widening.factor);
    copy.memories[m].size_bits = std::max(copy.memories[m].size_bits, widening.element_bits);
  }
  return FittedCore(std::move(copy));
}

}  // namespace paretrain::evaluator
