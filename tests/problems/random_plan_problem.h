// Why: rules about steps hold for every step, so tests draw steps and genomes at random.
#pragma once

#include "base/random.h"
#include "problems/plan_problem.h"

namespace paretrain::tests {

// Whether the model hands values over to the next group (--residency).
enum class HandOvers { None, Some };

// A step with several results per operator, results without gene, gradients that are read between
// contributions, values that exist beforehand and updates that overwrite parameters; costs and
// legality depend on everything that a model is told.
[[nodiscard]] problems::PlanProblem random_plan_problem(RandomStream& random,
                                                        HandOvers hand_overs = HandOvers::None);

[[nodiscard]] problems::Genome random_genome(const problems::PlanProblem& problem,
                                             RandomStream& random);

}  // namespace paretrain::tests
