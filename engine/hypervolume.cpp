#include "engine/hypervolume.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace paretrain::engine {

namespace {

// Corners of the covered part of the plane: x rises and y falls from step to step.
// The place of the first step with an x of at least `x`.
template <class Steps>
std::size_t first_from(const Steps& stairs, double x) {
  std::size_t low = 0;
  std::size_t high = stairs.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (stairs[middle].x < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Adds the corner (x, y) to stairs that start at (left, top of everything) and end above `bottom`.
// Returns the area that was not covered before. Requires: x > left, y > bottom.
template <class Steps>
double added_area(Steps& stairs, double x, double y, double left, double bottom) {
  const std::size_t end = first_from(stairs, x);
  const double right_y = end < stairs.size() ? stairs[end].y : bottom;
  if (right_y >= y) return 0;
  double covered_y = right_y;
  double right_x = x;
  double area = 0;
  std::size_t begin = end;
  while (begin > 0 && stairs[begin - 1].y <= y) {
    area += (right_x - stairs[begin - 1].x) * (y - covered_y);
    right_x = stairs[begin - 1].x;
    covered_y = stairs[begin - 1].y;
    --begin;
  }
  area += (right_x - (begin > 0 ? stairs[begin - 1].x : left)) * (y - covered_y);
  const std::size_t useless_end = end < stairs.size() && stairs[end].x == x ? end + 1 : end;
  const auto place = stairs.begin() + static_cast<std::ptrdiff_t>(begin);
  if (begin == useless_end) {
    stairs.insert(place, {x, y});
  } else {
    *place = {x, y};
    stairs.erase(place + 1, stairs.begin() + static_cast<std::ptrdiff_t>(useless_end));
  }
  return area;
}

}  // namespace

std::span<const KeyOrder::Entry> Hypervolume::by_falling(std::span<const double> sizes,
                                                         std::size_t dimension,
                                                         std::size_t objective) {
  keys_.resize(sizes.size() / dimension);
  for (std::size_t row = 0; row < keys_.size(); ++row)
    keys_[row] = ~order_key(sizes[row * dimension + objective]);
  return sorter_.sorted(keys_);
}

double Hypervolume::area(std::span<const double> sizes) {
  double total = 0;
  double top = 0;
  for (const KeyOrder::Entry& entry : by_falling(sizes, 2, 0)) {
    const double y = sizes[2 * entry.row + 1];
    if (y <= top) continue;
    total += sizes[2 * entry.row] * (y - top);
    top = y;
  }
  return total;
}

double Hypervolume::volume_three(std::span<const double> sizes) {
  stairs_.clear();
  double total = 0;
  for (const KeyOrder::Entry& entry : by_falling(sizes, 3, 2)) {
    const double* const point = sizes.data() + 3 * entry.row;
    total += added_area(stairs_, point[0], point[1], 0, 0) * point[2];
  }
  return total;
}

// What the point's box adds to the union of the boxes in space_: the uncovered part of its
// rectangle, swept from its top downwards.
double Hypervolume::exclusive_volume(double x, double y, double z) {
  // Every x up to `left` is covered over the whole height y, every y up to `bottom` over the width.
  double left = 0;
  double bottom = 0;
  double uncovered = x * y;
  double level = z;
  double total = 0;
  stairs_.clear();
  const std::size_t size = space_.x.size();
  for (std::size_t i = 0; i < size; ++i) {
    const double other_x = space_.x[i];
    const double other_y = space_.y[i];
    if (other_x <= left || other_y <= bottom) continue;
    const double clipped_x = std::min(other_x, x);
    const double clipped_y = std::min(other_y, y);
    const double gained = added_area(stairs_, clipped_x, clipped_y, left, bottom);
    if (gained == 0) continue;
    const double other_z = std::min(space_.z[i], z);
    total += uncovered * (level - other_z);
    level = other_z;
    if (clipped_x == x && clipped_y == y) return total;
    uncovered -= gained;
    if (clipped_y == y) {
      left = clipped_x;
      stairs_.erase(stairs_.begin());
    } else if (clipped_x == x) {
      bottom = clipped_y;
      stairs_.pop_back();
    }
  }
  return total + uncovered * level;
}

void Hypervolume::insert_in_space(double x, double y, double z) {
  const auto place = std::partition_point(
      space_.z.begin(), space_.z.end(), [z](double other) { return other > z; });
  const auto at = static_cast<std::size_t>(place - space_.z.begin());
  std::size_t kept = at;
  for (std::size_t i = at; i < space_.x.size(); ++i) {
    if (space_.x[i] <= x && space_.y[i] <= y) continue;
    space_.x[kept] = space_.x[i];
    space_.y[kept] = space_.y[i];
    space_.z[kept] = space_.z[i];
    ++kept;
  }
  const auto insert = [&](std::vector<double>& column, double value) {
    column.resize(kept);
    column.insert(column.begin() + static_cast<std::ptrdiff_t>(at), value);
  };
  insert(space_.x, x);
  insert(space_.y, y);
  insert(space_.z, z);
}

double Hypervolume::volume_four(std::span<const double> sizes) {
  space_.x.clear();
  space_.y.clear();
  space_.z.clear();
  double total = 0;
  for (const KeyOrder::Entry& entry : by_falling(sizes, 4, 3)) {
    const double* const point = sizes.data() + 4 * entry.row;
    const double exclusive = exclusive_volume(point[0], point[1], point[2]);
    if (!(exclusive > 0)) continue;
    total += exclusive * point[3];
    insert_in_space(point[0], point[1], point[2]);
  }
  return total;
}

// A point adds, over those with a larger last objective, its last objective times what its box adds
// to theirs in the other objectives.
double Hypervolume::volume_more(std::span<const double> sizes, std::size_t dimension) {
  std::vector<std::uint32_t> order;
  for (const KeyOrder::Entry& entry : by_falling(sizes, dimension, dimension - 1))
    order.push_back(entry.row);
  const std::size_t fewer = dimension - 1;
  std::vector<double> clipped;
  double total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double* const point = sizes.data() + order[i] * dimension;
    double box = 1;
    for (std::size_t k = 0; k < fewer; ++k)
      box *= point[k];
    clipped.clear();
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < fewer; ++k)
        clipped.push_back(std::min(point[k], sizes[order[j] * dimension + k]));
    }
    total += (box - volume_of(clipped, fewer)) * point[fewer];
  }
  return total;
}

