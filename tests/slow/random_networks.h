// Why: groups are checked on operators of every kind of sweep: strides, padding, transposed
// convolutions, poolings, statistics, blocks of transformers.
#pragma once

#include <cstddef>

#include "base/random.h"
#include "evaluator/graph/training_graph.h"

namespace paretrain::tests {

// The training step of a small image network of about `nodes` operators, every fourth one of a
// transformer block.
[[nodiscard]] evaluator::TrainingGraph random_network_step(std::size_t nodes, RandomStream& random);

}  // namespace paretrain::tests
