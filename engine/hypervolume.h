// Why: one exact number that says how good a front is; progress, patience and comparisons use it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/key_order.h"

namespace paretrain::engine {

// Volume that the points dominate up to the reference point (all minimised). Keeps its buffers.
// Points that are not better than the reference in every objective contribute nothing; dominated
// points and copies may be among them. Empty: 0. One objective: the length.
// Shape: row-major points of reference.size() objectives. Requires: finite numbers, at least one
// objective.
// Cost, for N points: O(N log N) for two and three objectives (Beume et al., IEEE TEVC 13(5),
// 2009), O(N^2) comparisons and little more for four (after Guerreiro, Fonseca, IEEE TEVC 22(3),
// 2018), exponential in M - 4 beyond (limit sets as in While et al., IEEE TEVC 16(1), 2012).
class Hypervolume {
 public:
  double volume(std::span<const double> points, std::span<const double> reference);

 private:
  struct Step {
    double x = 0;
    double y = 0;
  };

  // Points of three objectives by descending z, in columns.
  struct Space {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> z;
  };

  // All work on extents, the distances from the reference: positive, larger is better; the region
  // of a point is the box between the origin and it. `sizes` is row-major.
  double volume_of(std::span<const double> sizes, std::size_t dimension);
  double area(std::span<const double> sizes);
  double volume_three(std::span<const double> sizes);
  double volume_four(std::span<const double> sizes);
  double volume_more(std::span<const double> sizes, std::size_t dimension);
  std::span<const KeyOrder::Entry> by_falling(std::span<const double> sizes,
                                              std::size_t dimension,
                                              std::size_t objective);
  double exclusive_volume(double x, double y, double z);
  void insert_in_space(double x, double y, double z);

  KeyOrder sorter_;
  std::vector<std::uint64_t> keys_;
  std::vector<double> sizes_;
  std::vector<std::uint32_t> order_;
  std::vector<Step> stairs_;
  Space space_;
};

// The definition, by inclusion and exclusion over all subsets: the oracle of tests.
// Requires: at most 20 points.
[[nodiscard]] double plain_hypervolume(std::span<const double> points,
                                       std::span<const double> reference);

}  // namespace paretrain::engine
