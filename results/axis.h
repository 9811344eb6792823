// Why: cycles, picojoules and bytes come in millions; axes show round numbers in a unit that suits
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paretrain::results {

struct AxisUnit {
  double divisor = 1;
  std::string text;  // "M cycles", "mJ", "MiB"
};

// The unit in which `largest` reads well. Picojoules become nJ to J, cycles k to T cycles, bytes
// KiB to TiB; any other unit stays, with a power of ten in front when the numbers need one.
[[nodiscard]] AxisUnit axis_unit(std::string_view unit, double largest);

struct AxisTick {
  double value = 0;  // in the axis's unit
  std::string text;
};

// A range that holds all values, with some room, and round ticks inside it.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<AxisTick> ticks;

  [[nodiscard]] double share(double value) const { return (value - low) / (high - low); }
};

// Requires: finite, smallest <= largest, at_most_ticks >= 2.
[[nodiscard]] Axis axis(double smallest, double largest, int at_most_ticks);

}  // namespace paretrain::results
