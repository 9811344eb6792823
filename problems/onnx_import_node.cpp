#include <set>

#include <onnx/defs/schema.h>

#include "base/number_text.h"
#include "problems/onnx_import_parts.h"

namespace paretrain::problems {

namespace {

using onnx::AttributeProto;

// How many of the value fields of an attribute are filled, and the type that the filled one has.
struct FilledFields {
  int count = 0;
  AttributeProto::AttributeType type = AttributeProto::UNDEFINED;

  void add(bool filled, AttributeProto::AttributeType field) {
    if (!filled) return;
    ++count;
    type = field;
  }
};

FilledFields filled_fields(const AttributeProto& attribute) {
  FilledFields filled;
  filled.add(attribute.has_f(), AttributeProto::FLOAT);
  filled.add(attribute.has_i(), AttributeProto::INT);
  filled.add(attribute.has_s(), AttributeProto::STRING);
  filled.add(attribute.has_t(), AttributeProto::TENSOR);
  filled.add(attribute.has_g(), AttributeProto::GRAPH);
  filled.add(attribute.has_sparse_tensor(), AttributeProto::SPARSE_TENSOR);
  filled.add(attribute.has_tp(), AttributeProto::TYPE_PROTO);
  filled.add(attribute.floats_size() > 0, AttributeProto::FLOATS);
  filled.add(attribute.ints_size() > 0, AttributeProto::INTS);
  filled.add(attribute.strings_size() > 0, AttributeProto::STRINGS);
  filled.add(attribute.tensors_size() > 0, AttributeProto::TENSORS);
  filled.add(attribute.graphs_size() > 0, AttributeProto::GRAPHS);
  filled.add(attribute.sparse_tensors_size() > 0, AttributeProto::SPARSE_TENSORS);
  filled.add(attribute.type_protos_size() > 0, AttributeProto::TYPE_PROTOS);
  return filled;
}

bool is_scalar(AttributeProto::AttributeType type) {
  return type == AttributeProto::FLOAT || type == AttributeProto::INT ||
         type == AttributeProto::STRING;
}

// The type of an attribute, or nothing after saying what is wrong with it. A list may be empty and
// a scalar left out when it is zero, so the tag decides; it must agree with what is there.
std::optional<AttributeProto::AttributeType> attribute_type(const AttributeProto& attribute,
                                                            const std::string& place,
                                                            OnnxFaults& faults) {
  if (!attribute.ref_attr_name().empty()) {
    faults.add(place, "refers to an attribute of a function; expected a value");
    return std::nullopt;
  }
  const FilledFields filled = filled_fields(attribute);
  const AttributeProto::AttributeType tag = attribute.type();
  const bool untagged = tag == AttributeProto::UNDEFINED;
  if (filled.count > 1 || (filled.count == 0 && (untagged || !(is_scalar(tag) || tag >= 6)))) {
    faults.add(place, filled.count == 0 ? "no value" : "several values; expected one");
    return std::nullopt;
  }
  if (!untagged && filled.count == 1 && filled.type != tag) {
    faults.add(place, "its type tag contradicts its value");
    return std::nullopt;
  }
  return untagged ? filled.type : tag;
}

void store_attribute(const AttributeProto& attribute,
                     AttributeProto::AttributeType type,
                     OnnxNode& node,
                     OnnxFaults& faults) {
  evaluator::Attribute& value = node.attributes[attribute.name()];
  switch (type) {
    case AttributeProto::FLOAT:
      value = double{attribute.f()};
      return;
    case AttributeProto::INT:
      value = std::int64_t{attribute.i()};
      return;
    case AttributeProto::STRING:
      value = attribute.s();
      return;
    case AttributeProto::FLOATS:
      value = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
      return;
    case AttributeProto::INTS:
      value = std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
      return;
    case AttributeProto::STRINGS:
      value = std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
      return;
    case AttributeProto::TENSOR:
      node.attributes.erase(attribute.name());
      node.tensors[attribute.name()] = imported_tensor(attribute.t(), faults);
      return;
    case AttributeProto::UNDEFINED:
    case AttributeProto::GRAPH:
    case AttributeProto::GRAPHS:
    case AttributeProto::TENSORS:
    case AttributeProto::SPARSE_TENSOR:
    case AttributeProto::SPARSE_TENSORS:
    case AttributeProto::TYPE_PROTO:
    case AttributeProto::TYPE_PROTOS:
      break;  // types that no supported operator has
  }
  node.attributes.erase(attribute.name());
  const std::string place = "node " + quoted(node.name) + " (" + node.type + ")";
  const bool subgraph = type == AttributeProto::GRAPH || type == AttributeProto::GRAPHS;
  faults.add(place,
             subgraph ? "has a graph inside (attribute " + quoted(attribute.name()) +
                            "); expected a graph without control flow"
                      : "attribute " + quoted(attribute.name()) + " has an unsupported type",
             subgraph ? "export the model with its control flow unrolled or traced" : "");
}

void check_against_schema(const onnx::OpSchema& schema, const OnnxNode& node, OnnxFaults& faults) {
  const std::string place = "node " + quoted(node.name) + " (" + node.type + ")";
  const auto inputs = static_cast<int>(node.inputs.size());
  if (inputs < schema.min_input() || inputs > schema.max_input())
    faults.add(place, number_text(std::int64_t{inputs}) + " inputs; the operator does not take so");
  const auto outputs = static_cast<int>(node.outputs.size());
  if (outputs < schema.min_output() || outputs > schema.max_output())
    faults.add(place,
               number_text(std::int64_t{outputs}) + " outputs; the operator has not so many");
  for (std::size_t i = 0; i < node.inputs.size() && i < schema.inputs().size(); ++i) {
    const bool required = schema.inputs()[i].GetOption() == onnx::OpSchema::Single;
    if (required && node.inputs[i].empty())
      faults.add(place, "required input " + quoted(schema.inputs()[i].GetName()) + " left empty");
  }
  for (const auto& [name, attribute] : schema.attributes()) {
    const bool given = node.attributes.contains(name) || node.tensors.contains(name);
    if (attribute.required && !given) faults.add(place, "attribute '" + name + "' is missing");
  }
}

void check_attribute_types(const onnx::OpSchema& schema,
                           const onnx::NodeProto& node,
                           const std::string& place,
                           OnnxFaults& faults) {
  for (const AttributeProto& attribute : node.attribute()) {
    const auto known = schema.attributes().find(attribute.name());
    if (known == schema.attributes().end()) continue;
    const FilledFields filled = filled_fields(attribute);
    const auto type =
        attribute.type() == AttributeProto::UNDEFINED ? filled.type : attribute.type();
    if (type == known->second.type) continue;
    faults.add(place,
               "attribute " + quoted(attribute.name()) + " is of type " +
                   AttributeProto::AttributeType_Name(type) + "; expected " +
                   AttributeProto::AttributeType_Name(known->second.type));
  }
}

}  // namespace

OnnxNode imported_node(const onnx::NodeProto& node, const OnnxGraph& graph, OnnxFaults& faults) {
  OnnxNode result;
  result.name = node.name();
  result.type = node.op_type();
  result.domain = node.domain() == "ai.onnx" ? "" : node.domain();
  result.inputs.assign(node.input().begin(), node.input().end());
  result.outputs.assign(node.output().begin(), node.output().end());
  const std::string place = "node " + quoted(result.name) + " (" + quoted(result.type) + ")";
  if (result.type.empty()) faults.add(place, "no operator name");
  bool has_output = false;
  for (const std::string& output : result.outputs)
    has_output = has_output || !output.empty();
  if (!has_output) faults.add(place, "no outputs; expected at least one");
  std::set<std::string> seen;
  for (const AttributeProto& attribute : node.attribute()) {
    const std::string attribute_place = place + ": attribute " + quoted(attribute.name());
    if (attribute.name().empty()) {
      faults.add(place, "an attribute without a name");
      continue;
    }
    if (!seen.insert(attribute.name()).second) {
      faults.add(attribute_place, "given twice");
      continue;
    }
    const auto type = attribute_type(attribute, attribute_place, faults);
    if (type) store_attribute(attribute, *type, result, faults);
  }
  if (!faults.empty() || graph.opset < 1) return result;
  const onnx::OpSchema* schema = nullptr;
  if (result.domain.empty())
    schema = onnx::OpSchemaRegistry::Schema(
        result.type, static_cast<int>(std::min<std::int64_t>(graph.opset, 1000)), "");
  if (schema != nullptr) {
    check_attribute_types(*schema, node, place, faults);
    if (faults.empty()) check_against_schema(*schema, result, faults);
  }
  return result;
}

}  // namespace paretrain::problems
