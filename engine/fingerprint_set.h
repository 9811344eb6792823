// Why: every genome is looked for among all that were seen, several times a generation; a set that
// stays within the processor's caches keeps that cheap.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace paretrain::engine {

// A set of 64-bit fingerprints that numbers them from 0 in the order of their insertion. Open
// addressing over slots of four bytes, at most half of them used. Keeps its buffers.
// Requires: fewer than 2^31 fingerprints.
class FingerprintSet {
 public:
  // The number of a fingerprint, when it is there.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t fingerprint) const noexcept {
    if (fingerprints_.empty()) return std::nullopt;
    const std::uint32_t number = slots_[place_of(fingerprint)] & mask();
    if (number == 0) return std::nullopt;
    return number - 1;
  }

  // Changes nothing and returns false when it is there.
  bool insert(std::uint64_t fingerprint);
  void clear();

  [[nodiscard]] std::size_t size() const noexcept { return fingerprints_.size(); }

 private:
  // 0: free. Otherwise the number plus one, which is at most mask(), and above it leading bits of
  // the fingerprint, which tell most others without a look at fingerprints_.
  using Slot = std::uint32_t;

  [[nodiscard]] Slot mask() const noexcept { return static_cast<Slot>(slots_.size() - 1); }

  // The slot that holds the fingerprint, or a free one. Requires: slots_ is not empty.
  [[nodiscard]] std::size_t place_of(std::uint64_t fingerprint) const noexcept {
    const Slot low = mask();
    const auto lead = static_cast<Slot>(fingerprint >> 32U);
    std::size_t place = fingerprint & low;
    for (; slots_[place] != 0; place = (place + 1) & low) {
      const Slot slot = slots_[place];
      if (((slot ^ lead) & ~low) == 0 && fingerprints_[(slot & low) - 1] == fingerprint) break;
    }
    return place;
  }

  void fill(std::size_t place, std::uint64_t fingerprint, std::size_t number) noexcept {
    const auto lead = static_cast<Slot>(fingerprint >> 32U);
    slots_[place] = (lead & ~mask()) | static_cast<Slot>(number + 1);
  }

  void grow();

  std::vector<Slot> slots_;  // a power of two
  std::vector<std::uint64_t> fingerprints_;
};

}  // namespace paretrain::engine
