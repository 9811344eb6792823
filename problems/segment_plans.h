// Why: the best plans of a chain keep activations at ends of segments that shrink towards the loss;
// found by a small dynamic programme they are the starts that chance takes longest to find.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problems/segment_table.h"

namespace paretrain::problems {

// What a unit of latency and of energy counts.
struct SegmentWeights {
  double latency = 1;
  double energy = 0;
};

// A choice of candidates to keep, with what the segments say it takes and costs.
struct SegmentPlan {
  std::vector<bool> kept;  // by candidate
  double latency = 0;      // of recomputes
  double energy = 0;
  std::int64_t budget_bytes = 0;
};

// The cheapest choice for which, in every segment, what was kept before and the segment's own bytes
// fit the budget; nothing when there is none. Near the optimum: of the ways to a place only the one
// with fewest kept bytes and the cheapest one of each of kSlices equal slices of the budget are
// followed, so it is exact for budgets below kSlices.
// Cost: O(places^2 * kSlices).
inline constexpr std::size_t kSlices = 64;
[[nodiscard]] std::optional<SegmentPlan> cheapest_segments(const SegmentTable& table,
                                                           const SegmentWeights& weights,
                                                           std::int64_t budget_bytes);

// The smallest budget that admits a plan. Requires: no bytes are negative and no sum of them
// overflows.
[[nodiscard]] std::int64_t smallest_segment_budget(const SegmentTable& table);

// Cheapest plans for budgets from the smallest one up and for mixtures of latency and energy, of
// those the undominated ones, all different: smallest budgets first.
[[nodiscard]] std::vector<SegmentPlan> segment_plans(const SegmentTable& table);

}  // namespace paretrain::problems
