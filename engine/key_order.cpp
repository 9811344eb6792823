#include "engine/key_order.h"

#include <algorithm>
#include <utility>

namespace paretrain::engine {

namespace {

constexpr std::size_t kFewKeys = 24;
constexpr std::size_t kManyKeys = 1500;
constexpr std::size_t kVeryManyKeys = 100'000;

bool comes_before(const KeyOrder::Entry& a, const KeyOrder::Entry& b) noexcept {
  return a.key != b.key ? a.key < b.key : a.row < b.row;
}

}  // namespace

// Stable: entries with equal digits keep their order. `places` holds where each digit begins.
void KeyOrder::radix_pass(std::span<std::uint32_t> places, unsigned shift, std::uint64_t mask) {
  for (const Entry& entry : entries_)
    other_[places[(entry.key >> shift) & mask]++] = entry;
  entries_.swap(other_);
}

void KeyOrder::sort_leading_digits(unsigned lowest_bit, unsigned digit_bits, unsigned passes) {
  const std::size_t digits = std::size_t{1} << digit_bits;
  const std::uint64_t mask = digits - 1;
  counts_.assign(digits * passes, 0);
  for (const Entry& entry : entries_) {
    for (unsigned pass = 0; pass < passes; ++pass)
      ++counts_[pass * digits + ((entry.key >> (lowest_bit + pass * digit_bits)) & mask)];
  }
  for (unsigned pass = 0; pass < passes; ++pass) {
    const std::span<std::uint32_t> counts(counts_.data() + pass * digits, digits);
    std::uint32_t start = 0;
    for (std::uint32_t& count : counts)
      start += std::exchange(count, start);
    radix_pass(counts, lowest_bit + pass * digit_bits, mask);
  }
}

// Insertion after the leading digits are in order: few entries move, and not far. When they do, a
// comparison sort takes over.
void KeyOrder::finish() {
  std::size_t moves_left = 4 * entries_.size();
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    const Entry entry = entries_[i];
    std::size_t place = i;
    while (place > 0 && entries_[place - 1].key > entry.key) {
      entries_[place] = entries_[place - 1];
      --place;
    }
    entries_[place] = entry;
    if (i - place > moves_left) {
      std::sort(entries_.begin(), entries_.end(), comes_before);
      return;
    }
    moves_left -= i - place;
  }
}

std::span<const KeyOrder::Entry> KeyOrder::sorted(std::span<const std::uint64_t> keys) {
  const std::size_t size = keys.size();
  entries_.resize(size);
  std::uint64_t varying = 0;
  for (std::size_t row = 0; row < size; ++row) {
    entries_[row] = {.key = keys[row], .row = static_cast<std::uint32_t>(row)};
    varying |= keys[row] ^ keys[0];
  }
  if (varying == 0) return entries_;
  if (size > kFewKeys) {
    other_.resize(size);
    const unsigned digit_bits = size > kManyKeys ? 11 : 8;
    const auto top = static_cast<unsigned>(std::bit_width(varying));
    const unsigned most = size > kManyKeys && size <= kVeryManyKeys ? 2 : 3;
    const unsigned passes = std::min(most, (top + digit_bits - 1) / digit_bits);
    const unsigned covered = digit_bits * passes;
    sort_leading_digits(top > covered ? top - covered : 0, digit_bits, passes);
  }
  finish();
  return entries_;
}

}  // namespace paretrain::engine
