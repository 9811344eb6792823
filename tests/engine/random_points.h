// Why: laws are tested under random input that a failing seed brings back.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"

namespace paretrain::tests {

// The seed that random tests start from: $TEST_SEED, or 1.
[[nodiscard]] inline std::uint64_t test_seed() {
  const char* const text = std::getenv("TEST_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

// Rows of objectives: numbers of [0, 1), or with levels > 0 whole numbers below it (many ties).
[[nodiscard]] inline std::vector<double> random_points(std::size_t rows,
                                                       std::size_t objective_count,
                                                       std::uint64_t levels,
                                                       RandomStream& random) {
  std::vector<double> points;
  for (std::size_t i = 0; i < rows * objective_count; ++i)
    points.push_back(levels > 0 ? static_cast<double>(random.below(levels)) : random.unit());
  return points;
}

}  // namespace paretrain::tests
