// Why: caches and duplicate removal need one 64-bit hash that is the same on every machine and in
// every build.
#pragma once

#include <cstdint>
#include <span>

namespace paretrain {

// A bijection of 64-bit words whose output bits each depend on all input bits.
// Source: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t word) noexcept {
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31U);
}

[[nodiscard]] constexpr std::uint64_t combined(std::uint64_t hash, std::uint64_t word) noexcept {
  return mixed(hash + 0x9e3779b97f4a7c15ULL + word * 0xd6e8feb86659fd93ULL);
}

[[nodiscard]] constexpr std::uint64_t hash_of(std::span<const std::uint64_t> words) noexcept {
  std::uint64_t hash = words.size();
  for (const std::uint64_t word : words)
    hash = combined(hash, word);
  return hash;
}

}  // namespace paretrain
