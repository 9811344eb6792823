// Operators that pick elements by index: embeddings, selections, scatters.
#include <algorithm>
#include <array>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// Index constants occupy memory when they are larger than one number.
Tensor with_storage(StepBuilder& step, const Tensor& indices) {
  if (indices.storage || indices.elements() == 1) return indices;
  StorageDraft draft;
  draft.name = indices.name;
  draft.role = StorageRole::Buffer;
  draft.type = indices.type;
  draft.shape = indices.shape();
  Tensor stored = step.auxiliary(draft);
  stored.layout = indices.layout;
  return stored;
}

// How much of an operand is touched when its elements are picked one by one.
void touch(StepBuilder& step, Access& access, std::int64_t elements) {
  access.bytes = Bytes((elements * step.bits(access.storage) + 7) / 8);
}

struct Pick {
  Tensor source;
  Tensor indices;
  Tensor y;
  std::string name;
  std::string type;
  OperandView seen_indices;  // broadcastable to y
  bool keeps_source = false;
};

// The source is indexed by positions that no loop knows.
OperandView unindexed(OperandView view) {
  view.shape.clear();
  view.strides.clear();
  return view;
}

void add_pick(NodeContext& context, Pick pick) {
  StepBuilder& step = context.step();
  pick.name = context.node().name;
  pick.type = context.node().type;
  pick.y.needs_gradient = pick.source.needs_gradient;
  PointwiseOperands operands;
  operands.iteration = pick.y.shape();
  operands.layout = pick.y.layout;
  operands.reads = {unindexed(step.seen(pick.source)), pick.seen_indices};
  operands.writes = {step.seen(pick.y)};
  OperatorDraft draft;
  draft.name = pick.name;
  draft.type = pick.type;
  draft.operator_class = OperatorClass::DataMovement;
  draft.built = pointwise_nest(operands);
  touch(step, draft.built.reads[0], std::min(pick.y.elements(), pick.source.elements()));
  step.add(std::move(draft));
  context.bind(0, pick.y);
  step.record({pick.source}, {pick.y}, [pick](Gradients& gradients) {
    StepBuilder& builder = gradients.step();
    gradients.contribute(pick.source, [&](const OperandView& target) {
      PointwiseOperands back;
      back.iteration = pick.y.shape();
      back.layout = pick.y.layout;
      back.reads = {gradients.of(pick.y), pick.seen_indices};
      back.writes = {unindexed(target)};
      OperatorDraft op;
      op.name = pick.name + ":input_grad";
      op.type = pick.type + "Gradient";
      op.operator_class = OperatorClass::DataMovement;
      op.built = pointwise_nest(back);
      touch(builder, op.built.writes[0], pick.source.elements());
      builder.add(std::move(op));
    });
    if (pick.keeps_source) builder.hold(*pick.source.storage);
  });
}

// One constant position along an axis: a view.
bool selected(NodeContext& context, const Tensor& source, std::size_t axis) {
  const auto position = context.constant_integers(1);
  const Tensor& indices = context.in(1);
  if (indices.storage || indices.elements() != 1 || position.size() != 1) return false;
  Tensor part = source;
  const std::int64_t start = position[0] < 0 ? position[0] + source.shape()[axis] : position[0];
  if (start < 0 || start >= source.shape()[axis]) context.refuse("picks outside its axis");
  part.view = sliced(source.view, {axis, start, 1, 1});
  if (indices.shape().empty()) part.view = without_axis(part.view, axis);
  part.name = context.out_name();
  if (part.shape().size() < 4) part.layout = NestLayout::Tokens;
  context.bind(0, part);
  return true;
}

