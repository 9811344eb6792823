// Why: a search that starts from plans that somebody would think of needs far fewer evaluations
// than one that starts from chance. What a user compares with (named_plans) is only a part of
// these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problems/named_plans.h"
#include "problems/plan_problem.h"
#include "problems/search_space.h"

namespace paretrain::problems {

// What a search knows before it starts.
struct StartPlans {
  std::vector<NamedPlan> baselines;
  // Canonical, obeying the fixed genes of the space, none twice and none a baseline. The first ones
  // of the list are spread over all of it: a caller that wants fewer takes a prefix.
  std::vector<Genome> others;
  // Of a small step (small_step_plans.h) the others begin with all best plans, for which so many
  // halves of plans were evaluated; 0 for one that is not small.
  std::uint64_t halves = 0;
};

// The others: the best plans of a small step; up to 64 plans on the way of greedy-memory, and up to
// 1,024 plans of segments (segment_plans.h), 64 where there are fusion genes. Where fusion genes
// are free they have those of the `+greedy` baselines, as far as legal. None of these where
// is_too_large_to_try_each().
[[nodiscard]] StartPlans start_plans(const PlanProblem& problem, const SearchSpace& space);

}  // namespace paretrain::problems
