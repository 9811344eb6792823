// Convolutions and transposed convolutions, of any group count and one to three spatial axes.
#include <array>

#include "evaluator/graph/rules/rules.h"
#include "evaluator/graph/rules/window.h"

namespace paretrain::evaluator {
namespace {

// A convolution relates a larger image to a smaller feature map; a transposed one the other way.
struct Convolution {
  Tensor x;
  Tensor weight;
  std::optional<Tensor> bias;
  Tensor y;
  std::string name;
  std::string type;
  std::int64_t groups = 1;
  Window window;
  bool transposed = false;
};

// The bias as one value per channel of the result.
OperandView per_channel(OperandView bias, std::size_t spatial_axes) {
  for (std::size_t s = 0; s < spatial_axes; ++s) {
    bias.shape.push_back(1);
    bias.strides.push_back(1);
  }
  return bias;
}

ConvolutionOperands operands(const Convolution& c,
                             const OperandView& x,
                             const OperandView& weight,
                             const OperandView& y,
                             std::int64_t partial_bits) {
  return {c.transposed ? y : x, weight, c.transposed ? x : y, c.groups, c.window, partial_bits};
}

void add_forward(StepBuilder& step, const Convolution& c) {
  const auto all =
      operands(c, step.seen(c.x), step.seen(c.weight), step.seen(c.y), step.partial_bits(c.y.type));
  OperatorDraft draft;
  draft.name = c.name;
  draft.type = c.type;
  draft.operator_class = OperatorClass::Matrix;
  draft.mac_kind = MacKind::Forward;
  draft.built = c.transposed ? transposed_convolution_nest(all) : convolution_nest(all);
  if (c.bias && c.bias->storage)
    draft.built.reads.push_back(per_result_axis(step.seen(*c.bias), draft.built.writes[0], 1));
  step.add(std::move(draft));
}

void add_weight_gradient(Gradients& gradients, const Convolution& c) {
  StepBuilder& step = gradients.step();
  gradients.contribute(c.weight, [&](const OperandView& target) {
    const auto all =
        operands(c, step.seen(c.x), target, gradients.of(c.y), step.partial_bits(c.y.type));
    OperatorDraft draft;
    draft.name = c.name + ":weight_grad";
    draft.type = c.type + "WeightGradient";
    draft.operator_class = OperatorClass::Matrix;
    draft.mac_kind = MacKind::WeightGradient;
    draft.built = convolution_weight_gradient_nest(all);
    draft.matrix_nest = im2col_weight_gradient_nest(all);
    step.add(std::move(draft));
  });
}

void add_bias_gradient(Gradients& gradients, const Convolution& c) {
  if (!c.bias) return;
  gradients.contribute(*c.bias, [&](const OperandView& target) {
    PointwiseDraft draft;
    draft.name = c.name + ":bias_grad";
    draft.type = "BiasGradient";
    draft.operator_class = OperatorClass::Reduction;
    draft.iteration = c.y.shape();
    draft.layout = NestLayout::Image;
    draft.reads = {gradients.of(c.y)};
    draft.writes = {per_channel(target, c.window.kernel.size())};
    gradients.step().add(draft);
  });
}

void add_input_gradient(Gradients& gradients, const Convolution& c) {
  StepBuilder& step = gradients.step();
  gradients.contribute(c.x, [&](const OperandView& target) {
    const auto all =
        operands(c, target, step.seen(c.weight), gradients.of(c.y), step.partial_bits(c.y.type));
    OperatorDraft draft;
    draft.name = c.name + ":input_grad";
    draft.type = c.type + "InputGradient";
    draft.operator_class = OperatorClass::Matrix;
    draft.mac_kind = MacKind::InputGradient;
    draft.built = c.transposed ? convolution_nest(all) : transposed_convolution_nest(all);
    step.add(std::move(draft));
  });
}

void refuse_misfits(NodeContext& context, const Convolution& c) {
  const Shape& x = c.x.shape();
  const Shape& w = c.weight.shape();
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size() ||
      context.out_shape().size() != x.size())
    context.refuse("has operands of ranks that do not fit");
  if (c.groups < 1 || w[0] % c.groups != 0 || x[1] % c.groups != 0)
    context.refuse("has groups that do not divide its channels");
  const std::int64_t per_group = c.transposed ? w[0] / c.groups : w[1];
  const std::int64_t out = c.transposed ? w[1] * c.groups : w[0];
  if (x[1] != per_group * c.groups || context.out_shape()[1] != out)
    context.refuse("has channels that do not fit its weight");
  if (c.window.kernel != Shape(w.begin() + 2, w.end()))
    context.refuse("has another kernel than its weight");
}

void convolution(NodeContext& context) {
  StepBuilder& step = context.step();
  Convolution c;
  c.x = context.in(0);
  c.weight = context.in(1);
  if (!c.x.storage || !c.weight.storage) context.refuse("has an operand that is a folded constant");
  if (context.has(2)) c.bias = context.in(2);
  c.name = context.node().name;
  c.type = context.node().type;
  c.transposed = c.type == "ConvTranspose";
  c.groups = context.integer("group", 1);
  const Shape& kernel = c.weight.shape();
  if (kernel.size() < 3) context.refuse("has a weight without a kernel");
  c.window = window_of(context, Shape(kernel.begin() + 2, kernel.end()));
  refuse_misfits(context, c);
  c.y = step.result(context.out_name(), context.out_shape(), c.x);
  c.y.layout = NestLayout::Image;
  std::vector<Tensor> inputs = {c.weight};
  if (c.bias) inputs.push_back(*c.bias);
  inputs.push_back(c.x);
  c.y.needs_gradient = any_needs_gradient(inputs);
  add_forward(step, c);
  context.bind(0, c.y);
  const bool keeps_x = step.keeps_like_framework();
  step.record(std::move(inputs), {c.y}, [c, keeps_x](Gradients& gradients) {
    add_weight_gradient(gradients, c);
    add_bias_gradient(gradients, c);
    add_input_gradient(gradients, c);
    if (keeps_x) gradients.step().hold(*c.x.storage);
  });
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Conv", convolution},
    {"ConvTranspose", convolution},
});

}  // namespace

std::span<const RuleEntry> convolution_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
