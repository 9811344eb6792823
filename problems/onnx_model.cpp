#include "problems/onnx_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/number_text.h"
#include "base/printable_text.h"
#include "problems/onnx_inference.h"
#include "problems/onnx_order.h"
#include "problems/onnx_sizes.h"

namespace paretrain::problems {

namespace {

using evaluator::ModelGraph;
using evaluator::Node;
using evaluator::Shape;
using evaluator::Value;
using evaluator::ValueId;
using evaluator::ValueKind;

constexpr std::size_t kLongestName = 200;

// Gives every thing a name that is printable, not empty and not given before.
class Names {
 public:
  std::string unique(const std::string& name, const std::string& absent) {
    std::string text = printable(name.substr(0, 4 * kLongestName));
    if (text.empty()) text = absent;
    if (text.size() > kLongestName) text = printable(text.substr(0, kLongestName)) + "...";
    std::string candidate = text;
    for (std::int64_t n = 2; !taken_.insert(candidate).second; ++n)
      candidate = text + "#" + number_text(n);
    return candidate;
  }

 private:
  std::set<std::string> taken_;
};

AllFacts starting_facts(const IndexedGraph& graph,
                        const std::vector<ValueKind>& kinds,
                        const InputSizes& sizes) {
  AllFacts facts(graph.value_count());
  for (std::size_t i = 0; i < graph.graph().initializers.size(); ++i) {
    const OnnxTensor& tensor = graph.graph().initializers[i];
    const std::size_t value = graph.initializer(i);
    facts[value] = TensorFacts{.type = tensor.type,
                               .shape = tensor.shape,
                               .constant = kinds[value] != ValueKind::Parameter,
                               .numbers = tensor.numbers};
  }
  for (std::size_t i = 0; i < graph.graph().inputs.size(); ++i) {
    const OnnxValue& input = graph.graph().inputs[i];
    const std::size_t value = graph.input(i);
    // Masks among weights given as inputs; optimizer states change from step to step.
    const bool is_mask = kinds[value] == ValueKind::Buffer && !evaluator::is_float(input.type);
    facts[value] = TensorFacts{
        .type = input.type, .shape = sizes.shapes[i], .constant = is_mask, .numbers = std::nullopt};
  }
  return facts;
}

Inference inference_of(const IndexedGraph& graph,
                       const std::vector<ValueKind>& kinds,
                       const InputSizes& sizes,
                       Declared declared,
                       OnnxFaults& faults) {
  Inference base = inferred(graph, starting_facts(graph, kinds, sizes), declared, faults);
  if (!faults.empty() || !sizes.change) return base;
  AllFacts facts = starting_facts(graph, kinds, sizes);
  for (std::size_t i = 0; i < sizes.shapes.size(); ++i)
    if (sizes.has_batch[i]) facts[graph.input(i)]->shape[0] = sizes.change->to;
  return inferred_at_batch(graph, base.facts, std::move(facts), *sizes.change, faults);
}

// Exporters leave names out; then the first output's name says which node is meant.
std::string node_label(const OnnxNode& node) {
  return node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
}

std::vector<UnknownOperatorUse> unknown_uses(const OnnxGraph& graph,
                                             const std::vector<std::size_t>& nodes) {
  std::map<std::string, UnknownOperatorUse> uses;
  for (const std::size_t node : nodes) {
    const OnnxNode& source = graph.nodes[node];
    const std::string type =
        printable((source.domain.empty() ? "" : source.domain + ".") + source.type);
    UnknownOperatorUse& use = uses[type];
    if (use.count++ == 0) {
      use.type = type;
      use.first_node = printable(node_label(source).substr(0, kLongestName));
    }
  }
  std::vector<UnknownOperatorUse> result;
  for (auto& [type, use] : uses)
    result.push_back(std::move(use));
  return result;
}

// Shapes that the file declares are not needed; where they contradict, one of the two is wrong.
void compare_declared(const IndexedGraph& graph,
                      const AllFacts& facts,
                      std::vector<std::string>& warnings) {
  std::int64_t count = 0;
  std::string first;
  const auto compare = [&](const OnnxValue& declared) {
    const auto value = graph.find(declared.name);
    if (!value || !facts[*value] || !declared.shape) return;
    const Shape& shape = facts[*value]->shape;
    bool agrees = declared.shape->size() == shape.size();
    for (std::size_t i = 0; agrees && i < shape.size(); ++i) {
      const auto& extent = (*declared.shape)[i].extent;
      agrees = !extent || *extent == shape[i];
    }
    if (agrees) return;
    if (count++ == 0) first = quoted(declared.name) + " is " + shape_text(shape);
  };
  std::ranges::for_each(graph.graph().inner, compare);
  std::ranges::for_each(graph.graph().outputs, compare);
  if (count > 0)
    warnings.push_back(number_text(count) +
                       " shapes that the file declares contradict its operators, which are "
                       "believed; the first: " +
                       first);
}

// Their loop over time steps is inside one operator, which plans can only keep or recompute whole.
void warn_of_recurrence(const OnnxGraph& graph, std::vector<std::string>& warnings) {
  std::int64_t count = 0;
  std::string first;
  for (const OnnxNode& node : graph.nodes) {
    if (node.type != "LSTM" && node.type != "GRU" && node.type != "RNN") continue;
    if (count++ == 0) first = quoted(node_label(node)) + " (" + node.type + ")";
  }
  if (count > 0)
    warnings.push_back(number_text(count) +
                       " recurrent operators are taken as one operator each, over all time steps; "
                       "the first: " +
                       first);
}

class Builder {
 public:
  Builder(const IndexedGraph& graph, const AllFacts& facts, std::vector<ValueKind> kinds)
      : graph_(graph), facts_(facts), kinds_(std::move(kinds)), ids_(graph.value_count()) {}

