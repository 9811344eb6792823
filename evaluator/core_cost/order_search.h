// Why: the best order of a nest's loops is found by walking all of them as a tree, without looking
// twice at what costs the same. Source: docs/core-cost.md, search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/core_cost/laid_order.h"
#include "evaluator/core_cost/loop_order.h"
#include "evaluator/core_cost/memory_allocation.h"
#include "evaluator/core_cost/nest_on_core.h"
#include "evaluator/core_cost/seen_layouts.h"

namespace paretrain::evaluator {

// What an objective compares: first the first, then the second.
struct Score {
  double first = 0;
  double second = 0;
};

[[nodiscard]] bool better(const Score& a, const Score& b);

[[nodiscard]] Score score_of(Objective objective, double cycles, double energy);

[[nodiscard]] double cycles_of(const NestOnCore& nest, const LaidOrder& laid);

[[nodiscard]] double energy_of(const NestOnCore& nest, const LaidOrder& laid);

// An order with the loops that each memory holds.
struct AllocatedOrder {
  LoopOrder order;
  Cuts cuts;
};

// Walks the distinct orders of a multiset of loops, keeping the first of the best.
class OrderSearch {
 public:
  // Only what is better than `bound` counts. Requires: the nest outlives this.
  OrderSearch(const NestOnCore& nest, Objective objective, std::optional<Score> bound);

  void run(const std::vector<TemporalLoop>& factors);

  // Empty when nothing is better than the bound.
  [[nodiscard]] const std::optional<AllocatedOrder>& best_order() const { return best_order_; }

  [[nodiscard]] const std::optional<Score>& best() const { return best_; }

 private:
  struct Kind {
    TemporalLoop loop;
    std::size_t left = 0;
    // What one of them adds to an operand's number of a prefix.
    std::array<std::uint32_t, kNestOperandCount> digits{};
  };

  void number_kinds();
  void descend(std::size_t depth);
  void place(std::size_t depth, const Kind& kind);
  [[nodiscard]] bool rest_does_not_matter(std::size_t depth) const;
  void judge();

  const NestOnCore& nest_;
  Objective objective_;
  std::optional<Score> best_;
  std::optional<AllocatedOrder> best_order_;
  std::vector<Kind> kinds_;
  std::size_t length_ = 0;
  std::size_t shared_ = 0;  // loops of the order that it shares with the one judged last
  LoopOrder order_;
  PrefixNumbers prefixes_{};
  Allocations allocations_;
  SeenLayouts seen_;
  LaidOrder laid_;
};

}  // namespace paretrain::evaluator
