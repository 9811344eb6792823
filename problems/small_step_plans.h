// Why: forward operators never share a group with later ones, so once it is chosen what is kept,
// the groups of the two halves can be chosen one without the other. Of a small step all best plans
// are found by walking halves of plans where walking plans would take far too long.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problems/plan_problem.h"
#include "problems/search_space.h"

namespace paretrain::problems {

struct SmallStepPlans {
  // For every point of the exact front in latency, energy and peak one plan: canonical, obeying the
  // fixed genes of the space, by rising latency. The front in fewer objectives is among them.
  std::vector<Genome> plans;
  std::uint64_t halves = 0;  // that were evaluated
};

// Operators looked at by all repairs and evaluations together before a step counts as not small.
inline constexpr std::uint64_t kMostSmallStepWork = std::uint64_t{1} << 25U;

// Nothing when the step is not small, when no fusion gene is free, or when the model hands values
// over between groups, which joins the halves. A step that is not small is mostly recognised at
// once: by the number of choices of what is kept, by pairs of operators that may be fused each on
// its own, or by the halves of the first choice.
// Cost: for each choice of what is kept, every canonical grouping of either half.
[[nodiscard]] std::optional<SmallStepPlans> small_step_plans(
    const PlanProblem& problem,
    const SearchSpace& space,
    std::uint64_t most_work = kMostSmallStepWork);

}  // namespace paretrain::problems
