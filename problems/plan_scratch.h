// Why: an evaluation needs a dozen arrays; a thread that evaluates millions of genomes keeps them.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluator/plan/group_memory.h"
#include "evaluator/plan/group_order.h"
#include "evaluator/plan/plan_sweep.h"
#include "evaluator/plan/running_plan.h"
#include "genome/repair.h"

namespace paretrain::problems {

// Nothing that a call leaves behind matters to the next, which may be of another problem.
class PlanScratch {
 public:
  PlanScratch() = default;

 private:
  friend class PlanProblem;

  std::vector<std::uint8_t> kept_;
  std::vector<std::uint64_t> genome_;
  std::vector<genome::ActiveEdge> edges_;
  evaluator::RunningPlan running_;
  genome::Grouping grouping_;
  evaluator::GroupMemory memory_;
  evaluator::GroupOrder order_;
  evaluator::PlanSweep sweep_;
};

}  // namespace paretrain::problems
