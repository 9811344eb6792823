// Reductions over axes.
#include <algorithm>
#include <array>
#include <string_view>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

enum class Kept { Nothing, Input, InputAndOutput, Indices };

struct ReductionRule {
  std::string_view type;
  Kept framework = Kept::Input;
  Kept minimal = Kept::Input;
  bool touches = true;  // whether the kept tensors are read, or only kept
};

// Source: docs/training-graph.md, Reductions.
constexpr std::array kReductions = std::to_array<ReductionRule>({
    {"ReduceSum", Kept::Nothing, Kept::Nothing},
    {"ReduceMean", Kept::Input, Kept::Nothing, false},
    {"ReduceMax", Kept::Indices, Kept::Indices},
    {"ReduceMin", Kept::Indices, Kept::Indices},
    {"ReduceProd", Kept::InputAndOutput, Kept::InputAndOutput},
    {"ReduceL1", Kept::Input, Kept::Input},
    {"ReduceL2", Kept::InputAndOutput, Kept::InputAndOutput},
    {"ReduceLogSum", Kept::Input, Kept::Input},
    {"ReduceLogSumExp", Kept::InputAndOutput, Kept::InputAndOutput},
    {"ReduceSumSquare", Kept::Input, Kept::Input},
});

const ReductionRule& rule_of(NodeContext& context) {
  for (const ReductionRule& rule : kReductions)
    if (rule.type == context.node().type) return rule;
  context.refuse("has no reduction rule");
}

// The result with its reduced dimensions as extent 1.
Tensor with_kept_dimensions(const Tensor& y, const Shape& x, const std::vector<std::size_t>& axes) {
  Shape shape = x;
  for (const std::size_t axis : axes)
    shape[axis] = 1;
  Tensor kept = y;
  kept.view = *reshaped(y.view, shape);
  return kept;
}

// The position of the chosen element: 8 bytes in frameworks, else as few as the extent needs.
Tensor chosen_indices(NodeContext& context, std::int64_t reduced) {
  StorageDraft draft;
  draft.name = context.out_name() + ":indices";
  draft.shape = context.out_shape();
  draft.recomputable = true;
  draft.type = context.step().keeps_like_framework() ? ElementType::Int64
               : reduced <= 256                      ? ElementType::UInt8
               : reduced <= 65536                    ? ElementType::UInt16
                                                     : ElementType::UInt32;
  return context.step().auxiliary(draft);
}

std::vector<std::size_t> reduced_axes(NodeContext& context, std::size_t rank) {
  if (const auto named = context.axes(1, rank)) return *named;
  std::vector<std::size_t> all(rank);
  for (std::size_t d = 0; d < rank; ++d)
    all[d] = d;
  return all;
}

void reduction(NodeContext& context) {
  StepBuilder& step = context.step();
  const ReductionRule& rule = rule_of(context);
  const Tensor x = context.in(0);
  if (!x.storage) context.refuse("has an operand that is a folded constant");
  const auto axes = reduced_axes(context, x.shape().size());
  std::int64_t left = x.elements();
  for (const std::size_t axis : axes)
    left /= x.shape()[axis];
  if (left != element_count(context.out_shape())) context.refuse("has a result of another size");
  Tensor y = step.result(context.out_name(), context.out_shape(), x);
  y.needs_gradient = x.needs_gradient;
  const Kept kept = step.keeps_like_framework() ? rule.framework : rule.minimal;
  PointwiseDraft draft;
  draft.name = context.node().name;
  draft.type = context.node().type;
  draft.operator_class = OperatorClass::Reduction;
  draft.iteration = x.shape();
  draft.layout = x.layout;
  draft.reads = {step.seen(x)};
  draft.writes = {step.seen(with_kept_dimensions(y, x.shape(), axes))};
  std::vector<Tensor> others;
  if (kept == Kept::Indices && x.needs_gradient && !step.options().inference) {
    others = {with_kept_dimensions(
        chosen_indices(context, x.elements() / y.elements()), x.shape(), axes)};
    draft.writes.push_back(step.seen(others.front()));
  }
  step.add(draft);
  if (kept == Kept::Input || kept == Kept::InputAndOutput) others = {x};
  if (kept == Kept::InputAndOutput) others.push_back(with_kept_dimensions(y, x.shape(), axes));
  context.bind(0, y);
  const bool touches = rule.touches;
  step.record({x}, {y}, [=](Gradients& gradients) {
    StepBuilder& builder = gradients.step();
    gradients.contribute(x, [&](const OperandView& target) {
      OperandView values = gradients.of(y);
      const Tensor wide = with_kept_dimensions(y, x.shape(), axes);
      values.strides = reshaped({values.shape, values.strides, 0}, wide.shape())->strides;
      values.shape = wide.shape();
      PointwiseDraft back;
      back.name = draft.name + ":input_grad";
      back.type = draft.type + "Gradient";
      back.iteration = x.shape();
      back.layout = x.layout;
      back.reads = {values};
      if (touches)
        for (const Tensor& other : others)
          back.reads.push_back(builder.seen(other));
      back.writes = {target};
      builder.add(back);
    });
    for (const Tensor& other : others)
      builder.hold(*other.storage);
  });
}

// Results are positions: nothing flows back.
void chosen_position(NodeContext& context) {
  StepBuilder& step = context.step();
  const Tensor x = context.in(0);
  if (!x.storage) context.refuse("has an operand that is a folded constant");
  const std::size_t axis = context.axis(0, x.shape().size());
  if (axis >= x.shape().size()) context.refuse("its axis is out of range");
  if (x.elements() / x.shape()[axis] != element_count(context.out_shape()))
    context.refuse("has a result of another size");
  StorageDraft result;
  result.name = context.out_name();
  result.type = ElementType::Int64;
  result.shape = context.out_shape();
  result.recomputable = true;
  const Tensor y = step.auxiliary(result);
  PointwiseDraft draft;
  draft.name = context.node().name;
  draft.type = context.node().type;
  draft.operator_class = OperatorClass::Reduction;
  draft.iteration = x.shape();
  draft.layout = x.layout;
  draft.reads = {step.seen(x)};
  Shape kept = x.shape();
  kept[axis] = 1;
  OperandView write = step.seen(y);
  write.shape = kept;
  write.strides = contiguous_strides(kept);
  draft.writes = {write};
  step.add(draft);
  context.bind(0, y);
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"ReduceSum", reduction},
    {"ReduceMean", reduction},
    {"ReduceMax", reduction},
    {"ReduceMin", reduction},
    {"ReduceProd", reduction},
    {"ReduceL1", reduction},
    {"ReduceL2", reduction},
    {"ReduceLogSum", reduction},
    {"ReduceLogSumExp", reduction},
    {"ReduceSumSquare", reduction},
    {"ArgMax", chosen_position},
    {"ArgMin", chosen_position},
});

}  // namespace

std::span<const RuleEntry> reduction_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
