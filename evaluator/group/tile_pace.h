// Why: tiles of one operator may be larger than those of the next, so that each needs another
// number of tiles more than its own.
#pragma once

#include <cstdint>

namespace paretrain::evaluator {

// Tile t needs another operator's tile ⌊(t × gain + ahead) / every⌋, and at least the first.
struct TilePace {
  std::int64_t gain = 1;
  std::int64_t ahead = 0;
  std::int64_t every = 1;

  // Tile t needs tile t + ahead.
  [[nodiscard]] bool is_in_step() const { return gain == 1 && every == 1 && ahead >= 0; }

  [[nodiscard]] std::int64_t tile(std::int64_t of) const {
    const std::int64_t reached = of * gain + ahead;
    return reached < 0 ? 0 : reached / every;
  }

  friend bool operator==(const TilePace&, const TilePace&) = default;
};

}  // namespace paretrain::evaluator
