// Sums, products and choices of several tensors with broadcasting.
#include <array>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// A number that scales a tensor is boxed by frameworks as a double of its own.
std::optional<Tensor> boxed_scalar(NodeContext& context,
                                   const Tensor& tensor,
                                   const Tensor& factor) {
  StepBuilder& step = context.step();
  const bool is_number = !factor.storage && factor.elements() == 1;
  if (!is_number || !tensor.needs_gradient || !step.keeps_like_framework()) return std::nullopt;
  if (step.options().inference) return std::nullopt;
  StorageDraft draft;
  draft.name = context.out_name() + ":scalar";
  draft.role = StorageRole::Statistic;
  draft.kind = ElementKind::Scalar;
  draft.type = ElementType::Float64;
  return step.auxiliary(draft);
}

void add(NodeContext& context) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    inputs.push_back(context.in(i));
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record(inputs, {y}, [=](Gradients& gradients) {
    for (const Tensor& input : inputs)
      gradients.share(input, y);
  });
}

void subtract(NodeContext& context) {
  const Tensor a = context.in(0);
  const Tensor b = context.in(1);
  const std::array inputs = {a, b};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({a, b}, {y}, [=](Gradients& gradients) {
    gradients.share(a, y);
    if (b.needs_gradient) add_pointwise_gradient(gradients, {b, y, "NegGradient", {}});
  });
}

bool same_view(const Tensor& a, const Tensor& b) {
  return a.storage && a.storage == b.storage && a.view == b.view;
}

void multiply(NodeContext& context) {
  const Tensor a = context.in(0);
  const Tensor b = context.in(1);
  std::vector<Tensor> boxed;
  for (const auto& scalar : {boxed_scalar(context, a, b), boxed_scalar(context, b, a)})
    if (scalar) boxed.push_back(*scalar);
  const std::array inputs = {a, b};
  const Tensor y = elementwise(context, inputs, boxed);
  context.bind(0, y);
  if (same_view(a, b)) {
    context.step().record({a}, {y}, [=](Gradients& gradients) {
      add_pointwise_gradient(gradients, {a, y, "SquareGradient", {a}});
    });
    return;
  }
  context.step().record({a, b}, {y}, [=](Gradients& gradients) {
    const auto side = [&](const Tensor& own, const Tensor& other) {
      if (!own.needs_gradient) return;
      std::vector<Tensor> others = other.storage ? std::vector<Tensor>{other} : boxed;
      add_pointwise_gradient(gradients, {own, y, "MulGradient", others});
    };
    side(a, b);
    side(b, a);
  });
}

void divide(NodeContext& context) {
  const Tensor a = context.in(0);
  const Tensor b = context.in(1);
  std::vector<Tensor> boxed;
  if (const auto scalar = boxed_scalar(context, a, b)) boxed.push_back(*scalar);
  const std::array inputs = {a, b};
  const Tensor y = elementwise(context, inputs, boxed);
  context.bind(0, y);
  context.step().record({a, b}, {y}, [=](Gradients& gradients) {
    if (a.needs_gradient) {
      std::vector<Tensor> others = b.storage ? std::vector<Tensor>{b} : boxed;
      add_pointwise_gradient(gradients, {a, y, "DivGradient", others});
    }
    if (b.needs_gradient) add_pointwise_gradient(gradients, {b, y, "DivisorGradient", {a, b}});
  });
}

void power(NodeContext& context) {
  const Tensor x = context.in(0);
  const Tensor exponent = context.in(1);
  const std::array inputs = {x, exponent};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({x, exponent}, {y}, [=](Gradients& gradients) {
    if (x.needs_gradient) add_pointwise_gradient(gradients, {x, y, "PowGradient", {x, exponent}});
    if (exponent.needs_gradient)
      add_pointwise_gradient(gradients, {exponent, y, "PowExponentGradient", {x, exponent, y}});
  });
}

// Max, Min: the gradient goes to the input that was chosen.
void extremum(NodeContext& context) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    inputs.push_back(context.in(i));
  std::vector<Tensor> chosen;
  if (!context.step().keeps_like_framework() && any_needs_gradient(inputs)) {
    StorageDraft bits;
    bits.name = context.out_name() + ":choice";
    bits.kind = ElementKind::Bit;
    bits.type = ElementType::Bool;
    bits.shape = context.out_shape();
    bits.recomputable = true;
    chosen.push_back(context.step().auxiliary(bits));
  }
  const Tensor y = elementwise(context, inputs, chosen);
  context.bind(0, y);
  const std::string type = context.node().type + "Gradient";
  context.step().record(inputs, {y}, [=](Gradients& gradients) {
    for (const Tensor& input : inputs)
      if (input.needs_gradient)
        add_pointwise_gradient(gradients, {input, y, type, chosen.empty() ? inputs : chosen});
  });
}

void where(NodeContext& context) {
  const Tensor condition = context.in(0);
  const Tensor a = context.in(1);
  const Tensor b = context.in(2);
  const std::array inputs = {a, b, condition};
  Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({a, b}, {y}, [=](Gradients& gradients) {
    for (const Tensor& input : {a, b})
      if (input.needs_gradient)
        add_pointwise_gradient(gradients, {input, y, "WhereGradient", {condition}});
  });
}

// The first half of an axis times the sigmoid of the second: both halves' gradients read both.
void gated_linear(NodeContext& context) {
  const Tensor x = context.in(0);
  const std::size_t axis = context.axis(-1, x.shape().size());
  if (axis >= x.shape().size() || x.shape()[axis] % 2 != 0)
    context.refuse("has an axis without two halves");
  const std::int64_t half = x.shape()[axis] / 2;
  Tensor value = x;
  value.view = sliced(x.view, {axis, 0, half, 1});
  Tensor gate = x;
  gate.view = sliced(x.view, {axis, half, half, 1});
  const std::array inputs = {value, gate};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({value, gate}, {y}, [=](Gradients& gradients) {
    for (const Tensor& part : {value, gate})
      if (part.needs_gradient)
        add_pointwise_gradient(gradients, {part, y, "GluGradient", {value, gate}});
  });
}

// Mean of several tensors: scaled shares.
void mean_of(NodeContext& context) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    inputs.push_back(context.in(i));
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record(inputs, {y}, [=](Gradients& gradients) {
    for (const Tensor& input : inputs)
      if (input.needs_gradient) add_pointwise_gradient(gradients, {input, y, "ScaleGradient", {}});
  });
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Add", add},
    {"Sum", add},
    {"Sub", subtract},
    {"Mul", multiply},
    {"Div", divide},
    {"Pow", power},
    {"Max", extremum},
    {"Min", extremum},
    {"Mean", mean_of},
    {"Where", where},
    {"Glu", gated_linear},
});

}  // namespace

std::span<const RuleEntry> arithmetic_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
