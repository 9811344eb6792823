#include "problems/onnx_import.h"

#include <map>
#include <set>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include "base/number_text.h"
#include "problems/onnx_import_parts.h"

namespace paretrain::problems {

namespace {

using google::protobuf::io::CodedInputStream;

constexpr std::int64_t kNewestIrVersion = 8;  // of libonnx 1.12
constexpr std::int64_t kNewestOpset = 17;
constexpr std::int64_t kOldestOpset = 11;

// Field numbers of ModelProto that may stand in a file several times.
bool may_repeat(std::uint32_t field) {
  return field == 8 || field == 14 || field == 20 || field == 25;
}

// Walks over the outermost fields only. protobuf would merge two models in one file, and would take
// a run of newlines for fields.
// Source: the protocol buffers wire format; field numbers of onnx.proto, ModelProto.
bool outline_is_sound(const std::string& bytes, OnnxFaults& faults) {
  CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                          static_cast<int>(bytes.size()));
  std::set<std::uint32_t> seen;
  while (static_cast<std::size_t>(stream.CurrentPosition()) < bytes.size()) {
    const std::uint32_t tag = stream.ReadTag();
    const std::uint32_t field = tag >> 3U;
    std::uint64_t number = 0;
    std::uint32_t length = 0;
    bool sound = field != 0;
    switch (tag & 7U) {
      case 0:
        sound = sound && stream.ReadVarint64(&number);
        break;
      case 1:
        sound = sound && stream.Skip(8);
        break;
      case 2:
        sound = sound && stream.ReadVarint32(&length) && length <= bytes.size() &&
                stream.Skip(static_cast<int>(length));
        break;
      case 5:
        sound = sound && stream.Skip(4);
        break;
      default:
        sound = false;  // groups, which ONNX has not, and numbers that mean nothing
    }
    if (!sound) {
      faults.add("", "no ONNX model, or damaged; expected the bytes of an onnx.ModelProto");
      return false;
    }
    if (!seen.insert(field).second && !may_repeat(field)) {
      faults.add("", "several models, or parts of them, one after another; expected one");
      return false;
    }
  }
  return true;
}

void read_versions(const onnx::ModelProto& model, OnnxGraph& graph, OnnxFaults& faults) {
  if (model.ir_version() < 1) faults.add("", "no ONNX model: it has no ir_version");
  if (model.ir_version() > kNewestIrVersion)
    graph.warnings.push_back("ir_version " + number_text(std::int64_t{model.ir_version()}) +
                             " is newer than the newest known, " + number_text(kNewestIrVersion));
  std::map<std::string, std::int64_t> opsets;
  for (const auto& opset : model.opset_import()) {
    const std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    const auto [at, is_new] = opsets.emplace(domain, opset.version());
    if (!is_new && at->second != opset.version())
      faults.add("", "opset of domain " + quoted(domain) + " given twice");
  }
  std::set<std::string> missing;
  for (const auto& node : model.graph().node()) {
    const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
    if (!opsets.contains(domain) && missing.insert(domain).second)
      faults.add("node " + quoted(node.name()),
                 "its operator domain " + quoted(domain) + " has no opset in the file");
  }
  const auto standard = opsets.find("");
  if (standard == opsets.end()) return;
  graph.opset = standard->second;
  if (graph.opset < 1) faults.add("", "opset " + number_text(graph.opset) + "; expected 1 or more");
  if (graph.opset > kNewestOpset || (graph.opset >= 1 && graph.opset < kOldestOpset))
    graph.warnings.push_back("opset " + number_text(graph.opset) + " is outside " +
                             number_text(kOldestOpset) + " to " + number_text(kNewestOpset) +
                             ", for which the reader was made");
}

void read_initializers(const onnx::GraphProto& source, OnnxGraph& graph, OnnxFaults& faults) {
  for (const auto& tensor : source.initializer()) {
    if (tensor.name().empty()) faults.add("", "an initializer without a name");
    graph.initializers.push_back(imported_tensor(tensor, faults));
  }
  for (const auto& sparse : source.sparse_initializer())
    faults.add("tensor " + quoted(sparse.values().name()),
               "a sparse initializer; expected dense ones only");
}

bool agrees(const OnnxValue& declared, const OnnxTensor& tensor) {
  if (declared.type != tensor.type) return false;
  if (!declared.shape) return true;
  if (declared.shape->size() != tensor.shape.size()) return false;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const auto& extent = (*declared.shape)[i].extent;
    if (extent && *extent != tensor.shape[i]) return false;
  }
  return true;
}

