// Why: sizes come from files, so their products and sums may overflow; these say so instead of
// wrapping.
#pragma once

#include <cstdint>
#include <optional>

namespace paretrain {

// Empty when the result does not fit 64 signed bits.
[[nodiscard]] inline std::optional<std::int64_t> checked_product(std::int64_t a,
                                                                 std::int64_t b) noexcept {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

[[nodiscard]] inline std::optional<std::int64_t> checked_sum(std::int64_t a,
                                                             std::int64_t b) noexcept {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// Requires: a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace paretrain
