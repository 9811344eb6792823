#include "results/label_placement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace paretrain::results {

namespace {

constexpr std::array<double, 8> kRadii{8, 11, 15, 21, 29, 40, 56, 78};
constexpr int kDirections = 16;

// The label's box when it hangs on the point at that distance and direction: its nearest edge or
// corner is there.
Box box_at(const LabelRequest& request, double radius, int direction) {
  // Upper right first: there a label is read as belonging to its point.
  const double angle =
      std::numbers::pi / 4 + 2 * std::numbers::pi * direction / static_cast<double>(kDirections);
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double x = request.x + radius * cosine + (cosine - 1) / 2 * request.width;
  const double y = request.y - radius * sine - (sine + 1) / 2 * request.height;
  return {x, y, x + request.width, y + request.height};
}

double cost(const Box& box, double radius, const LabelSurroundings& surroundings) {
  const auto covered = std::ranges::count_if(surroundings.points,
                                             [&](const Box& point) { return box.overlaps(point); });
  return static_cast<double>(covered) + radius / 10;
}

bool is_free(const Box& box, const LabelSurroundings& surroundings) {
  return box.is_inside(surroundings.bounds) &&
         std::ranges::none_of(surroundings.blocked,
                              [&](const Box& other) { return box.overlaps(other); });
}

}  // namespace

std::vector<std::optional<Box>> placed_labels(std::span<const LabelRequest> requests,
                                              LabelSurroundings surroundings) {
  std::vector<std::optional<Box>> placed;
  for (const LabelRequest& request : requests) {
    std::optional<Box> best;
    double best_cost = 0;
    for (const double radius : kRadii) {
      for (int direction = 0; direction < kDirections; ++direction) {
        const Box box = box_at(request, radius, direction);
        if (!is_free(box, surroundings)) continue;
        const double its_cost = cost(box, radius, surroundings);
        if (best && its_cost >= best_cost) continue;
        best = box;
        best_cost = its_cost;
      }
    }
    if (best) surroundings.blocked.push_back(*best);
    placed.push_back(best);
  }
  return placed;
}

}  // namespace paretrain::results
