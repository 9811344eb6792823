#include "engine/dominance.h"

#include <algorithm>

namespace paretrain::engine {

bool weakly_dominates(std::span<const double> a, std::span<const double> b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x <= y; });
}

bool dominates(std::span<const double> a, std::span<const double> b) noexcept {
  return weakly_dominates(a, b) && !std::equal(a.begin(), a.end(), b.begin());
}

bool constraint_dominates(std::span<const double> a,
                          double violation_a,
                          std::span<const double> b,
                          double violation_b) noexcept {
  if (violation_a > 0 || violation_b > 0) return violation_a < violation_b;
  return dominates(a, b);
}

std::vector<std::uint32_t> plain_ranks(std::span<const double> objectives,
                                       std::size_t objective_count) {
  const std::size_t rows = objective_count == 0 ? 0 : objectives.size() / objective_count;
  const auto row = [&](std::size_t i) {
    return objectives.subspan(i * objective_count, objective_count);
  };
  std::vector<std::uint32_t> ranks(rows, 0);
  std::vector<std::size_t> remaining;
  for (std::size_t i = 0; i < rows; ++i)
    remaining.push_back(i);
  for (std::uint32_t rank = 0; !remaining.empty(); ++rank) {
    std::vector<std::size_t> dominated;
    for (const std::size_t i : remaining) {
      const bool later = std::any_of(remaining.begin(), remaining.end(), [&](std::size_t j) {
        return dominates(row(j), row(i));
      });
      if (later) {
        dominated.push_back(i);
      } else {
        ranks[i] = rank;
      }
    }
    remaining = dominated;
  }
  return ranks;
}

}  // namespace paretrain::engine
