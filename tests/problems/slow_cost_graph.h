// Why: an evaluator of cost graphs written straight from their published semantics, rule by rule,
// with sets and searches and nothing remembered: the oracle for the fast one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problems/cost_graph_file.h"

namespace paretrain::tests {

// The meaning of a fusion gene: letters F, R, B with node numbers.
struct SlowEdge {
  std::string producer;  // "R3"
  std::string consumer;
};

struct SlowPlan {
  std::vector<bool> fusion;                      // canonical
  std::vector<std::vector<std::string>> groups;  // in order of execution
  std::int64_t latency = 0;
  std::int64_t energy = 0;
  std::int64_t peak_without_gradients = 0;
  std::int64_t peak_with_gradients = 0;
};

// In gene order.
[[nodiscard]] std::vector<SlowEdge> slow_edges(const problems::CostGraph& graph);

// Shape: one bit per node; one per edge of slow_edges(), or none without fusion.
[[nodiscard]] SlowPlan slow_plan(const problems::CostGraph& graph,
                                 const std::vector<bool>& keep,
                                 const std::vector<bool>& fusion);

// The plans of all legal groupings under these keep genes, found without genes: every set of active
// edges is joined and kept when the result is legal as a whole. Cost: 2^edges.
[[nodiscard]] std::vector<SlowPlan> slow_plans_of_all_groupings(const problems::CostGraph& graph,
                                                                const std::vector<bool>& keep);

}  // namespace paretrain::tests
