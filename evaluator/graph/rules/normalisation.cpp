// Batch, layer, group and instance normalisation: statistics (a reduction), then normalise
// (elementwise); backward likewise.
#include <array>
#include <functional>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// The iteration space over which statistics and scales are broadcast.
struct Normalisation {
  std::string name;
  std::string type;
  Tensor x;
  Tensor y;
  std::optional<Tensor> scale;
  std::optional<Tensor> shift;
  std::vector<Tensor> kept;     // mean and 1 / standard deviation, and what a framework adds
  std::vector<Tensor> running;  // statistics of inference that training updates
  Shape iteration;              // x and y seen under this shape
  Shape statistic_shape;        // broadcastable to it
  Shape scale_shape;            // broadcastable to it
  NestLayout layout = NestLayout::Image;
};

OperandView under(OperandView view, const Shape& shape) {
  const auto seen = reshaped({view.shape, view.strides, 0}, shape);
  view.strides = seen ? seen->strides : contiguous_strides(shape);
  view.shape = shape;
  return view;
}

OperandView scale_view(const StepBuilder& step, const Normalisation& n, const Tensor& scale) {
  return under(step.seen(scale), n.scale_shape);
}

void add_statistics(StepBuilder& step, const Normalisation& n) {
  PointwiseDraft draft;
  draft.name = n.name + ":statistics";
  draft.type = n.type + "Statistics";
  draft.operator_class = OperatorClass::Reduction;
  draft.iteration = n.iteration;
  draft.layout = n.layout;
  draft.reads = {under(step.seen(n.x), n.iteration)};
  for (std::size_t k = 0; k < 2; ++k)
    draft.writes.push_back(under(step.seen(n.kept[k]), n.statistic_shape));
  for (std::size_t k = 2; k < n.kept.size(); ++k)
    draft.writes.push_back(step.seen(n.kept[k]));
  for (const Tensor& running : n.running) {
    OperandView view = scale_view(step, n, running);
    view.accumulates = true;
    draft.writes.push_back(view);
  }
  step.add(draft);
}

void add_normalise(StepBuilder& step, const Normalisation& n) {
  PointwiseDraft draft;
  draft.name = n.name;
  draft.type = n.type;
  draft.iteration = n.iteration;
  draft.layout = n.layout;
  draft.reads = {under(step.seen(n.x), n.iteration)};
  for (std::size_t k = 0; k < std::min<std::size_t>(2, n.kept.size()); ++k)
    draft.reads.push_back(under(step.seen(n.kept[k]), n.statistic_shape));
  if (n.kept.empty())
    for (const Tensor& running : n.running)
      draft.reads.push_back(scale_view(step, n, running));
  for (const auto& parameter : {n.scale, n.shift})
    if (parameter && parameter->storage) draft.reads.push_back(scale_view(step, n, *parameter));
  draft.writes = {under(step.seen(n.y), n.iteration)};
  step.add(draft);
}

// Where the two sums of the backward pass go: gradients of scale and shift, or temporaries.
struct GradientSums {
  OperandView scale;
  OperandView shift;
};

void with_sums(Gradients& gradients,
               const Normalisation& n,
               const std::function<void(const GradientSums&)>& write) {
  StepBuilder& step = gradients.step();
  const auto into = [&](const std::optional<Tensor>& parameter,
                        const std::string& what,
                        const Gradients::Writer& use) {
    if (parameter && parameter->needs_gradient) {
      gradients.contribute(*parameter,
                           [&](const OperandView& target) { use(under(target, n.scale_shape)); });
      return;
    }
    StorageDraft draft;
    draft.name = n.y.name + ":grad:" + what;
    draft.role = StorageRole::Gradient;
    draft.kind = ElementKind::Statistic;
    draft.shape = n.scale_shape;
    use(step.seen(step.auxiliary(draft)));
  };
  into(n.scale, "scale_sum", [&](const OperandView& scale) {
    into(n.shift, "shift_sum", [&](const OperandView& shift) { write({scale, shift}); });
  });
}

PointwiseDraft backward_draft(Gradients& gradients, const Normalisation& n) {
  StepBuilder& step = gradients.step();
  PointwiseDraft draft;
  draft.iteration = n.iteration;
  draft.layout = n.layout;
  draft.reads = {under(gradients.of(n.y), n.iteration), under(step.seen(n.x), n.iteration)};
  for (std::size_t k = 0; k < std::min<std::size_t>(2, n.kept.size()); ++k)
    draft.reads.push_back(under(step.seen(n.kept[k]), n.statistic_shape));
  return draft;
}

// The sums over everything but the channel. Returns where they are, for the operator that needs
// them.
GradientSums add_channel_sums(Gradients& gradients, const Normalisation& n) {
  GradientSums sums;
  with_sums(gradients, n, [&](const GradientSums& targets) {
    PointwiseDraft draft = backward_draft(gradients, n);
    draft.name = n.name + ":statistics_grad";
    draft.type = n.type + "GradientStatistics";
    draft.operator_class = OperatorClass::Reduction;
    draft.writes = {targets.scale, targets.shift};
    gradients.step().add(draft);
    sums = targets;
  });
  return sums;
}

