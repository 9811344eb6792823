#include "evaluator/core_cost/tile_extent.h"

#include <limits>
#include <numeric>

#include "base/check.h"

namespace paretrain::evaluator {

namespace {

Window window_of(const AxisIndex& axis, CostModel model) {
  const std::int64_t divisor = std::gcd(axis.stride, axis.dilation);
  Window window;
  window.stride = static_cast<double>(axis.stride / divisor);
  window.dilation = static_cast<double>(axis.dilation / divisor);
  window.extent = static_cast<double>(axis.extent);
  window.slack = model == CostModel::Zigzag ? -std::numeric_limits<double>::infinity() : 0.0;
  return window;
}

// A loop that indexes two dimensions of one operand (a diagonal) counts for the first of them.
void assign(OperandIndexing& indexing, Loop loop, LoopRole role) {
  LoopRole& known = indexing.roles[static_cast<std::size_t>(loop)];
  if (known == LoopRole::Irrelevant) known = role;
}

}  // namespace

OperandIndexing operand_indexing(const LoopNest& nest, NestOperand operand, CostModel model) {
  static constexpr std::array<LoopRole, kMaxWindows> kFirst = {LoopRole::FirstOfWindow0,
                                                               LoopRole::FirstOfWindow1};
  static constexpr std::array<LoopRole, kMaxWindows> kSecond = {LoopRole::SecondOfWindow0,
                                                                LoopRole::SecondOfWindow1};
  OperandIndexing indexing;
  indexing.cuts_to_whole = model == CostModel::Zigzag;
  for (const AxisIndex& axis : nest.operand(operand)) {
    if (!axis.windowed) {
      assign(indexing, axis.first, LoopRole::Relevant);
      continue;
    }
    CHECK(indexing.window_count < kMaxWindows, "an operand has more than two windowed axes");
    const std::size_t w = indexing.window_count++;
    indexing.windows[w] = window_of(axis, model);
    assign(indexing, axis.first, kFirst[w]);
    assign(indexing, axis.second, kSecond[w]);
  }
  return indexing;
}

}  // namespace paretrain::evaluator
