// Why: every shape must be known, also where libonnx's inference gives up or would trust numbers of
// a hostile file; these are the rules of the ONNX operators, with every size checked.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "problems/onnx_facts.h"

namespace paretrain::problems {

// One fact per output of the node, in order; more than the node names are possible.
using ShapeRule = std::vector<TensorFacts> (*)(const NodeFacts&);

struct NamedRule {
  std::string_view type;
  ShapeRule rule;
};

// The rules, by kind of operator.
[[nodiscard]] std::span<const NamedRule> convolution_rules();
[[nodiscard]] std::span<const NamedRule> elementwise_rules();
[[nodiscard]] std::span<const NamedRule> layout_rules();
[[nodiscard]] std::span<const NamedRule> selection_rules();
[[nodiscard]] std::span<const NamedRule> matrix_rules();
[[nodiscard]] std::span<const NamedRule> reduction_rules();
[[nodiscard]] std::span<const NamedRule> constant_rules();

// The rule for an operator of the standard domain or of onnxruntime's (com.microsoft); null when
// there is none.
[[nodiscard]] ShapeRule shape_rule(const OnnxNode& node);

// What is known of the node's outputs, numbers excepted. Empty when neither we nor libonnx know the
// operator. Errors: ShapeFault when inputs and attributes make no sense together.
[[nodiscard]] std::optional<std::vector<TensorFacts>> output_facts(const NodeFacts& node);

// The same by libonnx's inference for this one operator: the way out for operators without a rule
// of ours. Empty when it has none, or leaves an extent open.
[[nodiscard]] std::optional<std::vector<TensorFacts>> library_output_facts(const NodeFacts& node);

}  // namespace paretrain::problems