  [[nodiscard]] ModelGraph built(bool keep_unread) {
    find_roots();
    find_needed(keep_unread);
    ModelGraph model;
    model.name = printable(graph_.graph().name.substr(0, kLongestName));
    model.opset = graph_.graph().opset;
    for (std::size_t i = 0; i < graph_.graph().inputs.size(); ++i) {
      const std::size_t value = graph_.input(i);
      if (kinds_[value] == ValueKind::Input) model.inputs.push_back(id_of(value, model));
    }
    for (std::size_t node = 0; node < needed_.size(); ++node)
      if (needed_[node]) add_node(node, model);
    for (const OnnxValue& output : graph_.graph().outputs)
      model.outputs.push_back(id_of(*graph_.find(output.name), model));
    return model;
  }

  [[nodiscard]] std::int64_t unread_nodes() const { return unread_; }

 private:
  [[nodiscard]] bool is_folded(std::size_t node) const {
    const auto& outputs = graph_.outputs(node);
    return std::ranges::all_of(
        outputs, [&](const auto& output) { return !output || facts_[*output]->constant; });
  }

  // Identity of a parameter or constant is only another name for it.
  void find_roots() {
    roots_.resize(graph_.value_count());
    for (std::size_t value = 0; value < roots_.size(); ++value) {
      roots_[value] = value;
      const auto maker = graph_.maker(value);
      if (!maker || graph_.graph().nodes[*maker].type != "Identity") continue;
      const std::size_t source = roots_[*graph_.inputs(*maker)[0]];
      if (kinds_[source] == ValueKind::Parameter) roots_[value] = source;
    }
  }

  [[nodiscard]] bool is_alias(std::size_t node) const {
    const auto& outputs = graph_.outputs(node);
    return outputs.size() == 1 && outputs[0] && roots_[*outputs[0]] != *outputs[0];
  }

  void find_needed(bool keep_unread) {
    const std::size_t count = graph_.graph().nodes.size();
    std::vector<bool> wanted(graph_.value_count(), false);
    for (const OnnxValue& output : graph_.graph().outputs)
      wanted[*graph_.find(output.name)] = true;
    needed_.assign(count, false);
    for (std::size_t node = count; node-- > 0;) {
      if (is_folded(node)) continue;
      const auto& outputs = graph_.outputs(node);
      const bool is_wanted = std::ranges::any_of(
          outputs, [&](const auto& output) { return output && wanted[*output]; });
      if (!is_wanted && !keep_unread) {
        ++unread_;
        continue;
      }
      needed_[node] = !is_alias(node);
      for (const auto& input : graph_.inputs(node))
        if (input) wanted[*input] = true;
    }
  }

  ValueId id_of(std::size_t value, ModelGraph& model) {
    value = roots_[value];
    if (ids_[value]) return *ids_[value];
    const TensorFacts& facts = *facts_[value];
    Value result;
    result.name = names_.unique(graph_.name(value), "value");
    result.type = facts.type;
    result.shape = facts.shape;
    result.kind = kinds_[value];
    if (kinds_[value] == ValueKind::Computed && facts.constant)
      result.kind = folded_kind(graph_, value, evaluator::element_count(facts.shape));
    if (facts.constant) result.numbers = facts.numbers;
    ids_[value] = ValueId(model.values.size());
    model.values.push_back(std::move(result));
    return *ids_[value];
  }

