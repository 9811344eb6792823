// Why: a tensor that moves tile by tile moves in whole bytes that add up; energies and times are
// those of the sizes that really occur.
#pragma once

#include <cstdint>
#include <vector>

namespace paretrain::evaluator {

// Items of so many bytes.
struct Portion {
  std::int64_t bytes = 0;
  std::int64_t times = 0;
};

// Bytes of a tensor item by item. Shape: `portions` has every size once.
struct ItemBytes {
  std::int64_t items = 1;
  std::int64_t full = 0;  // most items but the last
  std::int64_t last = 0;
  std::vector<Portion> portions;
};

// How what has passed after some items is made a whole number.
enum class Rounding { Down, Up };

// Each item but the last takes `share` of `whole`, the last what is left.
// Requires: items at least 1. Cost: constant when shares are whole bytes, else linear in items.
[[nodiscard]] ItemBytes portioned(std::int64_t total,
                                  std::int64_t items,
                                  std::int64_t share,
                                  std::int64_t whole,
                                  Rounding rounding);

// One item.
[[nodiscard]] ItemBytes undivided(std::int64_t total);

// Adds items to the sizes that occur.
void add_portion(std::vector<Portion>& portions, std::int64_t bytes, std::int64_t times);

}  // namespace paretrain::evaluator
