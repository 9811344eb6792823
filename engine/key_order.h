// Why: sorting is the largest part of ranking, and objectives sort faster as integers by digits
// than by comparisons that a processor cannot predict.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::engine {

// An integer that orders as the number does; -0 equals +0. Requires: not NaN.
[[nodiscard]] inline std::uint64_t order_key(double value) noexcept {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Sorts rows by key. Keeps its buffers between calls, so repeated use allocates nothing.
class KeyOrder {
 public:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t row = 0;
  };

  // The rows 0 .. keys.size()-1 by ascending key, equal keys by row. Valid until the next call.
  // Cost: two or three passes over the leading digits that differ, then insertion; falls back to
  // a comparison sort when many keys agree in their leading digits only.
  [[nodiscard]] std::span<const Entry> sorted(std::span<const std::uint64_t> keys);

 private:
  void radix_pass(std::span<std::uint32_t> places, unsigned shift, std::uint64_t mask);
  void sort_leading_digits(unsigned lowest_bit, unsigned digit_bits, unsigned passes);
  void finish();

  std::vector<Entry> entries_;
  std::vector<Entry> other_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace paretrain::engine
