// Why: users compare a search with what they would do by hand: keep everything, recompute
// everything, keep every K-th, drop greedily, fuse greedily.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/plan_problem.h"
#include "problems/search_space.h"

namespace paretrain::problems {

struct NamedPlan {
  std::string name;
  Genome genome;  // canonical
};

// `keep-all`, `recompute-all`, `every-K`, `greedy-memory`, each optionally with `+greedy`; nothing
// when the text is no such name. Errors: InputError for every-0 and the like.
[[nodiscard]] std::optional<Genome> named_plan(const PlanProblem& problem, std::string_view name);

// The given genome with fusion genes set greedily: active template edges by descending off-chip
// bytes saved (each alone, against no fusion; ties by gene order), taken when legal and not slower.
[[nodiscard]] Genome greedily_fused(const PlanProblem& problem, GenomeView genome);

// Whether trying candidates one by one, again and again, may visit so many operands (candidates
// squared times the operands of all operators) that a search would not start for minutes.
[[nodiscard]] bool is_too_large_to_try_each(const PlanProblem& problem);

// From keep-all unfused, drops the candidate with the most peak bytes freed per added cycle (ties
// by index) until no drop lowers the peak; keep-all where is_too_large_to_try_each().
[[nodiscard]] Genome greedy_memory(const PlanProblem& problem);

// Every plan on that way, keep-all first, greedy_memory() last.
[[nodiscard]] std::vector<Genome> greedy_memory_path(const PlanProblem& problem);

// The baselines of INTERFACE.md, each made to obey the fixed genes of the space; those with
// `+greedy` only where fusion genes are free. Order: keep-all, recompute-all, every-K, their
// `+greedy` variants, greedy-memory.
[[nodiscard]] std::vector<NamedPlan> baselines(const PlanProblem& problem,
                                               const SearchSpace& space);
// The same, when the end of greedy_memory_path() is known already.
[[nodiscard]] std::vector<NamedPlan> baselines(const PlanProblem& problem,
                                               const SearchSpace& space,
                                               GenomeView greedy_memory_plan);

}  // namespace paretrain::problems
