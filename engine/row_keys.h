// Why: objectives are often whole numbers of few digits (counts, cycles, bytes), and then a row of
// them fits one integer, which is sorted and compared at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::engine {

// Fills `keys` with one integer per row, the first objective in its highest bits: rows compare
// lexicographically as their keys do, and are equal (-0 and +0 are) where their keys are. Returns
// false, with `keys` undefined, when an objective does not rise from its smallest value in whole
// steps of 1, or when the ranges of all take more than 64 bits.
// Shape: `objectives` has rows of `objective_count` >= 1 values, no NaN. Cost: O(N M).
[[nodiscard]] bool pack_rows(std::span<const double> objectives,
                             std::size_t objective_count,
                             std::vector<std::uint64_t>& keys);

}  // namespace paretrain::engine
