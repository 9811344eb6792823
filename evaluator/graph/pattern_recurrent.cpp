// Exporters put the gates of recurrent layers into ONNX's order by slicing and joining parameters;
// the framework uses the parameters as they are.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/graph/pattern_match.h"

namespace paretrain::evaluator {
namespace {

constexpr std::size_t kOnnxInputs = 8;

bool moves_elements_only(const std::string& type) {
  for (const char* known :
       {"Slice", "Concat", "Unsqueeze", "Squeeze", "Identity", "Transpose", "Reshape", "Split"})
    if (type == known) return true;
  return false;
}

// The parameters that a value is put together from, in order; false when there is anything else.
bool collect_parameters(const ModelIndex& index,
                        ValueId value,
                        std::vector<std::size_t>& nodes,
                        std::vector<ValueId>& parameters) {
  const ValueKind kind = index.model().value(value).kind;
  if (kind == ValueKind::Constant) return true;
  if (kind == ValueKind::Parameter) {
    if (std::find(parameters.begin(), parameters.end(), value) == parameters.end())
      parameters.push_back(value);
    return true;
  }
  const auto maker = index.producer(value);
  if (!maker || !moves_elements_only(index.node(*maker).type)) return false;
  if (std::find(nodes.begin(), nodes.end(), *maker) == nodes.end()) nodes.push_back(*maker);
  for (const auto& input : index.node(*maker).inputs)
    if (input && !collect_parameters(index, *input, nodes, parameters)) return false;
  return true;
}

}  // namespace

std::optional<PatternMatch> recurrent_weights_pattern(const ModelIndex& index, std::size_t node) {
  const Node& layer = index.node(node);
  if (layer.type != "LSTM" && layer.type != "GRU" && layer.type != "RNN") return std::nullopt;
  std::vector<std::size_t> nodes = {node};
  std::vector<std::vector<ValueId>> parameters(3);
  for (std::size_t i = 1; i <= 3 && i < layer.inputs.size(); ++i)
    if (layer.inputs[i] && !collect_parameters(index, *layer.inputs[i], nodes, parameters[i - 1]))
      return std::nullopt;
  if (nodes.size() == 1) return std::nullopt;
  const auto direction = layer.attributes.find("direction");
  const bool both = direction != layer.attributes.end() &&
                    std::get_if<std::string>(&direction->second) != nullptr &&
                    std::get<std::string>(direction->second) == "bidirectional";
  const std::size_t directions = both ? 2 : 1;
  const bool biased = !parameters[2].empty();
  if (parameters[0].size() != directions || parameters[1].size() != directions) return std::nullopt;
  if (biased && parameters[2].size() != 2 * directions) return std::nullopt;
  if (!index.closed(nodes, node)) return std::nullopt;
  Node replacement = layer;
  replacement.inputs.resize(kOnnxInputs);
  for (const std::size_t weights : {1U, 2U, 3U})
    replacement.inputs[weights] = std::nullopt;
  for (std::size_t d = 0; d < directions; ++d) {
    replacement.inputs.emplace_back(parameters[0][d]);
    replacement.inputs.emplace_back(parameters[1][d]);
    if (!biased) continue;
    replacement.inputs.emplace_back(parameters[2][2 * d]);
    replacement.inputs.emplace_back(parameters[2][2 * d + 1]);
  }
  replacement.attributes["unpacked"] = std::int64_t{1};
  replacement.attributes["biased"] = std::int64_t{biased ? 1 : 0};
  return PatternMatch{"Recurrent weights", nodes, std::move(replacement)};
}

}  // namespace paretrain::evaluator
