#include "results/knee.h"

#include <algorithm>

#include "engine/non_dominated_ranks.h"

namespace paretrain::results {

std::optional<std::size_t> knee(std::span<const ObjectivePoint> points) {
  if (points.empty()) return std::nullopt;
  ObjectivePoint low = points.front();
  ObjectivePoint high = points.front();
  for (const ObjectivePoint& point : points) {
    for (std::size_t k = 0; k < point.size(); ++k) {
      low[k] = std::min(low[k], point[k]);
      high[k] = std::max(high[k], point[k]);
    }
  }
  std::size_t best = 0;
  double best_distance = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double distance = 0;  // squared
    for (std::size_t k = 0; k < low.size(); ++k) {
      if (high[k] == low[k]) continue;
      const double share = (points[i][k] - low[k]) / (high[k] - low[k]);
      distance += share * share;
    }
    if (i == 0 || distance < best_distance) {
      best = i;
      best_distance = distance;
    }
  }
  return best;
}

std::vector<Standing> standings(std::span<const ObjectivePoint> points) {
  std::vector<double> rows;
  rows.reserve(points.size() * 3);
  for (const ObjectivePoint& point : points)
    for (const double value : point)
      rows.push_back(value + 0.0);  // minus zero is zero
  std::vector<Standing> result;
  if (points.empty()) return result;
  engine::NonDominatedRanks sorter;
  for (const std::uint32_t rank : sorter.ranks(rows, 3))
    result.push_back(rank == 0 ? Standing::NonDominated : Standing::Dominated);
  return result;
}

}  // namespace paretrain::results
