#include "bench/point_set.h"

#include <cmath>
#include <numbers>

#include "base/random.h"

namespace paretrain::bench {

std::vector<PointSet> point_sets(std::span<const std::size_t> sizes) {
  std::vector<PointSet> sets;
  for (const PointShape shape : {PointShape::Uniform, PointShape::Front}) {
    for (const std::size_t objectives : {2U, 3U, 4U}) {
      for (const std::size_t points : sizes)
        sets.push_back({.shape = shape, .objectives = objectives, .points = points});
    }
  }
  return sets;
}

std::string name(const PointSet& set) {
  return std::string(set.shape == PointShape::Front ? "front" : "uniform") +
         "/M:" + std::to_string(set.objectives) + "/N:" + std::to_string(set.points);
}

std::vector<double> random_points(const PointSet& set, std::uint64_t seed, std::uint64_t index) {
  RandomStream random(seed, 0, index);
  std::vector<double> values(set.points * set.objectives);
  if (set.shape == PointShape::Uniform) {
    for (double& value : values)
      value = random.unit();
    return values;
  }
  for (std::size_t begin = 0; begin < values.size(); begin += set.objectives) {
    const std::span<double> row = std::span(values).subspan(begin, set.objectives);
    double squares = 0;
    for (double& value : row) {
      // Box and Muller's method makes the sphere even.
      const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
      value = std::abs(radius * std::cos(2 * std::numbers::pi * random.unit()));
      squares += value * value;
    }
    for (double& value : row)
      value /= std::sqrt(squares);
  }
  return values;
}

}  // namespace paretrain::bench
