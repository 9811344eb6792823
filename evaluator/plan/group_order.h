// Why: groups run one at a time, and fusion may force an order that differs from the unfused one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/plan/running_plan.h"

namespace paretrain::evaluator {

// Kahn's algorithm on the quotient graph: of the groups whose predecessors have all run, the one
// whose first operator has the smallest position runs next. Reused from plan to plan.
class GroupOrder {
 public:
  // Shape: groups[p] names the group of the operator at position p by one of its positions.
  // Requires: an acyclic quotient graph.
  // Cost: linear in dependences, plus groups x operators / 64 bit words at worst.
  void rebuild(const RunningPlan& running, std::span<const std::uint32_t> groups);

  // Groups in order of execution are steps.
  [[nodiscard]] std::size_t step_count() const noexcept { return member_begin_.size() - 1; }

  [[nodiscard]] std::uint32_t step(std::size_t position) const noexcept { return step_[position]; }

  // Positions of a step's operators, ascending.
  [[nodiscard]] std::span<const std::uint32_t> members(std::size_t step) const noexcept {
    return {members_.data() + member_begin_[step], members_.data() + member_begin_[step + 1]};
  }

 private:
  void find_quotient(const RunningPlan& running, std::span<const std::uint32_t> groups);
  void run(std::span<const std::uint32_t> groups);
  void gather(std::span<const std::uint32_t> groups);

  struct Arrow {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  std::vector<std::uint32_t> first_;            // per name: position of the first member
  std::vector<std::uint32_t> waiting_for_;      // per name: arrows from groups that have not run
  std::vector<Arrow> arrows_;                   // between groups
  std::vector<std::uint32_t> successor_begin_;  // per name
  std::vector<std::uint32_t> successors_;
  std::vector<std::uint64_t> ready_;  // bit: first position of a group that may run
  std::vector<std::uint32_t> step_of_group_;
  std::vector<std::uint32_t> step_;
  std::vector<std::uint32_t> member_begin_;
  std::vector<std::uint32_t> members_;
  std::uint32_t steps_ = 0;
};

}  // namespace paretrain::evaluator