double Hypervolume::volume_of(std::span<const double> sizes, std::size_t dimension) {
  if (sizes.empty()) return 0;
  switch (dimension) {
    case 1:
      return *std::max_element(sizes.begin(), sizes.end());
    case 2:
      return area(sizes);
    case 3:
      return volume_three(sizes);
    case 4:
      return volume_four(sizes);
    default:
      return volume_more(sizes, dimension);
  }
}

double Hypervolume::volume(std::span<const double> points, std::span<const double> reference) {
  const std::size_t dimension = reference.size();
  CHECK(dimension >= 1 && points.size() % dimension == 0, "points of another dimension");
  sizes_.clear();
  for (std::size_t first = 0; first < points.size(); first += dimension) {
    const std::size_t before = sizes_.size();
    for (std::size_t k = 0; k < dimension; ++k) {
      const double size = reference[k] - points[first + k];
      if (!(size > 0)) break;
      sizes_.push_back(size);
    }
    if (sizes_.size() != before + dimension) sizes_.resize(before);
  }
  return volume_of(sizes_, dimension);
}

double plain_hypervolume(std::span<const double> points, std::span<const double> reference) {
  const std::size_t dimension = reference.size();
  const std::size_t count = points.size() / dimension;
  CHECK(count <= 20, "inclusion and exclusion takes 2^N steps");
  double total = 0;
  for (std::uint32_t subset = 1; subset < (1U << count); ++subset) {
    double volume = -1;
    for (std::size_t k = 0; k < dimension; ++k) {
      double size = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < count; ++i) {
        if (((subset >> i) & 1U) != 0)
          size = std::min(size, reference[k] - points[i * dimension + k]);
      }
      volume *= std::max(size, 0.0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (((subset >> i) & 1U) != 0) volume = -volume;
    }
    total += volume;
  }
  return total;
}

}  // namespace paretrain::engine
