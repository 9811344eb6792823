#include "evaluator/core_cost/order_energy.h"

#include "evaluator/core_cost/whole_number.h"

namespace paretrain::evaluator {

double word_accesses(const NestOnCore& nest,
                     const LaidOrder& laid,
                     std::size_t operand,
                     std::size_t level,
                     std::size_t direction) {
  const LinkTraffic& link = laid.link(operand, level, direction);
  if (link.period_count == 0 || link.bits == 0) return 0;
  const OperandLevelOnCore& at = nest.operands[operand].levels[level];
  const LevelPort& port = at.ports[direction];
  const double grains = rounded_up(link.bits / port.granularity_bits);
  return rounded_down(grains * (port.granularity_bits / port.word_bits) * link.period_count *
                      at.unit_count);
}

double memory_energy_pj(const NestOnCore& nest, const LaidOrder& laid) {
  double sum = 0;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest.operands[o];
    for (std::size_t level = 0; level < operand.level_count; ++level) {
      for (std::size_t d = 0; d < kDirectionCount; ++d) {
        sum += word_accesses(nest, laid, o, level, d) *
               operand.levels[level].ports[d].energy_per_word_pj;
      }
    }
  }
  return sum;
}

}  // namespace paretrain::evaluator
