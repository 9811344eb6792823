#include "engine/fingerprint_set.h"

#include <algorithm>

namespace paretrain::engine {

namespace {

constexpr std::size_t kLeastSlots = 64;
constexpr std::size_t kGrowth = 4;

}  // namespace

void FingerprintSet::grow() {
  slots_.assign(std::max(kLeastSlots, kGrowth * slots_.size()), 0);
  for (std::size_t number = 0; number < fingerprints_.size(); ++number) {
    std::size_t place = fingerprints_[number] & mask();
    while (slots_[place] != 0)  // all are different
      place = (place + 1) & mask();
    fill(place, fingerprints_[number], number);
  }
}

bool FingerprintSet::insert(std::uint64_t fingerprint) {
  if (2 * (fingerprints_.size() + 1) > slots_.size()) grow();
  const std::size_t place = place_of(fingerprint);
  if (slots_[place] != 0) return false;
  fill(place, fingerprint, fingerprints_.size());
  fingerprints_.push_back(fingerprint);
  return true;
}

void FingerprintSet::clear() {
  std::fill(slots_.begin(), slots_.end(), 0U);
  fingerprints_.clear();
}

}  // namespace paretrain::engine
