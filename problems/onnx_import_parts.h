// Why: reading a model takes several source files, which pass protobuf's messages to one another;
// only problems/onnx_import*.cpp and the writer
// of built-in models include this.
#pragma once

#include <optional>
#include <string>

#include <onnx/onnx_pb.h>

#include "problems/onnx_faults.h"
#include "problems/onnx_graph.h"

namespace paretrain::problems {

// The element type of ONNX's number for it; empty for types without a fixed size (strings) and for
// numbers that mean nothing.
[[nodiscard]] std::optional<evaluator::ElementType> element_type(std::int64_t onnx_type);

// The other way.
[[nodiscard]] std::int32_t onnx_element_type(evaluator::ElementType type);
[[nodiscard]] onnx::AttributeProto onnx_attribute(const std::string& name,
                                                  const evaluator::Attribute& value);

// A constant. Faults are added, and then the result is not meaningful.
[[nodiscard]] OnnxTensor imported_tensor(const onnx::TensorProto& tensor, OnnxFaults& faults);

// The type and shape of an input, output or inner value. Faults only for what no reader could use;
// open dimensions are no fault here.
[[nodiscard]] OnnxValue imported_value(const onnx::ValueInfoProto& value, OnnxFaults& faults);

// A node with its attributes, held against the operator's schema where libonnx has one.
[[nodiscard]] OnnxNode imported_node(const onnx::NodeProto& node,
                                     const OnnxGraph& graph,
                                     OnnxFaults& faults);

}  // namespace paretrain::problems
