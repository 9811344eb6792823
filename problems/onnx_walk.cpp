#include "problems/onnx_walk.h"

#include <algorithm>
#include <utility>

#include "problems/onnx_fold.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;

std::string node_place(const OnnxNode& node) {
  const std::string name = node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
  return "node " + quoted(name) + " (" + quoted(node.type) + ")";
}

// Full shapes that the file declares, by value.
std::vector<std::optional<TensorFacts>> declared_facts(const IndexedGraph& graph) {
  std::vector<std::optional<TensorFacts>> result(graph.value_count());
  const auto add = [&](const OnnxValue& declared) {
    const auto value = graph.find(declared.name);
    if (!value || !declared.shape) return;
    Shape shape;
    for (const OnnxDimension& dimension : *declared.shape) {
      if (!dimension.extent || *dimension.extent < 1) return;
      shape.push_back(*dimension.extent);
    }
    result[*value] = facts(declared.type, std::move(shape));
  };
  std::ranges::for_each(graph.graph().inner, add);
  std::ranges::for_each(graph.graph().outputs, add);
  return result;
}

TensorFacts elementwise_facts(const NodeFacts& node) {
  TensorFacts result;
  bool is_first = true;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    if (is_first) result = facts(node.input(i).type, node.shape(i));
    try {
      result.shape = broadcast(result.shape, node.shape(i));
    } catch (const ShapeFault&) {
      // Operands of an unknown operator need not fit one another; then the first decides.
      break;
    }
    is_first = false;
  }
  return result;
}

}  // namespace

bool makes_constants(const NodeFacts& node) {
  const OnnxNode& source = node.node();
  if (source.domain.empty() && (source.type == "Shape" || source.type == "Size")) return true;
  if (source.type.starts_with("Random") || source.type == "Bernoulli") return false;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (node.has_input(i) && !node.input(i).constant) return false;
  return true;
}

OnnxWalk::OnnxWalk(const IndexedGraph& graph, AllFacts facts, OnnxFaults& faults)
    : graph_(graph), declared_(declared_facts(graph)), facts_(std::move(facts)), faults_(faults) {}

std::optional<NodeFacts> OnnxWalk::node_facts(std::size_t node, const AllFacts& from) const {
  std::vector<const TensorFacts*> inputs;
  for (const auto& input : graph_.inputs(node)) {
    if (input && !from[*input]) return std::nullopt;
    inputs.push_back(input ? &*from[*input] : nullptr);
  }
  return NodeFacts(graph_.graph().nodes[node], graph_.graph().opset, std::move(inputs));
}

std::vector<TensorFacts> OnnxWalk::outputs_by_rule(std::size_t node, const NodeFacts& about) {
  if (auto outputs = output_facts(about)) return *std::move(outputs);
  unknown_.push_back(node);
  std::vector<TensorFacts> result;
  for (const auto& output : graph_.outputs(node)) {
    const bool is_declared = output && declared_[*output];
    result.push_back(is_declared ? *declared_[*output] : elementwise_facts(about));
  }
  return result;
}

void OnnxWalk::believe_declared(std::size_t node, std::vector<TensorFacts>& outputs) const {
  const auto& values = graph_.outputs(node);
  for (std::size_t i = 0; i < values.size() && i < outputs.size(); ++i)
    if (values[i] && declared_[*values[i]]) outputs[i].shape = declared_[*values[i]]->shape;
}

void OnnxWalk::store(std::size_t node, const NodeFacts& about, std::vector<TensorFacts> outputs) {
  const auto& values = graph_.outputs(node);
  const bool constant = makes_constants(about);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    if (i >= outputs.size()) throw ShapeFault{"has more outputs than its operator"};
    TensorFacts& output = outputs[i];
    output.constant = constant;
    if (constant && i == 0) output.numbers = folded_numbers(about, output);
    if (!constant && std::ranges::find(output.shape, 0) != output.shape.end())
      throw ShapeFault{"makes an empty tensor of shape " + shape_text(output.shape)};
    facts_[*values[i]] = std::move(output);
  }
}

void OnnxWalk::add_fault(std::size_t node, const ShapeFault& fault, std::string_view hint) {
  faults_.add(node_place(graph_.graph().nodes[node]), fault.what, hint);
}

Inference OnnxWalk::result() {
  return {std::move(facts_), std::move(unknown_)};
}

}  // namespace paretrain::problems
