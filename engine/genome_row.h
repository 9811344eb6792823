// Why: genomes of bits, integers and reals share one packed form, so that one loop, one duplicate
// check and one snapshot serve them all.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::engine {

using Word = std::uint64_t;
using GenomeView = std::span<const Word>;
using GenomeRow = std::span<Word>;
using Genome = std::vector<Word>;

inline constexpr std::size_t kWordBits = 64;

// Both ends belong to the range.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 1;
};

struct RealRange {
  double low = 0;
  double high = 1;
};

// Which genes a genome has; the kind of a gene is part of the type and never changes.
// Shape: a row is ceil(bits / 64) words of packed bits (bit i is bit i % 64 of word i / 64, unused
// high bits are zero), then one word per integer (two's complement), then one word per real (its
// IEEE bits, never -0 and never NaN).
struct GenomeLayout {
  std::size_t bits = 0;
  std::vector<IntegerRange> integers = {};
  std::vector<RealRange> reals = {};

  [[nodiscard]] std::size_t bit_words() const noexcept {
    return (bits + kWordBits - 1) / kWordBits;
  }

  [[nodiscard]] std::size_t words() const noexcept {
    return bit_words() + integers.size() + reals.size();
  }

  [[nodiscard]] std::size_t genes() const noexcept { return bits + integers.size() + reals.size(); }

  [[nodiscard]] bool has_reals_only() const noexcept { return reals.size() == genes(); }
};

[[nodiscard]] inline bool bit(GenomeView genome, std::size_t index) noexcept {
  return ((genome[index / kWordBits] >> (index % kWordBits)) & 1U) != 0;
}

inline void flip_bit(GenomeRow genome, std::size_t index) noexcept {
  genome[index / kWordBits] ^= Word{1} << (index % kWordBits);
}

inline void set_bit(GenomeRow genome, std::size_t index) noexcept {
  genome[index / kWordBits] |= Word{1} << (index % kWordBits);
}

inline void clear_bit(GenomeRow genome, std::size_t index) noexcept {
  genome[index / kWordBits] &= ~(Word{1} << (index % kWordBits));
}

[[nodiscard]] inline std::int64_t integer(const GenomeLayout& layout,
                                          GenomeView genome,
                                          std::size_t index) noexcept {
  return static_cast<std::int64_t>(genome[layout.bit_words() + index]);
}

inline void set_integer(const GenomeLayout& layout,
                        GenomeRow genome,
                        std::size_t index,
                        std::int64_t value) noexcept {
  genome[layout.bit_words() + index] = static_cast<Word>(value);
}

[[nodiscard]] inline double real(const GenomeLayout& layout,
                                 GenomeView genome,
                                 std::size_t index) noexcept {
  return std::bit_cast<double>(genome[layout.bit_words() + layout.integers.size() + index]);
}

// Minus zero is stored as zero, so that equal numbers are equal rows.
inline void set_real(const GenomeLayout& layout,
                     GenomeRow genome,
                     std::size_t index,
                     double value) noexcept {
  genome[layout.bit_words() + layout.integers.size() + index] = std::bit_cast<Word>(value + 0.0);
}

}  // namespace paretrain::engine
