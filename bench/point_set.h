// Why: the engine and pagmo are compared on the same random points, with new ones in every
// iteration, for whoever sees the same points again is faster than in a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace paretrain::bench {

enum class PointShape {
  Uniform,  // anywhere in the unit cube
  Front     // on the sphere's part in it, so that no point dominates another
};

struct PointSet {
  PointShape shape = PointShape::Uniform;
  std::size_t objectives = 2;
  std::size_t points = 100;
};

// Every shape, with 2, 3 and 4 objectives, of every size.
[[nodiscard]] std::vector<PointSet> point_sets(std::span<const std::size_t> sizes);

// "uniform/M:2/N:100".
[[nodiscard]] std::string name(const PointSet& set);

// How many sets a repetition uses up, one per iteration: enough to be measured.
[[nodiscard]] inline std::int64_t ring_size(const PointSet& set) {
  return static_cast<std::int64_t>(40000 / set.points);
}

// Shape: points x objectives, row by row.
[[nodiscard]] std::vector<double> random_points(const PointSet& set,
                                                std::uint64_t seed,
                                                std::uint64_t index);

// Number of the ranks' benchmark points, of the hypervolumes', and the populations of generations.
inline constexpr std::size_t kRankSizes[] = {200, 400, 1000, 2000, 5000};
inline constexpr std::size_t kHypervolumeSizes[] = {100, 300, 1000};
inline constexpr std::size_t kPopulations[] = {200, 1000};

// Hypervolumes are measured up to this value of every objective.
inline constexpr double kReference = 1.1;

// From the start of a search, for both sides.
inline constexpr int kGenerations = 30;

}  // namespace paretrain::bench
