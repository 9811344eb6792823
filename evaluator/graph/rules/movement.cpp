// Operators that move elements into a new storage: their backward pass needs nothing but shapes.
#include <algorithm>
#include <array>

#include "evaluator/graph/rules/rules.h"
#include "evaluator/graph/rules/window.h"

namespace paretrain::evaluator {
namespace {

PointwiseDraft movement_draft(const std::string& name, const std::string& type) {
  PointwiseDraft draft;
  draft.name = name;
  draft.type = type;
  draft.operator_class = OperatorClass::DataMovement;
  return draft;
}

void refuse_misfits(const NodeContext& context,
                    const std::vector<Tensor>& inputs,
                    std::size_t axis) {
  std::int64_t sum = 0;
  bool fits = axis < context.out_shape().size();
  for (const Tensor& input : inputs) {
    fits = fits && input.shape().size() == context.out_shape().size();
    if (!fits) break;
    sum += input.shape()[axis];
    Shape rest = input.shape();
    rest[axis] = context.out_shape()[axis];
    fits = rest == context.out_shape();
  }
  if (!fits || sum != context.out_shape()[axis]) context.refuse("has parts that do not fit");
}

void concat(NodeContext& context) {
  StepBuilder& step = context.step();
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i)
    inputs.push_back(context.in(i));
  if (inputs.size() == 1) {
    context.bind(0, inputs.front());
    return;
  }
  const std::size_t axis = context.axis(0, context.out_shape().size());
  refuse_misfits(context, inputs, axis);
  Tensor y = step.result(context.out_name(), context.out_shape(), inputs.front());
  y.needs_gradient = any_needs_gradient(inputs);
  PointwiseDraft draft = movement_draft(context.node().name, context.node().type);
  draft.iteration = y.shape();
  draft.layout = y.layout;
  draft.writes = {step.seen(y)};
  PointwiseOperands operands;
  operands.iteration = y.shape();
  operands.layout = y.layout;
  operands.writes = draft.writes;
  OperatorDraft op;
  op.name = draft.name;
  op.type = draft.type;
  op.operator_class = draft.operator_class;
  op.built = pointwise_nest(operands);
  // Each part is indexed along every axis but the one on which parts stand side by side.
  for (const Tensor& input : inputs) {
    if (!input.storage) continue;
    PointwiseOperands part;
    part.iteration = y.shape();
    part.layout = y.layout;
    part.reads = {step.seen(input)};
    Access access = pointwise_nest(part).reads.front();
    const std::int64_t touched = std::min(input.elements(), step.storage(*input.storage).elements);
    access.bytes = Bytes((touched * step.bits(*input.storage) + 7) / 8);
    access.operand = std::nullopt;
    op.built.reads.push_back(access);
  }
  op.built.nest.operand(NestOperand::I) = op.built.nest.operand(NestOperand::O);
  op.built.nest.bits.input = op.built.nest.bits.output_final;
  step.add(std::move(op));
  context.bind(0, y);
  step.record(inputs, {y}, [=](Gradients& gradients) {
    std::int64_t start = 0;
    for (const Tensor& input : inputs) {
      const std::int64_t count = input.shape()[axis];
      gradients.share_part(input, y, {axis, start, count, 1});
      start += count;
    }
  });
}

// Cuts the tensor to [batch, everything else], so that the batch axis can still be seen.
OperandView as_rows(OperandView view, const Shape& shape) {
  const std::int64_t rows = shape.empty() ? 1 : shape[0];
  view.shape = {rows, element_count(shape) / rows};
  view.strides = {view.shape[1], 1};
  return view;
}

// A new storage whose elements come from x in an order that no stride describes.
void rearrangement(NodeContext& context) {
  StepBuilder& step = context.step();
  const Tensor x = context.in(0);
  if (!x.storage) context.refuse("has an operand that is a folded constant");
  Tensor y = step.result(context.out_name(), context.out_shape(), x);
  y.needs_gradient = x.needs_gradient && is_float(y.type);
  const bool same_rows = !x.shape().empty() && !y.shape().empty() && x.shape()[0] == y.shape()[0];
  const auto seen = [same_rows](const OperandView& view, const Shape& shape) {
    OperandView rows = as_rows(view, shape);
    if (!same_rows) {
      rows.shape = {element_count(shape)};
      rows.strides = {1};
    }
    return rows;
  };
  const Shape larger = x.elements() > y.elements() ? x.shape() : y.shape();
  PointwiseDraft draft = movement_draft(context.node().name, context.node().type);
  draft.iteration = seen({}, larger).shape;
  draft.reads = {seen(step.seen(x), x.shape())};
  draft.writes = {seen(step.seen(y), y.shape())};
  step.add(draft);
  context.bind(0, y);
  step.record({x}, {y}, [=](Gradients& gradients) {
    gradients.contribute(x, [&](const OperandView& target) {
      PointwiseDraft back = movement_draft(draft.name + ":input_grad", draft.type + "Gradient");
      back.iteration = draft.iteration;
      back.reads = {seen(gradients.of(y), y.shape())};
      back.writes = {seen(target, x.shape())};
      gradients.step().add(back);
    });
  });
}

// Exporters write pads of nothing around pools.
void pad(NodeContext& context) {
  const auto attribute = context.integers("pads");
  const auto pads = attribute ? *attribute : context.constant_integers(1);
  const bool nothing =
      !pads.empty() && std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p == 0; });
  if (nothing) {
    context.bind(0, context.in(0));
    return;
  }
  rearrangement(context);
}

