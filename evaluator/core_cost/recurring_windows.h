// Why: a port is shared in time; how much of it its users' windows cover together decides how much
// slack is left.
#pragma once

#include <array>
#include <cstddef>

#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// The first `length` cycles of every `period`. Units: cycles.
struct RecurringWindow {
  double period;
  double length;
};

// Windows whose periods divide one another, as prefixes of one order of loops do.
class RecurringWindows {
 public:
  // Requires: at most kMaxPortLinks windows.
  void add(RecurringWindow window) {
    std::size_t place = count_++;
    for (; place > 0 && windows_[place - 1].period > window.period; --place)
      windows_[place] = windows_[place - 1];
    windows_[place] = window;
  }

  // Cycles in [0, span) that lie in a window.
  [[nodiscard]] double covered(double span) const { return covered(count_, span); }

 private:
  // By the first `count` windows.
  [[nodiscard]] double covered(std::size_t count, double span) const;
  // The same for a span within one period of the last of them.
  [[nodiscard]] double covered_in_period(std::size_t count, double span) const;

  std::array<RecurringWindow, kMaxPortLinks> windows_;  // by period; only count_ are read
  std::size_t count_ = 0;
};

}  // namespace paretrain::evaluator
