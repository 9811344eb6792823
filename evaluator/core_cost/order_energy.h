// Why: the energy of an order laid over the memories: words moved times energy per word.
#pragma once

#include <cstddef>

#include "evaluator/core_cost/laid_order.h"
#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// Full-width words over the whole nest and all instances. Source: docs/core-cost.md, energy.
[[nodiscard]] double word_accesses(const NestOnCore& nest,
                                   const LaidOrder& laid,
                                   std::size_t operand,
                                   std::size_t level,
                                   std::size_t direction);

// Of all memories, in picojoules; without the array.
[[nodiscard]] double memory_energy_pj(const NestOnCore& nest, const LaidOrder& laid);

}  // namespace paretrain::evaluator
