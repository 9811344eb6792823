// Why: the table of operators. One file per family says how its operators run forward and what
// their backward pass reads; nothing else in the evaluator knows an ONNX operator by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "evaluator/graph/rules/node_context.h"

namespace paretrain::evaluator {

[[nodiscard]] std::span<const RuleEntry> activation_rules();
[[nodiscard]] std::span<const RuleEntry> arithmetic_rules();
[[nodiscard]] std::span<const RuleEntry> convolution_rules();
[[nodiscard]] std::span<const RuleEntry> einsum_rules();
[[nodiscard]] std::span<const RuleEntry> indexing_rules();
[[nodiscard]] std::span<const RuleEntry> matmul_rules();
[[nodiscard]] std::span<const RuleEntry> movement_rules();
[[nodiscard]] std::span<const RuleEntry> normalisation_rules();
[[nodiscard]] std::span<const RuleEntry> pooling_rules();
[[nodiscard]] std::span<const RuleEntry> random_rules();
[[nodiscard]] std::span<const RuleEntry> recurrent_rules();
[[nodiscard]] std::span<const RuleEntry> reduction_rules();
[[nodiscard]] std::span<const RuleEntry> softmax_rules();
[[nodiscard]] std::span<const RuleEntry> view_rules();

// The rule of an ONNX operator (or of a recognised pattern), if there is one.
[[nodiscard]] std::optional<ForwardRule> rule_for(std::string_view type);

// For `--unknown-op elementwise`: one result shaped like the node's first output, computed from all
// inputs; its gradient to every input of that shape reads the inputs.
void unknown_elementwise(NodeContext& context);

}  // namespace paretrain::evaluator
