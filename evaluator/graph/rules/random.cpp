// Dropout and other operators that draw random numbers.
#include <array>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// The random part on its own: it reads nothing, so that a mask can be replayed from its seed.
void add_generator(StepBuilder& step,
                   const std::string& name,
                   const std::string& type,
                   const Tensor& mask) {
  PointwiseDraft draft;
  draft.name = name;
  draft.type = type;
  draft.iteration = mask.shape();
  draft.layout = mask.layout;
  draft.writes = {step.seen(mask)};
  step.add(draft);
}

Tensor mask_like(NodeContext& context, const std::string& name, const Tensor& x) {
  StepBuilder& step = context.step();
  StorageDraft draft;
  draft.name = name;
  draft.role = StorageRole::DropoutMask;
  draft.shape = x.shape();
  draft.recomputable = step.options().random == RandomOperators::Replay;
  switch (step.options().saved) {
    case SavedSet::FrameworkCpu:  // already scaled by 1 / (1 - ratio)
      draft.type = x.type;
      break;
    case SavedSet::Framework:
      draft.type = ElementType::Bool;
      break;
    case SavedSet::Minimal:
      draft.type = ElementType::Bool;
      draft.kind = ElementKind::Bit;
      break;
  }
  Tensor mask = step.auxiliary(draft);
  mask.layout = x.layout;
  return mask;
}

bool drops(const NodeContext& context) {
  if (context.step().options().inference) return false;
  if (context.model().opset < 12) return context.real("ratio", 0.5) > 0;
  const auto training = context.constant_integers(2);
  if (!context.has(2) || (!training.empty() && training.front() == 0)) return false;
  const auto ratio = context.constant_reals(1);
  return ratio.empty() || ratio.front() > 0;
}

// Without effect (ratio 0, inference) it returns its input.
void dropout(NodeContext& context) {
  StepBuilder& step = context.step();
  const Tensor x = context.in(0);
  if (!drops(context)) {
    context.bind(0, x);
    return;
  }
  const Tensor mask = mask_like(context, context.out_name() + ":mask", x);
  add_generator(step, context.node().name + ":mask", "DropoutMask", mask);
  const std::array inputs = {x, mask};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.bind(1, mask);
  step.record({x}, {y}, [=](Gradients& gradients) {
    add_pointwise_gradient(gradients, {x, y, "DropoutGradient", {mask}});
  });
}

// Noise as a value of its own (stochastic depth): as large as it says, in the activations' type.
void noise(NodeContext& context) {
  StepBuilder& step = context.step();
  StorageDraft draft;
  draft.name = context.out_name();
  draft.role = StorageRole::DropoutMask;
  draft.type = context.out(0).type;
  draft.shape = context.out_shape();
  draft.recomputable = step.options().random == RandomOperators::Replay;
  Tensor values = step.auxiliary(draft);
  if (draft.shape.size() == 4) values.layout = NestLayout::Image;
  add_generator(step, context.node().name, context.node().type, values);
  context.bind(0, values);
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Dropout", dropout},
    {"Bernoulli", noise},
    {"RandomUniform", noise},
    {"RandomUniformLike", noise},
    {"RandomNormal", noise},
    {"RandomNormalLike", noise},
});

}  // namespace

std::span<const RuleEntry> random_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
