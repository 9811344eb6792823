// Why: an evaluator of plans written from the general rules of docs/plan.md, one definition at a
// time, with searches instead of tables and nothing remembered: the oracle for the fast one on any
// step graph and any group model.
#pragma once

#include <cstdint>

#include "problems/plan_problem.h"

namespace paretrain::tests {

struct SlowEvaluation {
  problems::Genome canonical;
  std::int64_t latency = 0;
  double energy = 0;
  std::int64_t offchip_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::size_t groups = 0;
};

// Uses the problem's graph, model and genes only.
[[nodiscard]] SlowEvaluation slow_evaluation(const problems::PlanProblem& problem,
                                             problems::GenomeView genome);

}  // namespace paretrain::tests
