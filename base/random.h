// Why: results must not depend on threads or on where a run was interrupted, so random numbers are
// counted, not drawn from a shared state: every (seed, generation, slot) has a stream of its own.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace paretrain {

__extension__ using Wide = unsigned __int128;

// A stream of random numbers whose whole state is a key and a counter.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, std::uint64_t generation, std::uint64_t slot) noexcept
      : key_(combined(combined(mixed(seed), generation), slot)) {}

  [[nodiscard]] constexpr std::uint64_t next() noexcept {
    counter_ += 0x9e3779b97f4a7c15ULL;
    return mixed(key_ + counter_);
  }

  // Uniform over 0 .. bound-1. Requires: bound > 0.
  // Source: multiply-shift with rejection, so without bias (Lemire, ACM TOMACS 29(1), 2019).
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    for (;;) {
      const auto product = static_cast<Wide>(next()) * bound;
      if (static_cast<std::uint64_t>(product) >= (0 - bound) % bound) {
        return static_cast<std::uint64_t>(product >> 64U);
      }
    }
  }

  // Uniform over [0, 1) in steps of 2^-53.
  [[nodiscard]] constexpr double unit() noexcept {
    return static_cast<double>(next() >> 11U) * 0x1.0p-53;
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace paretrain
