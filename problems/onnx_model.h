// Why: turns a checked file into the network that everything else works on: sizes chosen, shapes
// known, constants folded, parameters told apart.
#pragma once

#include <string>

#include "problems/model_import.h"
#include "problems/onnx_faults.h"
#include "problems/onnx_graph.h"

namespace paretrain::problems {

// Takes the graph apart. `graph.nodes` need not be in order.
// Errors: InputError naming `label` for everything that INTERFACE calls wrong with a model or with
// --batch, --dim and --data-input.
[[nodiscard]] ImportedModel model_of(OnnxGraph graph,
                                     const std::string& label,
                                     const ImportOptions& options);

}  // namespace paretrain::problems
