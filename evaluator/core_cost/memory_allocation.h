// Why: which loops of an order each operand keeps in which memory. Operands may cut the same order
// at different places ("uneven").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "evaluator/core_cost/loop_order.h"
#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// Shape: [operand][level]: loops held in levels 0 … level, as a prefix length.
using Cuts = std::array<std::array<std::uint8_t, kMaxLevels>, kNestOperandCount>;

// Fills memories from the inside out; each shared memory takes the prefixes that leave the least
// traffic to the level above. Empty when something does not fit.
// Source: docs/core-cost.md, allocation.
[[nodiscard]] std::optional<Cuts> allocated(const NestOnCore& nest, const LoopOrder& order);

// Moves loops that an operand does not depend on below the level that they open: data that does
// not change is not fetched again. Source: docs/core-cost.md, stationary loops.
void merge_stationary(const NestOnCore& nest, const LoopOrder& order, Cuts& cuts);

// The first memory whose users do not fit even without temporal loops, as a message.
[[nodiscard]] NoMapping reason_for_no_allocation(const NestOnCore& nest, const Core& core);

}  // namespace paretrain::evaluator