void add_input_gradient(Gradients& gradients,
                        const Normalisation& n,
                        const std::vector<OperandView>& sums) {
  StepBuilder& step = gradients.step();
  gradients.contribute(n.x, [&](const OperandView& target) {
    PointwiseDraft draft = backward_draft(gradients, n);
    draft.name = n.name + ":input_grad";
    draft.type = n.type + "InputGradient";
    if (n.scale && n.scale->storage) draft.reads.push_back(scale_view(step, n, *n.scale));
    for (OperandView sum : sums) {
      sum.accumulates = false;
      draft.reads.push_back(sum);
    }
    draft.writes = {under(target, n.iteration)};
    step.add(draft);
  });
}

bool parameters_need_gradient(const Normalisation& n) {
  return (n.scale && n.scale->needs_gradient) || (n.shift && n.shift->needs_gradient);
}

void refuse_misfits(const NodeContext& context, const Normalisation& n) {
  const std::int64_t elements = element_count(n.scale_shape);
  const auto fits = [&](const Tensor& t) { return !t.storage || t.elements() == elements; };
  for (const auto& parameter : {n.scale, n.shift})
    if (parameter && !fits(*parameter)) context.refuse("has a scale or shift of another size");
  for (const Tensor& running : n.running)
    if (!fits(running)) context.refuse("has running statistics of another size");
}

void finish(NodeContext& context,
            Normalisation& n,
            const std::function<void(Gradients&, const Normalisation&)>& backward) {
  StepBuilder& step = context.step();
  std::vector<Tensor> inputs;
  for (const auto& parameter : {n.scale, n.shift})
    if (parameter) inputs.push_back(*parameter);
  inputs.push_back(n.x);
  n.y.needs_gradient = any_needs_gradient(inputs);
  add_normalise(step, n);
  context.bind(0, n.y);
  step.record(std::move(inputs), {n.y}, [n, backward](Gradients& g) { backward(g, n); });
}

Normalisation started(NodeContext& context) {
  Normalisation n;
  n.name = context.node().name;
  n.type = context.node().type;
  n.x = context.in(0);
  if (!n.x.storage) context.refuse("has an operand that is a folded constant");
  if (context.out_shape() != n.x.shape()) context.refuse("has a result of another shape");
  if (context.has(1)) n.scale = context.in(1);
  if (context.has(2)) n.shift = context.in(2);
  return n;
}

void keep_statistics(NodeContext& context, Normalisation& n, const Shape& shape) {
  StepBuilder& step = context.step();
  n.kept = {step.statistic(context.out_name() + ":mean", shape),
            step.statistic(context.out_name() + ":inverse_deviation", shape)};
}

Shape channel_shape(const Shape& x) {
  Shape shape(x.size() - 1, 1);
  shape[0] = x[1];
  return shape;
}

void batch_backward(Gradients& gradients, const Normalisation& n) {
  const GradientSums sums = add_channel_sums(gradients, n);
  add_input_gradient(gradients, n, {sums.scale, sums.shift});
}

// With statistics that are not of this batch the gradient of x is only a scaling.
void frozen_batch_backward(Gradients& gradients, const Normalisation& n) {
  StepBuilder& step = gradients.step();
  if (parameters_need_gradient(n)) add_channel_sums(gradients, n);
  gradients.contribute(n.x, [&](const OperandView& target) {
    PointwiseDraft draft;
    draft.name = n.name + ":input_grad";
    draft.type = n.type + "InputGradient";
    draft.iteration = n.iteration;
    draft.layout = n.layout;
    draft.reads = {gradients.of(n.y)};
    if (n.scale && n.scale->storage) draft.reads.push_back(scale_view(step, n, *n.scale));
    if (n.running.size() == 2) draft.reads.push_back(scale_view(step, n, n.running[1]));
    draft.writes = {target};
    step.add(draft);
  });
  if (step.keeps_like_framework()) step.hold(*n.x.storage);
}

bool uses_batch_statistics(const NodeContext& context) {
  if (context.step().options().inference) return false;
  if (context.model().opset >= 14) return context.integer("training_mode", 0) != 0;
  return context.node().outputs.size() > 1;
}

void batch_normalisation(NodeContext& context) {
  Normalisation n = started(context);
  const Shape& shape = n.x.shape();
  if (shape.size() < 2) context.refuse("has no channel axis");
  for (const std::size_t i : {3U, 4U})
    if (context.has(i) && context.in(i).storage) n.running.push_back(context.in(i));
  n.iteration = shape;
  n.statistic_shape = channel_shape(shape);
  n.scale_shape = n.statistic_shape;
  n.layout = shape.size() == 4 ? NestLayout::Image : n.x.layout;
  refuse_misfits(context, n);
  const bool training = uses_batch_statistics(context);
  if (training) {
    keep_statistics(context, n, {shape[1]});
    add_statistics(context.step(), n);
  }
  n.y = context.step().elementwise_result(context.out_name(), context.out_shape(), n.x);
  for (std::size_t o = 1; o < 3; ++o)
    if (context.has_output(o) && context.has(o + 2)) context.bind(o, context.in(o + 2));
  finish(context, n, training ? batch_backward : frozen_batch_backward);
}

