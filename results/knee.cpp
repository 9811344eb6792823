#include "results/knee.h"

#include <algorithm>

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

}  // namespace paretrain::results
