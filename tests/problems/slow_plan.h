// Why: an evaluator of plans written from the general rules of docs/plan.md, one definition at a
// time, with searches instead of tables and nothing remembered: the oracle for the fast one on any
// step graph and any group model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
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

// A step with several results per operator, results without gene, gradients that are read between
// contributions, values that exist beforehand and updates that overwrite parameters; costs and
// legality depend on everything that a model is told.
[[nodiscard]] problems::PlanProblem random_plan_problem(RandomStream& random);

[[nodiscard]] problems::Genome random_genome(const problems::PlanProblem& problem,
                                             RandomStream& random);

}  // namespace paretrain::tests
