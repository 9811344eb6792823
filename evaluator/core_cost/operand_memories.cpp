#include "evaluator/core_cost/operand_memories.h"

#include <algorithm>

namespace paretrain::evaluator {

std::vector<std::size_t> levels_of(const Core& core, MemoryOperand operand) {
  std::vector<std::size_t> levels;
  for (std::size_t m = 0; m < core.memories.size(); ++m) {
    const auto& operands = core.memories[m].operands;
    if (std::find(operands.begin(), operands.end(), operand) != operands.end()) levels.push_back(m);
  }
  return levels;
}

const MemoryPort* port_of(const Memory& memory, MemoryOperand operand, Direction direction) {
  for (const MemoryPort& port : memory.ports) {
    for (const PortUse& use : port.uses) {
      if (use.operand == operand && use.direction == direction) return &port;
    }
  }
  return nullptr;
}

bool is_register(const Core& core, const Memory& memory) {
  for (std::size_t axis = 0; axis < core.array.sizes.size(); ++axis) {
    if (std::find(memory.served_axes.begin(), memory.served_axes.end(), axis) ==
        memory.served_axes.end())
      return true;
  }
  return false;
}

bool reduces(const LoopNest& nest) {
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    if (nest.sizes[l] == 1) continue;
    const auto& axes = nest.operand(NestOperand::O);
    const bool indexes = std::any_of(axes.begin(), axes.end(), [&](const AxisIndex& axis) {
      return !axis.windowed && axis.first == static_cast<Loop>(l);
    });
    if (!indexes) return true;
  }
  return false;
}

std::int64_t widest_bits(const LoopNest& nest, NestOperand operand, CostModel model) {
  switch (operand) {
    case NestOperand::O:
      if (model == CostModel::Corrected && !reduces(nest)) return nest.bits.output_final;
      return std::max(nest.bits.output_partial, nest.bits.output_final);
    case NestOperand::W:
      return nest.bits.weight;
    case NestOperand::I:
      return nest.bits.input;
  }
  return 0;
}

bool moves_data(const LoopNest& nest, NestOperand operand) {
  return !nest.operand(operand).empty() && widest_bits(nest, operand, CostModel::Zigzag) > 0;
}

}  // namespace paretrain::evaluator