bool grows_by_whole_factors(const Shape& small, const Shape& large) {
  if (small.size() < 3 || small.size() > 5 || small.size() != large.size()) return false;
  if (small[0] != large[0] || small[1] != large[1]) return false;
  for (std::size_t d = 2; d < small.size(); ++d)
    if (large[d] % small[d] != 0) return false;
  return true;
}

// An upsampling by whole factors is a pool turned round: every input pixel fills a window.
void resize(NodeContext& context) {
  const Tensor x = context.in(0);
  const Shape& large = context.out_shape();
  if (!x.storage || !grows_by_whole_factors(x.shape(), large)) {
    rearrangement(context);
    return;
  }
  StepBuilder& step = context.step();
  Tensor y = step.result(context.out_name(), large, x);
  y.layout = NestLayout::Image;
  y.needs_gradient = x.needs_gradient;
  Window window;
  for (std::size_t d = 2; d < large.size(); ++d) {
    window.kernel.push_back(large[d] / x.shape()[d]);
    window.dilation.push_back(1);
    window.pad_begin.push_back(0);
  }
  window.stride = window.kernel;
  OperatorDraft draft;
  draft.name = context.node().name;
  draft.type = context.node().type;
  draft.operator_class = OperatorClass::DataMovement;
  draft.built = pooling_gradient_nest({step.seen(y), step.seen(x), std::nullopt, window});
  step.add(draft);
  context.bind(0, y);
  step.record({x}, {y}, [=](Gradients& gradients) {
    gradients.contribute(x, [&](const OperandView& target) {
      OperatorDraft back;
      back.name = draft.name + ":input_grad";
      back.type = draft.type + "Gradient";
      back.operator_class = OperatorClass::DataMovement;
      back.built = pooling_nest({gradients.of(y), target, std::nullopt, window});
      gradients.step().add(std::move(back));
    });
  });
}

// Between types of one width that hold no fractions, or to the same type, nothing moves.
bool cast_is_view(ElementType from, ElementType to) {
  if (from == to) return true;
  return !is_float(from) && !is_float(to) && element_bytes(from) == element_bytes(to);
}

void cast(NodeContext& context) {
  const Tensor x = context.in(0);
  const ElementType to = context.out(0).type;
  const bool presets = context.step().options().precision.has_value();
  if (!x.storage || cast_is_view(x.type, to) || (presets && is_float(x.type) && is_float(to))) {
    Tensor y = x;
    y.type = x.storage ? x.type : to;
    context.bind(0, y);
    return;
  }
  const std::array inputs = {x};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({x}, {y}, [=](Gradients& gradients) {
    add_pointwise_gradient(gradients, {x, y, "CastGradient", {}});
  });
}

// Keeps a triangle: elementwise, and so is its gradient.
void triangle(NodeContext& context) {
  const Tensor x = context.in(0);
  const std::array inputs = {x};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  context.step().record({x}, {y}, [=](Gradients& gradients) {
    add_pointwise_gradient(gradients, {x, y, "TriluGradient", {}});
  });
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Concat", concat},
    {"Pad", pad},
    {"Tile", rearrangement},
    {"DepthToSpace", rearrangement},
    {"SpaceToDepth", rearrangement},
    {"ReverseSequence", rearrangement},
    {"Resize", resize},
    {"Upsample", resize},
    {"Cast", cast},
    {"CastLike", cast},
    {"Trilu", triangle},
    {"CumSum", triangle},
});

}  // namespace

std::span<const RuleEntry> movement_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
