// Why: later steps walk a graph once, front to back, and look values up by name; both need a file
// whose names are unique and whose nodes stand in a possible order.
#pragma once

#include "problems/onnx_faults.h"
#include "problems/onnx_graph.h"

namespace paretrain::problems {

// Brings the nodes into a topological order: the file's own where that is one, else of the nodes
// that are ready the earliest. Adds faults for values defined twice or never, and for cycles (in
// parts that no output needs, too); then the order is not meaningful.
// Cost: O((nodes + edges) log nodes).
void order_nodes(OnnxGraph& graph, OnnxFaults& faults);

}  // namespace paretrain::problems
