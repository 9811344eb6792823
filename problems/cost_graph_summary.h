// Why: `inspect` shows what a training step holds; a cost graph holds less than a network, but its
// operators, candidates and keep-all peak are shown the same way.
#pragma once

#include "evaluator/graph/training_step.h"
#include "problems/cost_graph_file.h"
#include "problems/plan_problem.h"

namespace paretrain::problems {

// What measured costs cannot tell (multiply-accumulates, shapes, parameters) stays 0 or empty.
// Requires: `problem` is cost_graph_problem(graph, ...).
// Cost: one evaluation.
[[nodiscard]] evaluator::StepSummary cost_graph_summary(const CostGraph& graph,
                                                        const PlanProblem& problem);

}  // namespace paretrain::problems
