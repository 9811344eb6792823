#include "evaluator/group/portions.h"

#include <algorithm>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

// What has passed once `share` of `whole` is done.
std::int64_t passed(std::int64_t total, std::int64_t share, std::int64_t whole, Rounding rounding) {
  return std::min(
      total, rounding == Rounding::Up ? ceil_div(total * share, whole) : total * share / whole);
}

}  // namespace

void add_portion(std::vector<Portion>& portions, std::int64_t bytes, std::int64_t times) {
  const auto same = std::ranges::find(portions, bytes, &Portion::bytes);
  if (same == portions.end())
    portions.push_back({bytes, times});
  else
    same->times += times;
}

ItemBytes undivided(std::int64_t total) {
  return portioned(total, 1, 1, 1, Rounding::Down);
}

ItemBytes portioned(std::int64_t total,
                    std::int64_t items,
                    std::int64_t share,
                    std::int64_t whole,
                    Rounding rounding) {
  ItemBytes bytes{items, 0, total, {}};
  if (items > 1) {
    const std::int64_t before_last = passed(total, share * (items - 1), whole, rounding);
    if (total * share % whole == 0 && before_last == total * share / whole * (items - 1)) {
      add_portion(bytes.portions, total * share / whole, items - 1);
    } else {
      std::int64_t before = 0;
      for (std::int64_t item = 1; item < items; ++item) {
        const std::int64_t until = passed(total, share * item, whole, rounding);
        add_portion(bytes.portions, until - before, 1);
        before = until;
      }
    }
    bytes.full = std::ranges::max_element(bytes.portions, {}, &Portion::times)->bytes;
    bytes.last = total - before_last;
  }
  add_portion(bytes.portions, bytes.last, 1);
  return bytes;
}

}  // namespace paretrain::evaluator
