// Why: an evaluator of plans written from the published semantics alone (DESIGN 3 and 4; the fusion
// rules of COST_GRAPH read for operators with several results): recomputes, repair, order, traffic
// and lifetimes of a genome are found from their definitions, nothing is remembered from genome to
// genome, no answer is built from an earlier one. The oracle for the fast evaluator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "evaluator/plan/group_model.h"
#include "tests/slow/plain_runs.h"
#include "tests/slow/plain_step.h"

namespace paretrain::tests {

// What a group may be and costs: pure functions.
struct PlainGroups {
  std::size_t longest = 1;
  std::function<bool(std::span<const evaluator::RunningOperator>)> legal;
  std::function<evaluator::GroupCost(const evaluator::GroupContent&)> cost;
};

struct PlainPlan {
  std::vector<std::uint8_t> genes;  // canonical
  std::int64_t latency = 0;
  double energy = 0;  // summed in order of the groups
  std::int64_t offchip_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::size_t groups = 0;
};

// Shape: one 0 or 1 per gene of the step.
// Cost: per gene that is set, the whole quotient graph.
[[nodiscard]] PlainPlan plain_plan(const PlainStep& step,
                                   const PlainGroups& groups,
                                   std::span<const std::uint8_t> genes);

// A group at its turn. The runs of a group are in original order.
struct PlainTurn {
  std::vector<std::size_t> runs;
  evaluator::GroupCost cost;
  std::int64_t alive_bytes = 0;  // with resident and static bytes
};

// Shape: group[r] names the group of run r, and of the barrier, by its first run.
// Requires: no circle.
[[nodiscard]] std::vector<PlainTurn> plain_turns(const PlainStep& step,
                                                 const PlainGroups& groups,
                                                 const PlainRuns& plan,
                                                 const std::vector<std::size_t>& group);

}  // namespace paretrain::tests
