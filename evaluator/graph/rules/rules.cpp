#include "evaluator/graph/rules/rules.h"

#include <array>

namespace paretrain::evaluator {

std::optional<ForwardRule> rule_for(std::string_view type) {
  const std::array families = {activation_rules(),
                               arithmetic_rules(),
                               convolution_rules(),
                               einsum_rules(),
                               indexing_rules(),
                               matmul_rules(),
                               movement_rules(),
                               normalisation_rules(),
                               pooling_rules(),
                               random_rules(),
                               recurrent_rules(),
                               reduction_rules(),
                               softmax_rules(),
                               view_rules()};
  for (const auto& family : families)
    for (const RuleEntry& entry : family)
      if (entry.type == type) return entry.rule;
  return std::nullopt;
}

void unknown_elementwise(NodeContext& context) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (!context.has(i) || !context.in(i).storage) continue;
    if (broadcasts(context.in(i).shape(), context.out_shape())) inputs.push_back(context.in(i));
  }
  if (inputs.empty()) context.refuse("has no input that fits its output element by element");
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  const std::string type = context.node().type + "Gradient";
  context.step().record(inputs, {y}, [=](Gradients& gradients) {
    for (const Tensor& input : inputs)
      if (input.needs_gradient) add_pointwise_gradient(gradients, {input, y, type, inputs});
  });
}

}  // namespace paretrain::evaluator
