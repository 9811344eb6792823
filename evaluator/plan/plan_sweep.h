// Why: with groups and their order fixed, one pass finds what each group moves, what it costs and
// how much memory is alive when. Rules: docs/plan.md, traffic and lifetimes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/plan/group_memory.h"
#include "evaluator/plan/group_model.h"
#include "evaluator/plan/group_order.h"
#include "evaluator/plan/running_plan.h"
#include "evaluator/plan/step_template.h"

namespace paretrain::evaluator {

struct PlanTotals {
  std::int64_t latency = 0;
  double energy = 0;
  std::int64_t offchip_bytes = 0;
  std::int64_t peak_bytes = 0;
};

// Steps from .. to, both included. Nothing is alive when from == kNone.
struct StepRange {
  std::uint32_t from = kNone;
  std::uint32_t to = 0;
};

// Copies: index v is a resident value, a gradient or what a forward operator made; value_count + v
// is what a recompute made. Reused from plan to plan: no allocation once it has grown.
class PlanSweep {
 public:
  // `memory` belongs to `model`.
  // Cost: linear in operators, reads, writes and values, plus one question per group.
  [[nodiscard]] PlanTotals rebuild(const StepTemplate& step,
                                   const GroupModel& model,
                                   GroupMemory& memory,
                                   const RunningPlan& running,
                                   const GroupOrder& order);

  // The steps during which a copy occupies off-chip memory. Requires: no resident value.
  [[nodiscard]] StepRange alive(std::uint32_t copy) const noexcept { return alive_[copy]; }

  // Whether the copy exists, but never off chip: made and read in one group, or carried.
  [[nodiscard]] bool is_internal(std::uint32_t copy) const noexcept {
    return uses_[copy].first != kNone && alive_[copy].from == kNone;
  }

  // The step that makes the copy (a gradient: the first that contributes), kNone without a maker.
  [[nodiscard]] std::uint32_t made(std::uint32_t copy) const noexcept { return uses_[copy].made; }

  // What a step's group is, as the model saw it. Requires: step < step count.
  [[nodiscard]] GroupContent content(std::size_t step) const noexcept;

  [[nodiscard]] const GroupCost& cost(std::size_t step) const noexcept { return costs_[step]; }

  // Bytes alive at each step, resident and static ones included.
  [[nodiscard]] std::span<const std::int64_t> alive_bytes() const noexcept { return alive_bytes_; }

 private:
  struct Uses {
    std::uint32_t made = kNone;   // step of the maker or first contributor
    std::uint32_t first = kNone;  // first step that makes or reads it
    std::uint32_t last = 0;       // last step that makes or reads it
    std::uint32_t read_at = 0;    // 1 + the last step that reads it, or adds to it; 0: none
  };

  // One rebuild: what it works on.
  struct Plan {
    const StepTemplate& step;
    const RunningPlan& running;
    const GroupOrder& order;
  };

  [[nodiscard]] static std::uint32_t value_of(const Plan& plan, std::uint32_t copy) noexcept {
    return copy < plan.step.value_count ? copy : copy - plan.step.value_count;
  }

  void reset(const Plan& plan);
  // Everything in uses_, the operators, what each step makes and what it reads.
  void find_reads(const Plan& plan);
  // Fill lists from `next` on and give their ends.
  [[nodiscard]] std::uint32_t* list_made(const Plan& plan,
                                         const RunningOperator& running,
                                         std::uint32_t step,
                                         std::uint32_t* next);
  [[nodiscard]] StepValueId* list_reads(const Plan& plan,
                                        const RunningOperator& running,
                                        std::uint32_t step,
                                        StepValueId* next);
  // What each step writes, and when forward copies are alive.
  void find_writes(const Plan& plan);
  void find_gradient_lifetimes(const Plan& plan);
  [[nodiscard]] StepRange gradient_lifetime(const Plan& plan,
                                            std::uint32_t value,
                                            std::uint32_t first_late_step) const;
  // From when to when a copy is off chip, and that it is not after all.
  void occupy(const Plan& plan, std::uint32_t copy, StepRange range);
  void vacate(const Plan& plan, std::uint32_t copy);
  // Hand-overs between neighbouring steps, from the first to the last.
  void carry(const Plan& plan, const GroupModel& model, GroupMemory& memory);
  void find_candidates(const Plan& plan, std::uint32_t step, std::int64_t most_bytes);
  [[nodiscard]] bool is_candidate(const Plan& plan,
                                  std::uint32_t value,
                                  std::uint32_t copy,
                                  std::uint32_t step) const;
  [[nodiscard]] std::uint32_t written_copy(const Plan& plan,
                                           std::uint32_t value,
                                           std::uint32_t step) const noexcept;
  void take(const Plan& plan, std::uint32_t step, const CarryAnswer& answer);
  [[nodiscard]] std::int64_t peak(std::int64_t always_alive_bytes);

  std::vector<Uses> uses_;        // per copy
  std::vector<StepRange> alive_;  // per copy
  // Per value, but forward ones: 1 + the last step that lists it.
  std::vector<std::uint32_t> written_at_;
  std::vector<RunningOperator> operators_;     // by step
  std::vector<std::uint32_t> operator_begin_;  // per step
  std::vector<std::uint32_t> made_;            // by step: copies, also what is added to
  std::vector<std::uint32_t> made_begin_;
  std::vector<StepValueId> reads_;  // by step
  std::vector<std::uint32_t> read_begin_;
  std::vector<StepValueId> writes_;  // by step
  std::vector<std::uint32_t> write_begin_;
  // Of models that carry values between groups; else empty. Steps list what is carried no more, so
  // their lists end before the next begins.
  std::vector<std::uint32_t> read_end_;
  std::vector<std::uint32_t> write_end_;
  std::vector<CarriedValue> carried_;         // by step that is handed them
  std::vector<std::uint32_t> carried_begin_;  // per step, and one more
  std::vector<StepValueId> candidates_;
  std::vector<GroupCost> costs_;
  std::vector<std::int64_t> alive_bytes_;  // per step; before peak() the change from the one before
};

}  // namespace paretrain::evaluator
