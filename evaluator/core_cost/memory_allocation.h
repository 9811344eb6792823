// Why: which loops of an order each operand keeps in which memory. Operands may cut the same order
// at different places ("uneven").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluator/core_cost/loop_order.h"
#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// Shape: [operand][level]: loops held in levels 0 … level, as a prefix length.
using Cuts = std::array<std::array<std::uint8_t, kMaxLevels>, kNestOperandCount>;

// What prefixes of an order take, worked out once for all orders that begin with them.
struct PrefixSizes {
  // Shape: [operand][level][prefix length]: elements that a unit of the level holds; of the
  // outermost level only those of the whole order.
  std::array<std::array<std::array<double, kMaxTemporalLoops + 1>, kMaxLevels>, kNestOperandCount>
      elements;
  // Shape: [prefix length]: product of the loops outside.
  std::array<double, kMaxTemporalLoops + 1> steps_left;
};

// The allocations of orders to the memories of one nest. A scratch pad that serves a whole search.
class Allocations {
 public:
  Allocations(const NestOnCore& nest, Objective objective)
      : nest_(nest),
        tries_smaller_(
            nest.model == CostModel::Corrected &&
            (nest.allocating == Allocating::Thorough || objective != Objective::Energy)) {}

  // Fills memories from the inside out; each shared memory takes the prefixes that leave the least
  // traffic to the level above. Empty when something does not fit.
  // Corrected model, objectives with latency: also what this gives when one memory is used as if it
  // were a half, a quarter, … of its size. Less data at a time is loaded sooner and leaves room for
  // the next, so a larger memory could otherwise cost more. Allocating::Thorough: for every
  // objective and for all combinations of smaller memories. The result stands until the next call.
  // Requires: the first `shared` loops of the order, and all as a multiset, are those of the order
  // before. Source: docs/core-cost.md, allocation.
  [[nodiscard]] const std::vector<Cuts>& of(const LoopOrder& order, std::size_t shared = 0);

  // Whether the first `depth` loops decide what lies below the outermost memories, in every
  // allocation of every order that begins with them.
  [[nodiscard]] bool is_settled(const LoopOrder& order, std::size_t depth) const;

 private:
  const NestOnCore& nest_;
  bool tries_smaller_;
  PrefixSizes sizes_;  // not initialised: what is read has been worked out
  std::vector<Cuts> found_;
};

// Moves loops that an operand does not depend on below the level that they open: data that does
// not change is not fetched again. Source: docs/core-cost.md, stationary loops.
void merge_stationary(const NestOnCore& nest, const LoopOrder& order, Cuts& cuts);

// The first memory whose users do not fit even without temporal loops, as a message.
[[nodiscard]] NoMapping reason_for_no_allocation(const NestOnCore& nest, const Core& core);

}  // namespace paretrain::evaluator
