// Why: two searches, two machines or two optimizers are compared by their fronts: how much they
// dominate, who covers whom, and what each offers at equal memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "results/knee.h"

namespace paretrain::results {

using ObjectiveSet = std::vector<ObjectivePoint>;

// Per objective the worst value of any point + 1. Without points: 1.
[[nodiscard]] ObjectivePoint common_reference(std::span<const ObjectiveSet> fronts);

// Volume dominated up to the reference, divided by the product of the reference.
// Requires: a positive reference.
[[nodiscard]] double hypervolume_share(const ObjectiveSet& front, const ObjectivePoint& reference);

// Share of `covered` that some point of `covering` is at least as good as in every objective; 1
// when `covered` is empty. Source: Zitzler, Thiele, IEEE TEVC 3(4), 1999 (C metric).
// Cost: O(product of sizes).
[[nodiscard]] double coverage(const ObjectiveSet& covering, const ObjectiveSet& covered);

// The least latency and the least energy among plans within a memory; empty when none is.
struct BestWithin {
  std::optional<double> latency;
  std::optional<double> energy;
};

[[nodiscard]] BestWithin best_within(const ObjectiveSet& front, double memory_bytes);

// At most `count` memories that tell the fronts apart: from the smallest with which every front has
// a plan to the largest peak of any, evenly over the peaks that occur.
[[nodiscard]] std::vector<double> memory_levels(std::span<const ObjectiveSet> fronts,
                                                std::size_t count);

}  // namespace paretrain::results
