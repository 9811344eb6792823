// Why: the explanation of a plan must come from the very sweep that the search trusts.
#pragma once

#include "evaluator/plan/group_order.h"
#include "evaluator/plan/plan_explanation.h"
#include "evaluator/plan/plan_sweep.h"
#include "evaluator/plan/running_plan.h"
#include "evaluator/plan/step_template.h"

namespace paretrain::evaluator {

// Requires: `sweep` was last rebuilt from the other three, and `step` from `graph`.
[[nodiscard]] PlanExplanation explained_plan(const StepGraph& graph,
                                             const StepTemplate& step,
                                             const RunningPlan& running,
                                             const PlanSweep& sweep);

}  // namespace paretrain::evaluator
