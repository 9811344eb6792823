#include "problems/onnx_inference.h"

#include <utility>

#include "problems/onnx_walk.h"

namespace paretrain::problems {

Inference inferred(const IndexedGraph& graph,
                   AllFacts facts,
                   Declared declared,
                   OnnxFaults& faults) {
  OnnxWalk walk(graph, std::move(facts), faults);
  for (std::size_t node = 0; node < graph.graph().nodes.size(); ++node) {
    const auto about = walk.node_facts(node, walk.facts());
    if (!about) continue;
    try {
      std::vector<TensorFacts> outputs = walk.outputs_by_rule(node, *about);
      if (declared == Declared::Believed && !makes_constants(*about))
        walk.believe_declared(node, outputs);
      walk.store(node, *about, std::move(outputs));
    } catch (const ShapeFault& fault) {
      walk.add_fault(node, fault);
    }
  }
  return walk.result();
}

}  // namespace paretrain::problems
