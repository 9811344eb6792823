// Why: Stream takes another mapping of a layer than the search does, one that asks little of the
// off-chip memory at a time. An evaluation that is compared with Stream must take the same one.
// Source: docs/group-cost.md, zigzag mode; cost_model_notes (b.5, b.8).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/core_cost/mapping.h"

namespace paretrain::evaluator {

struct StreamRankedCost {
  CoreCost cost;
  // Shape: by NestOperand. Units: bits per cycle of the off-chip memory while the tile runs;
  // partial sums that come back are not among them.
  std::array<double, kNestOperandCount> offchip_bandwidth_bits{};
};

// Objective latency: least ⌈bandwidth that the inputs ask for / off-chip bandwidth⌉ × cycles, one
// input counted once and the other for each of `parts` that run at a time. Energy or energy ×
// cycles: the least. Of equals the first in order of enumeration.
// Requires: the off-chip memory is the core's outermost level; sizes of at least 1; parts >= 1.
// Errors: none; a nest that does not fit is a NoMapping.
// Cost: every order is costed in full, without pruning.
[[nodiscard]] std::variant<StreamRankedCost, NoMapping> stream_ranked_cost(
    const Core& core, const LoopNest& nest, std::int64_t parts, const CoreCostOptions& options);

// The distinct orders of a multiset of loops by prefix shifts, from the non-increasing one on;
// loops compare by the letters of their dimension, then by size.
// Requires: at least one factor.
// Source: A. Williams, Loopless Generation of Multiset Permutations using a Constant Number of
// Variables by Prefix Shifts, SODA 2009.
void for_each_order_by_prefix_shift(
    std::vector<TemporalLoop> factors,
    const std::function<void(std::span<const TemporalLoop>)>& visit);

}  // namespace paretrain::evaluator
