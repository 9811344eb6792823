#include "tests/problems/random_cost_graph.h"

#include <algorithm>

namespace paretrain::tests {

using problems::CostGraph;
using problems::CostGraphNode;

CostGraph random_cost_graph(std::size_t nodes, RandomStream& random) {
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  CostGraph graph;
  graph.source = "random graph";
  graph.input_bytes = below(8);
  graph.static_bytes = below(3);
  graph.fusion = problems::CostGraphFusion{1 + below(5), below(20), below(3), below(3)};
  for (std::size_t i = 0; i < nodes; ++i) {
    CostGraphNode node;
    for (std::int64_t k = below(3); k >= 0; --k) {
      // Mostly the node before, sometimes any other or the graph input.
      const std::int64_t before = static_cast<std::int64_t>(i) - 1;
      const std::int64_t p = below(2) == 0 ? before : below(i + 1) - 1;
      if (std::ranges::find(node.inputs, p) == node.inputs.end()) node.inputs.push_back(p);
    }
    for (const std::int64_t p : node.inputs) {
      if (below(2) == 0) node.backward_reads.push_back(p);
    }
    if (below(3) == 0) node.backward_reads.push_back(static_cast<std::int64_t>(i));
    node.forward_latency = below(10);
    node.backward_latency = below(10);
    node.forward_energy = below(10);
    node.backward_energy = below(10);
    node.output_bytes = below(9);
    node.gradient_bytes = below(9);
    node.tile_bytes = below(7);
    node.needs_gradient = below(6) != 0;
    graph.nodes.push_back(node);
  }
  return graph;
}

}  // namespace paretrain::tests
