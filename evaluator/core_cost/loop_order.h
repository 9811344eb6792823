// Why: an order of temporal loops seen by each operand: what any prefix of it touches. Kept as
// running products, so that a search changes only the loops that differ from the order before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// Prefix i is loops 0 … i-1, inner to outer.
class LoopOrder {
 public:
  LoopOrder() { steps_[0] = 1; }

  // Puts a loop at place `depth`; everything outside it is forgotten.
  void place(const NestOnCore& nest, std::size_t depth, TemporalLoop loop) {
    loops_[depth] = loop;
    const auto factor = static_cast<double>(loop.size);
    steps_[depth + 1] = steps_[depth] * factor;
    for (std::size_t o = 0; o < kNestOperandCount; ++o) {
      const LoopRole role = nest.operands[o].indexing.role(loop.loop);
      roles_[o][depth] = role;
      const bool same = depth > 0 && roles_[o][depth - 1] == role;
      run_starts_[o][depth + 1] = same ? run_starts_[o][depth] : static_cast<std::uint8_t>(depth);
      extents_[o][depth + 1] = extents_[o][depth];
      extents_[o][depth + 1].grow(role, factor);
    }
    size_ = depth + 1;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] const TemporalLoop& loop(std::size_t i) const { return loops_[i]; }

  // Product of the first i loops.
  [[nodiscard]] double steps(std::size_t i) const { return steps_[i]; }

  [[nodiscard]] LoopRole role(std::size_t operand, std::size_t i) const {
    return roles_[operand][i];
  }

  // Where the loops of one role begin that end with loop `end` - 1. Requires: `end` at least 1.
  [[nodiscard]] std::size_t run_start(std::size_t operand, std::size_t end) const {
    return run_starts_[operand][end];
  }

  // One past the last loop that the operand does not depend on; 0 when there is none.
  [[nodiscard]] std::size_t irrelevant_end(std::size_t operand) const {
    std::size_t end = size_;
    while (end > 0 && roles_[operand][end - 1] != LoopRole::Irrelevant)
      end = run_starts_[operand][end];
    return end;
  }

  [[nodiscard]] const Extent& extent(std::size_t operand, std::size_t i) const {
    return extents_[operand][i];
  }

 private:
  std::array<TemporalLoop, kMaxTemporalLoops> loops_{};
  std::array<double, kMaxTemporalLoops + 1> steps_{};
  std::array<std::array<LoopRole, kMaxTemporalLoops>, kNestOperandCount> roles_{};
  std::array<std::array<Extent, kMaxTemporalLoops + 1>, kNestOperandCount> extents_{};
  std::array<std::array<std::uint8_t, kMaxTemporalLoops + 1>, kNestOperandCount> run_starts_{};
  std::size_t size_ = 0;
};

}  // namespace paretrain::evaluator