void gather(NodeContext& context) {
  StepBuilder& step = context.step();
  const Tensor source = context.in(0);
  const std::size_t axis = context.axis(0, source.shape().size());
  if (axis >= source.shape().size()) context.refuse("its axis is out of range");
  if (selected(context, source, axis)) return;
  if (!source.storage) context.refuse("picks from a folded constant");
  Pick pick;
  pick.source = source;
  pick.indices = with_storage(step, context.in(1));
  if (!pick.indices.storage) context.refuse("has an index that is not known");
  pick.y = step.result(context.out_name(), context.out_shape(), source);
  pick.y.layout =
      pick.y.shape().size() == source.shape().size() ? source.layout : NestLayout::Tokens;
  pick.seen_indices = step.seen(pick.indices);
  for (std::size_t d = axis + 1; d < source.shape().size(); ++d) {
    pick.seen_indices.shape.push_back(1);
    pick.seen_indices.strides.push_back(1);
  }
  add_pick(context, std::move(pick));
}

void gather_elements(NodeContext& context) {
  StepBuilder& step = context.step();
  Pick pick;
  pick.source = context.in(0);
  if (!pick.source.storage) context.refuse("picks from a folded constant");
  pick.indices = with_storage(step, context.in(1));
  pick.y = step.result(context.out_name(), context.out_shape(), pick.source);
  if (!pick.indices.storage) context.refuse("has an index that is not known");
  pick.seen_indices = step.seen(pick.indices);
  if (context.node().type == "GatherND") pick.seen_indices = unindexed(pick.seen_indices);
  pick.keeps_source = step.keeps_like_framework() && context.node().type == "GatherElements";
  add_pick(context, std::move(pick));
}

// A copy of the first input with some elements replaced by (or increased by) the third.
void scatter(NodeContext& context) {
  StepBuilder& step = context.step();
  const Tensor base = context.in(0);
  const Tensor indices = with_storage(step, context.in(1));
  const Tensor updates = context.in(2);
  Tensor y = step.result(context.out_name(), context.out_shape(), base);
  const std::array inputs = {base, updates};
  y.needs_gradient = any_needs_gradient(inputs);
  PointwiseDraft draft;
  draft.name = context.node().name;
  draft.type = context.node().type;
  draft.operator_class = OperatorClass::DataMovement;
  draft.iteration = y.shape();
  draft.layout = y.layout;
  const std::array all = {base, indices, updates};
  for (const OperandView& operand : operands_of(step, all))
    draft.reads.push_back(operand.shape == y.shape() ? operand : unindexed(operand));
  draft.writes = {step.seen(y)};
  step.add(draft);
  context.bind(0, y);
  step.record({base, updates}, {y}, [=](Gradients& gradients) {
    for (const Tensor& input : {base, updates}) {
      gradients.contribute(input, [&](const OperandView& target) {
        PointwiseDraft back = draft;
        back.name += ":input_grad";
        back.type += "Gradient";
        back.reads = {gradients.of(y)};
        if (indices.storage) back.reads.push_back(unindexed(gradients.step().seen(indices)));
        back.writes = {target.shape == y.shape() ? target : unindexed(target)};
        gradients.step().add(back);
      });
    }
  });
}

// Values and their positions along an axis; backward scatters by the positions.
void top_k(NodeContext& context) {
  StepBuilder& step = context.step();
  Pick pick;
  pick.source = context.in(0);
  StorageDraft positions;
  positions.name = context.has_output(1) ? context.out_name(1) : context.out_name() + ":indices";
  positions.type = ElementType::Int64;
  positions.shape = context.out_shape();
  positions.recomputable = true;
  pick.indices = step.auxiliary(positions);
  PointwiseDraft order;
  order.name = context.node().name + ":positions";
  order.type = "TopKPositions";
  order.operator_class = OperatorClass::Reduction;
  order.iteration = pick.source.shape();
  order.layout = pick.source.layout;
  order.reads = {step.seen(pick.source)};
  order.writes = {unindexed(step.seen(pick.indices))};
  step.add(order);
  pick.y = step.result(context.out_name(), context.out_shape(), pick.source);
  pick.seen_indices = step.seen(pick.indices);
  context.bind(1, pick.indices);
  add_pick(context, std::move(pick));
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_elements},
    {"ScatterElements", scatter},
    {"ScatterND", scatter},
    {"TopK", top_k},
});

}  // namespace

std::span<const RuleEntry> indexing_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
