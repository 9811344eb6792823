#include "problems/onnx_roles.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/check.h"

namespace paretrain::problems {

namespace {

using evaluator::ValueKind;

// Slots of settings by operator; a bit per slot.
const std::unordered_map<std::string_view, unsigned>& setting_slots() {
  static const std::unordered_map<std::string_view, unsigned> slots{{"Reshape", 0b10},
                                                                    {"Expand", 0b10},
                                                                    {"Slice", 0b11110},
                                                                    {"Pad", 0b1110},
                                                                    {"Squeeze", 0b10},
                                                                    {"Unsqueeze", 0b10},
                                                                    {"Tile", 0b10},
                                                                    {"Resize", 0b1110},
                                                                    {"Upsample", 0b10},
                                                                    {"Split", 0b10},
                                                                    {"Clip", 0b110},
                                                                    {"Dropout", 0b110},
                                                                    {"TopK", 0b10},
                                                                    {"OneHot", 0b110},
                                                                    {"Range", 0b111},
                                                                    {"ConstantOfShape", 0b1},
                                                                    {"Trilu", 0b10},
                                                                    {"CumSum", 0b10},
                                                                    {"Pow", 0b10},
                                                                    {"ReduceSum", 0b10},
                                                                    {"ReduceMean", 0b10},
                                                                    {"ReduceMax", 0b10},
                                                                    {"ReduceMin", 0b10},
                                                                    {"ReduceProd", 0b10},
                                                                    {"ReduceL1", 0b10},
                                                                    {"ReduceL2", 0b10},
                                                                    {"ReduceLogSum", 0b10},
                                                                    {"ReduceLogSumExp", 0b10},
                                                                    {"ReduceSumSquare", 0b10}};
  return slots;
}

// Slots in which weights stand, for inputs that may be weights.
const std::unordered_map<std::string_view, unsigned>& weight_slots() {
  static const std::unordered_map<std::string_view, unsigned> slots{
      {"Conv", 0b110},
      {"ConvTranspose", 0b110},
      {"Gemm", 0b110},
      {"BatchNormalization", 0b11110},
      {"InstanceNormalization", 0b110},
      {"GroupNormalization", 0b110},
      {"LayerNormalization", 0b110},
      {"PRelu", 0b10},
      {"LSTM", 0b10001110},
      {"GRU", 0b1110},
      {"RNN", 0b1110}};
  return slots;
}

bool has_slot(const std::unordered_map<std::string_view, unsigned>& slots,
              const OnnxNode& node,
              std::size_t slot) {
  const auto found = slots.find(node.type);
  return found != slots.end() && slot < 8 && (found->second >> slot & 1U) != 0;
}

bool is_weight_slot(const OnnxNode& node, std::size_t slot) {
  return has_slot(weight_slots(), node, slot);
}

bool is_running_statistic(const OnnxNode& node, std::size_t slot) {
  return node.type == "BatchNormalization" && slot >= 3;
}

// As PyTorch's exporter names what nodes make: "/block/Constant_2_output_0". Names of parameters
// are those of modules, without a slash in front.
bool is_made_by_exporter(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9')
    name.remove_suffix(1);
  constexpr std::string_view kEnd = "_output_";
  return name.starts_with('/') && name.ends_with(kEnd);
}

template <class Predicate>
bool all_uses(const IndexedGraph& graph, std::size_t value, Predicate predicate) {
  return std::ranges::all_of(graph.uses(value), [&](const IndexedGraph::Use& use) {
    return predicate(graph.graph().nodes[use.node], use.slot);
  });
}

template <class Predicate>
bool any_use(const IndexedGraph& graph, std::size_t value, Predicate predicate) {
  return std::ranges::any_of(graph.uses(value), [&](const IndexedGraph::Use& use) {
    return predicate(graph.graph().nodes[use.node], use.slot);
  });
}

std::size_t rank_of(const OnnxValue& input) {
  return input.shape ? input.shape->size() : 0;
}

// Whether this use is in the slot of a weight, or as a matrix of a product.
bool is_matrix_use(const IndexedGraph& graph, const IndexedGraph::Use& use, std::size_t rank) {
  const OnnxNode& node = graph.graph().nodes[use.node];
  return is_weight_slot(node, use.slot) || (node.type == "MatMul" && rank == 2 && use.slot == 1);
}

// Whether this use is one that a weight has: in a weight's slot, as a matrix of a product with
// something else, as a table that is looked up, or as a vector that is added or multiplied on;
// through Transpose and Identity, too.
bool is_weight_use(const IndexedGraph& graph, const IndexedGraph::Use& use, std::size_t rank) {
  const OnnxNode& node = graph.graph().nodes[use.node];
  if (is_matrix_use(graph, use, rank)) return true;
  if (node.type == "Gather") return rank == 2 && use.slot == 0;
  if (node.type == "Expand") return use.slot == 0;  // a class token
  if (node.type == "Add" || node.type == "Mul" || node.type == "Sub" || node.type == "Div")
    return rank == 1;
  if (node.type != "Transpose" && node.type != "Identity") return false;
  const auto output = graph.outputs(use.node)[0];
  return output && std::ranges::all_of(graph.uses(*output), [&](const IndexedGraph::Use& next) {
           return is_weight_use(graph, next, rank);
         });
}

ValueKind initializer_kind(const IndexedGraph& graph, std::size_t value) {
  const OnnxTensor& tensor = graph.graph().initializers[value];
  if (any_use(graph, value, is_running_statistic)) return ValueKind::Buffer;
  const bool is_setting = all_uses(graph, value, is_setting_slot);
  const bool is_weight = std::ranges::any_of(graph.uses(value), [&](const IndexedGraph::Use& use) {
    return is_matrix_use(graph, use, tensor.shape.size());
  });
  if (!evaluator::is_float(tensor.type) || is_setting ||
      (is_made_by_exporter(tensor.name) && !is_weight))
    return folded_kind(graph, value, evaluator::element_count(tensor.shape));
  const auto is_trilu = [](const OnnxNode& node, std::size_t) { return node.type == "Trilu"; };
  return all_uses(graph, value, is_trilu) ? ValueKind::Buffer : ValueKind::Parameter;
}

bool has_fixed_shape(const OnnxValue& input) {
  return input.shape && std::ranges::all_of(*input.shape, [](const OnnxDimension& dimension) {
           return dimension.extent.has_value();
         });
}

bool has_module_name(const OnnxValue& input) {
  return input.name.find('.') != std::string::npos;
}

// Exporters list weights after the data, under the names of modules: then a name with a dot tells,
// too (tables of positions are added like data).
enum class After { Data, Weights };

bool is_weight_input(const IndexedGraph& graph, std::size_t index, After after) {
  const OnnxValue& input = graph.graph().inputs[index];
  const std::size_t value = graph.input(index);
  if (!evaluator::is_float(input.type) || !has_fixed_shape(input)) return false;
  if (graph.uses(value).empty()) return false;
  if (after == After::Weights && has_module_name(input)) return true;
  return std::ranges::all_of(graph.uses(value), [&](const IndexedGraph::Use& use) {
    return is_weight_use(graph, use, rank_of(input));
  });
}

ValueKind input_kind(const IndexedGraph& graph, std::size_t index, After after) {
  const OnnxValue& input = graph.graph().inputs[index];
  const bool is_mask = after == After::Weights && !evaluator::is_float(input.type) &&
                       has_module_name(input) && has_fixed_shape(input);
  if (is_mask) return ValueKind::Buffer;
  if (!is_weight_input(graph, index, after)) return ValueKind::Input;
  return any_use(graph, graph.input(index), is_running_statistic) ? ValueKind::Buffer
                                                                  : ValueKind::Parameter;
}

}  // namespace

IndexedGraph::IndexedGraph(const OnnxGraph& graph) : graph_(&graph) {
  for (const OnnxTensor& tensor : graph.initializers)
    add_value(tensor.name);
  for (const OnnxValue& value : graph.inputs)
    add_value(value.name);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    auto& inputs = inputs_.emplace_back();
    for (std::size_t slot = 0; slot < graph.nodes[i].inputs.size(); ++slot) {
      inputs.push_back(find(graph.nodes[i].inputs[slot]));
      if (inputs.back()) uses_[*inputs.back()].push_back({i, slot});
    }
    auto& outputs = outputs_.emplace_back();
    for (const std::string& output : graph.nodes[i].outputs) {
      outputs.push_back(output.empty() ? std::nullopt : std::optional(add_value(output)));
      if (outputs.back()) makers_[*outputs.back()] = i;
    }
  }
}

