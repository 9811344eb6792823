#include "evaluator/graph/pattern_match.h"

#include <algorithm>

namespace paretrain::evaluator {
namespace {

constexpr std::size_t kConeLimit = 12;

bool contains(const std::vector<std::size_t>& nodes, std::size_t node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

}  // namespace

ModelIndex::ModelIndex(const ModelGraph& model)
    : model_(model),
      producers_(model.values.size()),
      readers_(model.values.size()),
      is_output_(model.values.size(), false) {
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    for (const auto& output : model.nodes[n].outputs)
      if (output) producers_[output->index()] = n;
    for (const auto& input : model.nodes[n].inputs)
      if (input) readers_[input->index()].push_back(n);
  }
  for (const ValueId output : model.outputs)
    is_output_[output.index()] = true;
}

std::optional<std::size_t> ModelIndex::producer(ValueId value) const {
  return producers_[value.index()];
}

std::optional<std::size_t> ModelIndex::producer(std::optional<ValueId> value,
                                                const char* type) const {
  if (!value) return std::nullopt;
  const auto found = producers_[value->index()];
  if (!found || node(*found).type != type) return std::nullopt;
  return found;
}

std::optional<std::size_t> ModelIndex::only_reader(std::size_t node_index, const char* type) const {
  const auto& output = node(node_index).outputs.front();
  if (!output || is_output_[output->index()]) return std::nullopt;
  const auto& all = readers_[output->index()];
  if (all.size() != 1 || node(all.front()).type != type) return std::nullopt;
  return all.front();
}

const std::vector<std::size_t>& ModelIndex::readers(ValueId value) const {
  return readers_[value.index()];
}

std::optional<double> ModelIndex::number(std::optional<ValueId> value) const {
  if (!value) return std::nullopt;
  const Value& constant = model_.value(*value);
  if (!constant.numbers || element_count(constant.shape) != 1) return std::nullopt;
  if (!constant.numbers->floats.empty()) return constant.numbers->floats.front();
  if (!constant.numbers->integers.empty())
    return static_cast<double>(constant.numbers->integers.front());
  return std::nullopt;
}

bool ModelIndex::is_computed(std::optional<ValueId> value) const {
  return value && model_.value(*value).kind == ValueKind::Computed;
}

bool ModelIndex::is_parameter_view(ValueId value) const {
  for (;;) {
    if (model_.value(value).kind == ValueKind::Parameter) return true;
    const auto maker = producer(value);
    if (!maker || !node(*maker).inputs[0]) return false;
    const std::string& type = node(*maker).type;
    if (type != "Transpose" && type != "Slice" && type != "Split" && type != "Identity")
      return false;
    value = *node(*maker).inputs[0];
  }
}

std::optional<ValueId> ModelIndex::other_input(std::size_t node_index, ValueId value) const {
  const auto& inputs = node(node_index).inputs;
  if (inputs.size() != 2 || !inputs[0] || !inputs[1]) return std::nullopt;
  if (*inputs[0] == value) return inputs[1];
  if (*inputs[1] == value) return inputs[0];
  return std::nullopt;
}

bool ModelIndex::closed(const std::vector<std::size_t>& nodes, std::size_t last) const {
  for (const std::size_t n : nodes) {
    if (n == last) continue;
    for (const auto& output : node(n).outputs) {
      if (!output) continue;
      if (is_output_[output->index()]) return false;
      for (const std::size_t reader : readers_[output->index()])
        if (!contains(nodes, reader)) return false;
    }
  }
  return true;
}

bool ModelIndex::collect_cone(ValueId value,
                              ValueId source,
                              const std::vector<std::string>& types,
                              std::vector<std::size_t>& nodes) const {
  if (value == source || number(value)) return true;
  const auto maker = producer(value);
  if (!maker || nodes.size() > kConeLimit) return false;
  if (contains(nodes, *maker)) return true;
  if (std::find(types.begin(), types.end(), node(*maker).type) == types.end()) return false;
  nodes.push_back(*maker);
  for (const auto& input : node(*maker).inputs)
    if (input && !collect_cone(*input, source, types, nodes)) return false;
  return true;
}

}  // namespace paretrain::evaluator
