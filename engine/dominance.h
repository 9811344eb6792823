// Why: everything about fronts rests on this one relation; the fast ways must agree with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::engine {

// Objectives are minimised. Equal vectors do not dominate one another.
// Requires: equal sizes, no NaN.
[[nodiscard]] bool dominates(std::span<const double> a, std::span<const double> b) noexcept;

// Whether a is at least as good everywhere.
[[nodiscard]] bool weakly_dominates(std::span<const double> a, std::span<const double> b) noexcept;

// A feasible one before an infeasible one; two infeasible ones by violation; two feasible ones by
// dominance. Source: Deb et al., IEEE TEVC 6(2), 2002, section VI.
[[nodiscard]] bool constraint_dominates(std::span<const double> a,
                                        double violation_a,
                                        std::span<const double> b,
                                        double violation_b) noexcept;

// Front of each row by the definition: 0 for rows that nothing dominates, then those that only rows
// of earlier fronts dominate. Shape: `objectives` has rows of `objective_count` values.
// Cost: O(M N^2) per front; the oracle of engine/non_dominated_ranks.h.
[[nodiscard]] std::vector<std::uint32_t> plain_ranks(std::span<const double> objectives,
                                                     std::size_t objective_count);

}  // namespace paretrain::engine
