#include "problems/onnx_shapes.h"

#include <map>

namespace paretrain::problems {

namespace {

using Rules = std::map<std::string_view, ShapeRule>;

Rules all_rules() {
  Rules rules;
  for (const auto group : {convolution_rules(),
                           elementwise_rules(),
                           layout_rules(),
                           selection_rules(),
                           matrix_rules(),
                           reduction_rules(),
                           constant_rules()}) {
    for (const NamedRule& named : group)
      rules.emplace(named.type, named.rule);
  }
  return rules;
}

}  // namespace

ShapeRule shape_rule(const OnnxNode& node) {
  static const Rules rules = all_rules();
  if (!node.domain.empty() && node.domain != "com.microsoft") return nullptr;
  const auto found = rules.find(node.type);
  return found == rules.end() ? nullptr : found->second;
}

std::optional<std::vector<TensorFacts>> output_facts(const NodeFacts& node) {
  const ShapeRule rule = shape_rule(node.node());
  auto outputs = rule != nullptr ? std::optional(rule(node)) : library_output_facts(node);
  if (!outputs) return std::nullopt;
  for (const TensorFacts& output : *outputs)
    static_cast<void>(checked_elements(output.shape));
  return outputs;
}

}  // namespace paretrain::problems
