#include "evaluator/core_cost/recurring_windows.h"

#include <algorithm>

#include "evaluator/core_cost/whole_number.h"

namespace paretrain::evaluator {

double RecurringWindows::covered(std::size_t count, double span) const {
  if (count == 0 || span <= 0) return 0;
  const double period = windows_[count - 1].period;
  if (span < period) return covered_in_period(count, span);
  const double whole = rounded_down(span / period);
  const double rest = span - whole * period;
  return whole * covered_in_period(count, period) + covered_in_period(count, rest);
}

double RecurringWindows::covered_in_period(std::size_t count, double span) const {
  if (span <= 0) return 0;
  const double head = std::min(span, windows_[count - 1].length);
  if (count == 1) return head;
  return head + covered(count - 1, span) - covered(count - 1, head);
}

}  // namespace paretrain::evaluator
