// Why: an order of temporal loops laid over the memories: who holds how much, and what moves how
// often between which levels. Energy and latency are both read off this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "evaluator/core_cost/loop_order.h"
#include "evaluator/core_cost/memory_allocation.h"
#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

// Traffic of one operand at one level in one direction over the whole nest. A period count of 0:
// there is none.
struct LinkTraffic {
  double period = 0;  // cycles at one operation per cycle
  double period_count = 0;
  double bits = 0;        // per period, fractional unrolling
  double whole_bits = 0;  // per period, whole unrolling
};

// One operand's data. Arch level a is level a-1; a = 0 is the array itself.
struct OperandLayout {
  // Shape: [unrolling][a]: elements that one unit of arch level a holds, and their bits each.
  std::array<std::array<double, kMaxLevels + 1>, kUnrollingCount> elements{};
  std::array<std::array<double, kMaxLevels + 1>, kUnrollingCount> element_bits{};
  // Shape: [unrolling][a]: partial sums are still added to from outside arch level a.
  std::array<std::array<bool, kMaxLevels + 1>, kUnrollingCount> partial{};
  // Shape: [a]: product of the consecutive relevant or irrelevant loops at the outer end.
  std::array<double, kMaxLevels + 1> outer_relevant{};
  std::array<double, kMaxLevels + 1> outer_irrelevant{};
  // Shape: [a]: product of the loops in arch levels 1 … a.
  std::array<double, kMaxLevels + 1> cycles{};
  // Cycles in a row during which the array uses the same element.
  double stationary_cycles = 1;
};

// A scratch pad that serves a whole search without allocating: `lay_out` overwrites all of it.
class LaidOrder {
 public:
  // Requires: cuts as Allocations gives them for the order.
  void lay_out(const NestOnCore& nest, const LoopOrder& order, const Cuts& cuts);

  // The same with `merged`, what merge_stationary() makes of the cuts.
  void lay_out(const NestOnCore& nest,
               const LoopOrder& order,
               const Cuts& cuts,
               const Cuts& merged);

  // Before stationary loops were moved down.
  [[nodiscard]] const Cuts& allocation() const { return allocation_; }

  [[nodiscard]] const OperandLayout& operand(std::size_t o) const { return operands_[o]; }

  [[nodiscard]] const LinkTraffic& link(std::size_t operand,
                                        std::size_t level,
                                        std::size_t direction) const {
    return links_[operand][level][direction];
  }

 private:
  void measure(const NestOnCore& nest, const LoopOrder& order, std::size_t o);
  void find_outer_loops(const LoopOrder& order, std::size_t o, std::size_t level_count);
  void mark_partial_sums(const NestOnCore& nest, const LoopOrder& order);
  void add_input_links(const NestOnCore& nest, std::size_t o);
  void add_output_links(const NestOnCore& nest);
  [[nodiscard]] LinkTraffic low_link(const NestOnCore& nest,
                                     std::size_t o,
                                     std::size_t level) const;
  [[nodiscard]] LinkTraffic high_link(const NestOnCore& nest,
                                      std::size_t o,
                                      std::size_t level) const;

  Cuts allocation_{};
  Cuts cuts_{};
  std::array<OperandLayout, kNestOperandCount> operands_;
  std::array<std::array<std::array<LinkTraffic, kDirectionCount>, kMaxLevels>, kNestOperandCount>
      links_;
};

}  // namespace paretrain::evaluator
