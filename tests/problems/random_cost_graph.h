// Why: laws of plans are tested under graphs that nobody thought of.
#pragma once

#include "base/random.h"
#include "problems/cost_graph_file.h"

namespace paretrain::tests {

// A small graph with skips, several readers, nodes without gradient and repeated sizes.
[[nodiscard]] problems::CostGraph random_cost_graph(std::size_t nodes, RandomStream& random);

}  // namespace paretrain::tests
