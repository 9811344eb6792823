// Why: a cost graph takes the same genome, repair, order and lifetime code as a training graph on
// an accelerator; this is where it is lowered to it.
#pragma once

#include <cstdint>
#include <optional>

#include "problems/cost_graph_file.h"
#include "problems/plan_problem.h"

namespace paretrain::problems {

// What the command line may change.
struct CostGraphOptions {
  std::optional<bool> count_gradients;           // the file's when empty
  std::optional<std::int64_t> max_group_length;  // the file's when empty; no effect without fusion
  std::optional<std::int64_t> memory_limit_bytes;
};

// Errors: InputError when a sum that every plan reaches passes 2^63 - 1.
[[nodiscard]] PlanProblem cost_graph_problem(const CostGraph& graph,
                                             const CostGraphOptions& options);

}  // namespace paretrain::problems