// Each row has its own statistics, so the sums for x stay inside its row.
void layer_backward(Gradients& gradients, const Normalisation& n) {
  if (parameters_need_gradient(n)) add_channel_sums(gradients, n);
  add_input_gradient(gradients, n, {});
}

void layer_normalisation(NodeContext& context) {
  Normalisation n = started(context);
  const Shape& shape = n.x.shape();
  const std::size_t axis = context.axis(-1, shape.size());
  n.iteration = shape;
  n.statistic_shape = shape;
  std::fill(
      n.statistic_shape.begin() + static_cast<std::ptrdiff_t>(axis), n.statistic_shape.end(), 1);
  n.scale_shape = Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
  n.layout = n.x.layout;
  refuse_misfits(context, n);
  keep_statistics(context, n, n.statistic_shape);
  add_statistics(context.step(), n);
  for (std::size_t o = 1; o < 3; ++o)
    context.bind(o, n.kept[o - 1]);
  n.y = context.step().result(context.out_name(), context.out_shape(), n.x);
  finish(context, n, layer_backward);
}

// Sums per sample and channel first; the gradients of scale and shift sum them over samples.
void group_backward(Gradients& gradients, const Normalisation& n) {
  StepBuilder& step = gradients.step();
  Shape sums_shape = n.iteration;
  for (std::size_t d = n.iteration.size() > n.x.shape().size() ? 3U : 2U; d < sums_shape.size();
       ++d)
    sums_shape[d] = 1;
  std::vector<OperandView> sums;
  for (const char* what : {"scale_sum", "shift_sum"}) {
    StorageDraft draft;
    draft.name = n.y.name + ":grad:" + what;
    draft.role = StorageRole::Gradient;
    draft.kind = ElementKind::Statistic;
    draft.shape = sums_shape;
    sums.push_back(step.seen(step.auxiliary(draft)));
  }
  PointwiseDraft draft = backward_draft(gradients, n);
  draft.name = n.name + ":statistics_grad";
  draft.type = n.type + "GradientStatistics";
  draft.operator_class = OperatorClass::Reduction;
  draft.writes = sums;
  step.add(draft);
  if (parameters_need_gradient(n)) {
    with_sums(gradients, n, [&](const GradientSums& targets) {
      PointwiseDraft reduce;
      reduce.name = n.name + ":parameter_grad";
      reduce.type = n.type + "ParameterGradient";
      reduce.operator_class = OperatorClass::Reduction;
      reduce.iteration = sums_shape;
      reduce.layout = n.layout;
      reduce.reads = sums;
      reduce.writes = {targets.scale, targets.shift};
      step.add(reduce);
    });
  }
  add_input_gradient(gradients, n, sums);
  for (std::size_t k = 2; k < n.kept.size(); ++k)
    step.hold(*n.kept[k].storage);
}

void group_normalisation(NodeContext& context) {
  Normalisation n = started(context);
  const Shape& shape = n.x.shape();
  const std::int64_t groups = context.integer("num_groups", 1);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0)
    context.refuse("has groups that do not divide the channels");
  n.iteration = {shape[0], groups, shape[1] / groups};
  n.iteration.insert(n.iteration.end(), shape.begin() + 2, shape.end());
  n.statistic_shape = Shape(n.iteration.size(), 1);
  n.statistic_shape[0] = shape[0];
  n.statistic_shape[1] = groups;
  n.scale_shape = Shape(n.iteration.size() - 1, 1);
  n.scale_shape[0] = groups;
  if (n.scale && n.scale->elements() == shape[1]) n.scale_shape[1] = shape[1] / groups;
  refuse_misfits(context, n);
  keep_statistics(context, n, {shape[0], groups});
  add_statistics(context.step(), n);
  n.y = context.step().result(context.out_name(), context.out_shape(), n.x);
  n.y.layout = NestLayout::Image;
  finish(context, n, group_backward);
}

void instance_normalisation(NodeContext& context) {
  Normalisation n = started(context);
  StepBuilder& step = context.step();
  const Shape& shape = n.x.shape();
  if (shape.size() < 2) context.refuse("has no channel axis");
  n.iteration = shape;
  n.statistic_shape = Shape(shape.size(), 1);
  n.statistic_shape[0] = shape[0];
  n.statistic_shape[1] = shape[1];
  n.scale_shape = channel_shape(shape);
  refuse_misfits(context, n);
  keep_statistics(context, n, {shape[0], shape[1]});
  if (n.scale && n.scale->needs_gradient && step.keeps_like_framework())
    n.kept.push_back(step.statistic(context.out_name() + ":scale", {shape[0], shape[1]}));
  add_statistics(step, n);
  n.y = step.result(context.out_name(), context.out_shape(), n.x);
  n.y.layout = NestLayout::Image;
  finish(context, n, group_backward);
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"BatchNormalization", batch_normalisation},
    {"LayerNormalization", layer_normalisation},
    {"GroupNormalization", group_normalisation},
    {"InstanceNormalization", instance_normalisation},
});

}  // namespace

std::span<const RuleEntry> normalisation_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
