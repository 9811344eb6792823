// Why: labels that lie on one another or on points cannot be read.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace paretrain::results {

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }

  [[nodiscard]] bool is_inside(const Box& other) const {
    return left >= other.left && right <= other.right && top >= other.top && bottom <= other.bottom;
  }
};

// A label of that size wanted near a place.
struct LabelRequest {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// Where labels may not be, and where they had better not be.
struct LabelSurroundings {
  Box bounds;
  std::vector<Box> blocked;  // other labels, markers
  std::vector<Box> points;   // lying on few of these is allowed
};

// One box per request, in order: no two overlap, none overlaps what is blocked, all lie inside the
// bounds. Empty where there is no room near enough. Each takes the place around it that covers
// fewest points, the nearest of those.
// Cost: O(requests * (blocked + points)).
[[nodiscard]] std::vector<std::optional<Box>> placed_labels(std::span<const LabelRequest> requests,
                                                            LabelSurroundings surroundings);

}  // namespace paretrain::results
