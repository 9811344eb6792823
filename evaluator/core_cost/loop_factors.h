// Why: the search permutes loops split into prime factors; this is the splitting, and the walk over
// all distinct orders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/core_cost/mapping.h"

namespace paretrain::evaluator {

// The temporal loops as prime factors, merged until no more than `limit` are left (or than there
// are loops, when that is more). A nest without temporal loops gives one loop of size 1.
// Shape: grouped by loop in declaration order, factors ascending.
// Source: docs/core-cost.md, loop factors.
[[nodiscard]] std::vector<TemporalLoop> loop_factors(
    const LoopNest& nest, const std::array<std::int64_t, kLoopCount>& temporal, int limit);

// Calls `visit` with every distinct order of the factors, lexicographically by place in `factors`.
void for_each_order(const std::vector<TemporalLoop>& factors,
                    const std::function<void(std::span<const TemporalLoop>)>& visit);

// Number of distinct orders of the factors.
[[nodiscard]] std::int64_t order_count(const std::vector<TemporalLoop>& factors);

}  // namespace paretrain::evaluator
