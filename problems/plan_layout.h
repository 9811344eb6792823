// Why: which genes a step graph has, and when a fusion gene can do anything, is fixed when the
// problem is set up; decoding only looks it up.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluator/plan/group_model.h"
#include "evaluator/plan/step_template.h"
#include "genome/follow.h"
#include "genome/layout.h"
#include "problems/plan_problem.h"

namespace paretrain::problems {

// Gene order (docs/plan.md): per forward operator i its keep genes; F_p-F_i, R_p-R_i for the makers
// p of what it reads; R_p-b for the backward operators b of i; what contributes to the gradients
// that those read; what contributes to the gradients that update operators of i read.
struct PlanLayout {
  PlanLayout(const evaluator::StepGraph& graph,
             const evaluator::StepTemplate& step,
             const evaluator::GroupModel& model);

  genome::Layout layout;
  std::vector<Gene> genes;            // per gene
  std::vector<std::uint64_t> always;  // bit per gene: a fusion gene that is active in every plan
  // Per fusion gene: values that the consumer reads from the producer's recompute; the gene is
  // active when the consumer runs and one of them is not kept. Empty for those in `always`.
  evaluator::IndexLists values;
  genome::TwinTable twins;
};

}  // namespace paretrain::problems
