// Why: the cost model rounds up and down everywhere; these do it inline for the numbers that occur
// (non-negative, far below 2^63), where the library's functions are calls.
#pragma once

#include <cstdint>

namespace paretrain::evaluator {

// Requires: 0 <= number < 2^63.
[[nodiscard]] inline double rounded_down(double number) {
  return static_cast<double>(static_cast<std::int64_t>(number));
}

// Requires: 0 <= number < 2^63.
[[nodiscard]] inline double rounded_up(double number) {
  const double down = rounded_down(number);
  return down < number ? down + 1 : down;
}

}  // namespace paretrain::evaluator
