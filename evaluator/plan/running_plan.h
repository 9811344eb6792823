// Why: the keep genes alone decide which operators run and in which order they would run unfused;
// fusion and lifetimes start from there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/plan/group_model.h"
#include "evaluator/plan/step_template.h"

namespace paretrain::evaluator {

// The operators of one plan by position: the order of execution with every recompute directly
// before the first late operator that needs it. Reused from plan to plan: no allocation once it has
// grown.
class RunningPlan {
 public:
  // Shape: kept has one entry per keep gene, 0 or 1.
  // Cost: linear in operators and their reads.
  void rebuild(const StepTemplate& step, std::span<const std::uint8_t> kept);

  [[nodiscard]] std::size_t size() const noexcept { return operators_.size(); }

  [[nodiscard]] std::span<const RunningOperator> operators() const noexcept { return operators_; }

  // The position of a node of the template, kNone when it does not run.
  [[nodiscard]] std::uint32_t position(std::uint32_t node) const noexcept {
    return positions_[node];
  }

  // Predecessors by position, duplicates possible; each is smaller than its node. That all forward
  // operators run before all others is not listed.
  [[nodiscard]] std::span<const std::uint32_t> predecessor_begin() const noexcept {
    return predecessor_begin_;
  }

  [[nodiscard]] std::span<const std::uint32_t> predecessor_list() const noexcept {
    return predecessors_;
  }

  // The copy of a value that recomputes and late operators read: the value's own index, or
  // value_count + index for a recomputed copy.
  [[nodiscard]] std::uint32_t late_copy(std::uint32_t value) const noexcept {
    return late_copy_[value];
  }

  // Whether the value has a recomputed copy. Requires: a value with a keep gene.
  [[nodiscard]] bool is_recomputed(std::uint32_t value) const noexcept {
    return demand_[value] != kNone && late_copy_[value] != value;
  }

  [[nodiscard]] std::uint32_t recomputed_values() const noexcept { return recomputed_values_; }

  [[nodiscard]] std::int64_t recompute_work() const noexcept { return recompute_work_; }

 private:
  void choose_copies(const StepTemplate& step, std::span<const std::uint8_t> kept);
  void find_demands(const StepTemplate& step);
  void place(const StepTemplate& step);
  void list_predecessors(const StepTemplate& step);
  // Fills the list from `next` on and gives its end.
  [[nodiscard]] std::uint32_t* list_late_predecessors(const StepTemplate& step,
                                                      std::uint32_t rank,
                                                      std::uint32_t* next) const;

  std::vector<RunningOperator> operators_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint32_t> predecessor_begin_;
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> late_copy_;
  std::vector<std::uint32_t> demand_;           // per value: late rank that first needs a recompute
  std::vector<std::uint32_t> operator_demand_;  // per forward operator, likewise
  std::vector<std::uint64_t> produced_;         // per forward operator: results of its twin
  std::vector<std::uint32_t> burst_;            // per late rank: place for its next recompute
  std::uint32_t recomputed_values_ = 0;
  std::int64_t recompute_work_ = 0;
};

}  // namespace paretrain::evaluator
