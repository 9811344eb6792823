// Why: exact fronts are compared on many small steps, of measured costs and of real operators.
#pragma once

#include <cstddef>

#include "base/random.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"
#include "problems/cost_graph_file.h"

namespace paretrain::tests {

// Skips, several consumers, nodes without gradient, gradients of several contributors, zero bytes,
// zero costs, tiles that never fit: mostly fusible, with traffic that weighs about as much as work.
[[nodiscard]] problems::CostGraph random_fused_cost_graph(std::size_t nodes, RandomStream& random);

// A network of `nodes` operators (convolutions, products, elementwise ones, sums of two) with a
// loss, its backward pass and updates.
[[nodiscard]] evaluator::TrainingGraph random_training_graph(std::size_t nodes,
                                                             evaluator::UpdatePlacement update,
                                                             RandomStream& random);

}  // namespace paretrain::tests