  void add_node(std::size_t node, ModelGraph& model) {
    const OnnxNode& source = graph_.graph().nodes[node];
    Node result;
    result.type = printable(source.type);
    result.domain = printable(source.domain);
    result.name = node_names_.unique(
        source.name, result.type + "_" + number_text(static_cast<std::int64_t>(node)));
    result.attributes = source.attributes;
    for (const auto& input : graph_.inputs(node))
      result.inputs.push_back(input ? std::optional(id_of(*input, model)) : std::nullopt);
    for (const auto& output : graph_.outputs(node))
      result.outputs.push_back(output ? std::optional(id_of(*output, model)) : std::nullopt);
    model.nodes.push_back(std::move(result));
  }

  const IndexedGraph& graph_;
  const AllFacts& facts_;
  std::vector<ValueKind> kinds_;
  std::vector<std::optional<ValueId>> ids_;
  std::vector<std::size_t> roots_;
  std::vector<bool> needed_;
  std::int64_t unread_ = 0;
  Names names_;
  Names node_names_;
};

// Source: docs/models.md, Ready-made training graphs: the backward pass starts with the gradient of
// the loss, and the optimizer's nodes are named for what they do.
struct Phases {
  ImportedNodes nodes;
  ModelKind kind = ModelKind::ForwardGraph;
};

Phases phases_of(const OnnxGraph& graph) {
  Phases phases;
  for (const OnnxNode& node : graph.nodes) {
    const bool is_optimizer = node.name.starts_with("Sum_Grad_") || node.name.starts_with("Adam_");
    if (node.type.find("LossGrad") != std::string::npos)
      phases.kind = ModelKind::ReadyMadeTrainingGraph;
    const bool backward = phases.kind == ModelKind::ReadyMadeTrainingGraph;
    if (backward && is_optimizer) {
      ++phases.nodes.optimizer;
    } else if (backward) {
      ++phases.nodes.backward;
    } else {
      ++phases.nodes.forward;
    }
  }
  return phases;
}

void check_data_inputs(const OnnxGraph& graph, const ImportOptions& options, OnnxFaults& faults) {
  for (const std::string& name : options.data_inputs) {
    const bool known = std::ranges::any_of(
        graph.inputs, [&](const OnnxValue& input) { return input.name == name; });
    if (!known) faults.add("--data-input " + quoted(name), "the model has no such input");
  }
}

}  // namespace

ImportedModel model_of(OnnxGraph graph, const std::string& label, const ImportOptions& options) {
  OnnxFaults faults(label);
  const Phases phases = phases_of(graph);
  order_nodes(graph, faults);
  check_data_inputs(graph, options, faults);
  faults.throw_if_any();
  const IndexedGraph indexed(graph);
  const bool ready_made = phases.kind == ModelKind::ReadyMadeTrainingGraph;
  const std::vector<ValueKind> kinds =
      ready_made ? ready_made_kinds(indexed) : value_kinds(indexed, options.data_inputs);
  const InputSizes sizes = input_sizes(indexed, kinds, options, faults);
  faults.throw_if_any();
  const Declared declared = ready_made ? Declared::Believed : Declared::Ignored;
  const Inference inference = inference_of(indexed, kinds, sizes, declared, faults);
  ImportedModel model;
  model.unknown_operators = unknown_uses(graph, inference.unknown_nodes);
  for (const UnknownOperatorUse& use : model.unknown_operators)
    if (!faults.empty())
      faults.add("node " + quoted(use.first_node),
                 "operator " + quoted(use.type) + " is not supported (" + number_text(use.count) +
                     " nodes)");
  faults.throw_if_any();
  model.kind = phases.kind;
  model.nodes = phases.nodes;
  model.warnings = graph.warnings;
  warn_of_recurrence(graph, model.warnings);
  if (!sizes.change) compare_declared(indexed, inference.facts, model.warnings);
  Builder builder(indexed, inference.facts, kinds);
  model.graph = builder.built(ready_made);
  model.graph.batch = sizes.batch;
  model.batch_dimension = sizes.batch_symbol;
  if (builder.unread_nodes() > 0)
    model.warnings.push_back(number_text(builder.unread_nodes()) +
                             " nodes that no output needs are left out");
  return model;
}

}  // namespace paretrain::problems
