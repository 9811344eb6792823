// Functions of one tensor, element by element.
#include <array>
#include <string_view>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// What the derivative is computed from.
enum class Reads {
  Nothing,
  Input,
  Output,
  InputAndOutput,
  Bit  // one bit per element, made in the forward pass
};

struct ActivationRule {
  std::string_view type;
  Reads framework = Reads::Input;
  Reads minimal = Reads::Input;
};

// Source: docs/training-graph.md, Activations.
constexpr std::array kActivations = std::to_array<ActivationRule>({
    {"Relu", Reads::Output, Reads::Bit},
    {"LeakyRelu", Reads::Input, Reads::Bit},
    {"ThresholdedRelu", Reads::Input, Reads::Bit},
    {"Clip", Reads::Input, Reads::Bit},
    {"HardSigmoid", Reads::Input, Reads::Bit},
    {"Abs", Reads::Input, Reads::Bit},
    {"Elu", Reads::Input, Reads::Input},
    {"Selu", Reads::Input, Reads::Input},
    {"Celu", Reads::Input, Reads::Input},
    {"HardSwish", Reads::Input, Reads::Input},
    {"Gelu", Reads::Input, Reads::Input},
    {"Silu", Reads::Input, Reads::Input},
    {"Mish", Reads::Input, Reads::Input},
    {"Softplus", Reads::Input, Reads::Input},
    {"Softsign", Reads::Input, Reads::Input},
    {"Erf", Reads::Input, Reads::Input},
    {"Log", Reads::Input, Reads::Input},
    {"Sin", Reads::Input, Reads::Input},
    {"Cos", Reads::Input, Reads::Input},
    {"Sigmoid", Reads::Output, Reads::Output},
    {"Tanh", Reads::Output, Reads::Output},
    {"Exp", Reads::Output, Reads::Output},
    {"Sqrt", Reads::Output, Reads::Output},
    {"Rsqrt", Reads::Output, Reads::Output},
    {"Reciprocal", Reads::Output, Reads::Output},
    {"LRN", Reads::InputAndOutput, Reads::InputAndOutput},
    {"LpNormalization", Reads::InputAndOutput, Reads::InputAndOutput},
    {"Neg", Reads::Nothing, Reads::Nothing},
});

const ActivationRule& rule_of(NodeContext& context) {
  for (const ActivationRule& rule : kActivations)
    if (rule.type == context.node().type) return rule;
  context.refuse("has no activation rule");
}

Tensor bit_per_element(NodeContext& context) {
  StorageDraft bits;
  bits.name = context.out_name() + ":sign";
  bits.kind = ElementKind::Bit;
  bits.type = ElementType::Bool;
  bits.shape = context.out_shape();
  bits.recomputable = true;
  return context.step().auxiliary(bits);
}

void activation(NodeContext& context) {
  const ActivationRule& rule = rule_of(context);
  const Tensor x = context.in(0);
  const Reads reads = context.step().keeps_like_framework() ? rule.framework : rule.minimal;
  std::vector<Tensor> bits;
  if (reads == Reads::Bit && x.needs_gradient && !context.step().options().inference)
    bits.push_back(bit_per_element(context));
  const std::array inputs = {x};
  const Tensor y = elementwise(context, inputs, bits);
  context.bind(0, y);
  std::vector<Tensor> others = bits;
  if (reads == Reads::Input) others = {x};
  if (reads == Reads::Output) others = {y};
  if (reads == Reads::InputAndOutput) others = {x, y};
  const std::string type = context.node().type + "Gradient";
  context.step().record({x}, {y}, [=](Gradients& gradients) {
    add_pointwise_gradient(gradients, {x, y, type, others});
  });
}

void no_gradient(NodeContext& context) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    if (context.has(i)) inputs.push_back(context.in(i));
  Tensor y = elementwise(context, inputs);
  y.needs_gradient = false;
  context.bind(0, y);
}

// max(0, x) + slope * min(0, x) with a trained slope.
void parametric_relu(NodeContext& context) {
  const Tensor x = context.in(0);
  Tensor slope = context.in(1);
  const std::array inputs = {x, slope};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({slope, x}, {y}, [=](Gradients& gradients) {
    if (slope.needs_gradient)
      add_pointwise_gradient(gradients, {slope, y, "PReluSlopeGradient", {x}});
    if (x.needs_gradient) add_pointwise_gradient(gradients, {x, y, "PReluGradient", {x, slope}});
  });
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Relu", activation},
    {"LeakyRelu", activation},
    {"ThresholdedRelu", activation},
    {"Clip", activation},
    {"HardSigmoid", activation},
    {"Abs", activation},
    {"Elu", activation},
    {"Selu", activation},
    {"Celu", activation},
    {"HardSwish", activation},
    {"Gelu", activation},
    {"Silu", activation},
    {"Mish", activation},
    {"Softplus", activation},
    {"Softsign", activation},
    {"Erf", activation},
    {"Log", activation},
    {"Sin", activation},
    {"Cos", activation},
    {"Sigmoid", activation},
    {"Tanh", activation},
    {"Exp", activation},
    {"Sqrt", activation},
    {"Rsqrt", activation},
    {"Reciprocal", activation},
    {"Neg", activation},
    {"LRN", activation},
    {"LpNormalization", activation},
    {"Mod", no_gradient},
    {"OneHot", no_gradient},
    {"PRelu", parametric_relu},
    {"Floor", no_gradient},
    {"Ceil", no_gradient},
    {"Round", no_gradient},
    {"Sign", no_gradient},
    {"Not", no_gradient},
    {"And", no_gradient},
    {"Or", no_gradient},
    {"Xor", no_gradient},
    {"Equal", no_gradient},
    {"Less", no_gradient},
    {"Greater", no_gradient},
    {"LessOrEqual", no_gradient},
    {"GreaterOrEqual", no_gradient},
    {"IsNaN", no_gradient},
    {"IsInf", no_gradient},
});

}  // namespace

std::span<const RuleEntry> activation_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