// Up to IR version 3 initializers had to be listed among the inputs, too.
void read_inputs(const onnx::GraphProto& source, OnnxGraph& graph, OnnxFaults& faults) {
  std::map<std::string, const OnnxTensor*> initializers;
  for (const OnnxTensor& tensor : graph.initializers)
    initializers.emplace(tensor.name, &tensor);
  for (const auto& input : source.input()) {
    if (input.name().empty()) faults.add("", "an input without a name");
    OnnxValue value = imported_value(input, faults);
    const auto initializer = initializers.find(input.name());
    if (initializer == initializers.end()) {
      graph.inputs.push_back(std::move(value));
    } else if (faults.empty() && !agrees(value, *initializer->second)) {
      faults.add("tensor " + quoted(value.name),
                 "as an input it has another type or shape than its initializer");
    }
  }
}

void read_graph(const onnx::ModelProto& model, OnnxGraph& graph, OnnxFaults& faults) {
  const onnx::GraphProto& source = model.graph();
  graph.name = source.name();
  graph.producer = model.producer_name();
  if (source.node_size() > kMaximumNodes) {
    faults.add("",
               number_text(std::int64_t{source.node_size()}) + " nodes; expected at most " +
                   number_text(kMaximumNodes));
    return;
  }
  if (model.functions_size() > 0)
    faults.add("",
               "the model defines functions of its own; expected operators only",
               "export the model with functions inlined");
  read_initializers(source, graph, faults);
  read_inputs(source, graph, faults);
  for (const auto& output : source.output()) {
    if (output.name().empty()) faults.add("", "an output without a name");
    if (output.type().has_tensor_type()) {
      graph.outputs.push_back(imported_value(output, faults));
    } else {
      graph.outputs.emplace_back().name = output.name();
    }
  }
  if (source.output_size() == 0) faults.add("", "no outputs; expected at least one");
  for (const auto& inner : source.value_info())
    if (inner.type().has_tensor_type() && inner.type().tensor_type().elem_type() != 0)
      graph.inner.push_back(imported_value(inner, faults));
  for (const auto& node : source.node())
    graph.nodes.push_back(imported_node(node, graph, faults));
  if (source.node_size() == 0) faults.add("", "no nodes; expected a network");
}

}  // namespace

OnnxGraph onnx_graph(const std::string& bytes, const std::string& label) {
  OnnxFaults faults(label);
  if (bytes.empty()) {
    faults.add("", "empty file; expected an ONNX model");
    faults.throw_if_any();
  }
  if (bytes.size() >= std::size_t{1} << 31U) {
    faults.add("",
               "larger than 2 GiB, which protobuf cannot read",
               "store the weights as external data; they are never read");
    faults.throw_if_any();
  }
  // What protobuf has to say goes to standard error, which belongs to cli.
  const google::protobuf::LogSilencer silencer;
  static_cast<void>(outline_is_sound(bytes, faults));
  faults.throw_if_any();
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) {
    faults.add("", "no ONNX model, or damaged; expected the bytes of an onnx.ModelProto");
    faults.throw_if_any();
  }
  if (!model.has_graph()) faults.add("", "no graph; expected an ONNX model with one");
  OnnxGraph graph;
  read_versions(model, graph, faults);
  if (model.has_graph()) read_graph(model, graph, faults);
  faults.throw_if_any();
  return graph;
}

}  // namespace paretrain::problems
