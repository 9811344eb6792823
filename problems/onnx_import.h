// Why: ONNX files come from strangers; the bytes are checked here, once, before anything computes
// with what they say.
#pragma once

#include <string>

#include "problems/onnx_graph.h"

namespace paretrain::problems {

// The graph that `bytes` hold, checked for structure: wire format, versions, types, dimensions,
// sizes of constants, names, attributes, and that names refer to what exists. Data of weights is
// not looked at, files beside the model are never opened.
// Errors: InputError with every fault found (at most 20), naming `label`.
// Cost: linear in the bytes.
[[nodiscard]] OnnxGraph onnx_graph(const std::string& bytes, const std::string& label);

}  // namespace paretrain::problems
