// Why: most orders differ only in loops whose order no memory notices. What costs the same as an
// order seen before need not be costed again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/core_cost/loop_order.h"
#include "evaluator/core_cost/memory_allocation.h"
#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// Whether the double buffers of this operand's outermost memory tell orders apart: only where
// another operand has that memory below its outermost.
[[nodiscard]] bool outermost_run_matters(const NestOnCore& nest, std::size_t operand);

// Shape: [operand][length]: a number for what the first loops of an order are to the operand,
// whatever order they stand in: how many of each role and size.
using PrefixNumbers =
    std::array<std::array<std::uint32_t, kMaxTemporalLoops + 1>, kNestOperandCount>;

// The layouts that a search has met, told apart by all that LaidOrder reads off an order and its
// cuts: the loops within each cut as a multiset, those in a row at its outer end, and how long the
// array keeps an element. Exact: equal layouts have equal cycles and energy to the last bit.
// Source: docs/core-cost.md, search.
class SeenLayouts {
 public:
  explicit SeenLayouts(const NestOnCore& nest);

  // Whether the layout is new. Requires: cuts after merge_stationary().
  [[nodiscard]] bool add(const LoopOrder& order, const PrefixNumbers& prefixes, const Cuts& merged);

 private:
  static constexpr std::size_t kMostWords = kNestOperandCount * (kMaxLevels + 1);

  [[nodiscard]] bool is_at(std::size_t slot, std::span<const std::uint64_t> key) const;
  void grow();

  const NestOnCore& nest_;
  std::array<bool, kNestOperandCount> outermost_matters_{};
  std::size_t words_ = 0;              // of a key
  std::vector<std::uint64_t> keys_;    // one after another
  std::vector<std::uint64_t> hashes_;  // by key
  std::vector<std::uint32_t> slots_;   // a key's place + 1, or 0; a power of two of them
  std::array<std::uint64_t, kMostWords> key_{};
};

}  // namespace paretrain::evaluator