std::size_t IndexedGraph::add_value(const std::string& name) {
  const std::size_t value = names_.size();
  names_.push_back(name);
  CHECK(by_name_.emplace(name, value).second, "names are unique");
  uses_.emplace_back();
  makers_.emplace_back();
  return value;
}

std::optional<std::size_t> IndexedGraph::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

bool is_setting_slot(const OnnxNode& node, std::size_t slot) {
  return has_slot(setting_slots(), node, slot);
}

ValueKind folded_kind(const IndexedGraph& graph, std::size_t value, std::int64_t elements) {
  return elements <= 1 || all_uses(graph, value, is_setting_slot) ? ValueKind::Constant
                                                                  : ValueKind::Buffer;
}

std::vector<ValueKind> ready_made_kinds(const IndexedGraph& graph) {
  const auto first_loss = std::ranges::find_if(graph.graph().nodes, [](const OnnxNode& node) {
    return node.type.find("LossGrad") != std::string::npos;
  });
  const auto forward = static_cast<std::size_t>(first_loss - graph.graph().nodes.begin());
  const auto only_updates_read = [&](std::size_t value) {
    return std::ranges::all_of(graph.uses(value), [&](const IndexedGraph::Use& use) {
      const std::string& name = graph.graph().nodes[use.node].name;
      return name.starts_with("Sum_Grad_") || name.starts_with("Adam_");
    });
  };
  std::vector<ValueKind> kinds(graph.value_count(), ValueKind::Computed);
  for (std::size_t i = 0; i < graph.graph().initializers.size(); ++i) {
    const std::int64_t elements = evaluator::element_count(graph.graph().initializers[i].shape);
    kinds[i] = only_updates_read(i) ? folded_kind(graph, i, elements) : initializer_kind(graph, i);
  }
  for (std::size_t i = 0; i < graph.graph().inputs.size(); ++i) {
    const std::size_t value = graph.input(i);
    kinds[value] = ValueKind::Input;
    if (!evaluator::is_float(graph.graph().inputs[i].type)) continue;
    const bool is_read_forward = std::ranges::any_of(
        graph.uses(value), [&](const IndexedGraph::Use& use) { return use.node < forward; });
    if (is_read_forward && i > 0) kinds[value] = ValueKind::Parameter;
    if (!graph.uses(value).empty() && only_updates_read(value)) kinds[value] = ValueKind::Buffer;
  }
  return kinds;
}

std::vector<ValueKind> value_kinds(const IndexedGraph& graph,
                                   const std::vector<std::string>& data_inputs) {
  std::vector<ValueKind> kinds(graph.value_count(), ValueKind::Computed);
  for (std::size_t i = 0; i < graph.graph().initializers.size(); ++i)
    kinds[graph.initializer(i)] = initializer_kind(graph, i);
  bool has_data = false;
  After after = After::Data;
  for (std::size_t i = 0; i < graph.graph().inputs.size(); ++i) {
    const std::size_t value = graph.input(i);
    const bool is_named = std::ranges::find(data_inputs, graph.name(value)) != data_inputs.end();
    kinds[value] = is_named ? ValueKind::Input : input_kind(graph, i, after);
    has_data = has_data || kinds[value] == ValueKind::Input;
    if (has_data && kinds[value] != ValueKind::Input) after = After::Weights;
  }
  // A network computes on something: when every input could be a weight, the first is data.
  if (!has_data && !graph.graph().inputs.empty()) kinds[graph.input(0)] = ValueKind::Input;
  return kinds;
}

}  // namespace paretrain::problems
