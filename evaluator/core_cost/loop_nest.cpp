#include "evaluator/core_cost/loop_nest.h"

namespace paretrain::evaluator {

std::string_view loop_name(Loop loop) {
  static constexpr std::array<std::string_view, kLoopCount> kNames = {
      "B", "G", "K", "C", "OY", "OX", "FY", "FX", "H", "D", "IY", "IX"};
  return kNames[static_cast<std::size_t>(loop)];
}

std::int64_t LoopNest::operations() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : sizes)
    product *= extent;
  return product;
}

}  // namespace paretrain::evaluator
