// LSTM, GRU and plain recurrent layers: the products with the input are one matrix product over the
// whole sequence, the recurrence over time is one operator per direction.
#include <array>
#include <string>
#include <utility>

#include "evaluator/graph/rules/products.h"
#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// Per unit of the hidden state, sample and step.
struct CellRule {
  std::string_view type;
  std::int64_t gates = 4;           // width of the products
  std::int64_t framework_kept = 4;  // gate values, in one storage
  std::int64_t framework_more = 2;  // tanh of the cell and the cell before; clones of operands
  std::int64_t minimal_kept = 5;    // gate values and cells; hidden states are the output's
};

// Source: docs/training-graph.md, Recurrent layers.
constexpr std::array kCells = std::to_array<CellRule>({
    {"LSTM", 4, 4, 2, 5},
    {"GRU", 3, 3, 3, 4},
    {"RNN", 1, 0, 0, 0},
});

// One direction of one layer.
struct Recurrence {
  std::string name;
  std::string type;
  std::int64_t gates = 4;
  Tensor projected;  // products with the input: [steps, batch, gates * hidden]
  Tensor weight;     // [gates * hidden, hidden]
  std::optional<Tensor> bias;
  Tensor y;                  // [steps, batch, hidden]
  std::vector<Tensor> last;  // states after the last step, where the model uses them
  std::vector<Tensor> kept;  // what the backward pass reads besides hidden states
  Tensor hidden;             // hidden states before each step: [steps, batch, hidden]
};

OperandView first_steps(OperandView view, std::int64_t steps) {
  view.shape[0] = steps;
  return view;
}

// hidden[t, b, h] * weight[g, h]: the product inside the recurrence.
BuiltNest recurrent_nest(StepBuilder& step, const Recurrence& r, const OperandView& out) {
  OperandView turned = step.seen(r.weight);
  std::swap(turned.shape[0], turned.shape[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  return product_nest({step.seen(r.hidden), turned, out, step.partial_bits(r.y.type)});
}

// A tensor of the recurrence is indexed by steps and samples; its last dimension has no loop of its
// own, since the nest's columns are those of all gates.
Access sequence_access(const OperandView& view) {
  PointwiseOperands operands;
  operands.iteration = view.shape;
  operands.layout = NestLayout::Tokens;
  operands.reads = {view};
  Access access = pointwise_nest(operands).reads.front();
  access.operand = std::nullopt;
  access.accumulates = view.accumulates;
  const std::size_t indexed = view.shape.size() == 3 ? 2 : 0;
  access.axes.resize(std::min(indexed, access.axes.size()));
  access.strides.resize(access.axes.size());
  return access;
}

Access sequence_access(StepBuilder& step, const Tensor& tensor) {
  return sequence_access(step.seen(tensor));
}

// Back through time there is one step less than there are: only samples are an axis of all.
Access sample_access(const OperandView& view) {
  Access access = sequence_access(view);
  if (access.axes.size() == 2) {
    access.axes.erase(access.axes.begin());
    access.strides.erase(access.strides.begin());
  }
  return access;
}

void add_forward(StepBuilder& step, const Recurrence& r) {
  OperatorDraft draft;
  draft.name = r.name + ":recurrence";
  draft.type = r.type + "Recurrence";
  draft.operator_class = OperatorClass::Matrix;
  draft.mac_kind = MacKind::Forward;
  draft.built = recurrent_nest(step, r, step.seen(r.projected));
  // The nest's operands are the hidden states, the weights and the sums; of these the sums are
  // read.
  draft.built.reads[0] = draft.built.writes.front();
  draft.built.writes.clear();
  if (r.bias && r.bias->storage) draft.built.reads.push_back(sequence_access(step, *r.bias));
  draft.built.writes.push_back(sequence_access(step, r.y));
  if (r.hidden.storage != r.y.storage)
    draft.built.writes.push_back(sequence_access(step, r.hidden));
  for (const auto* tensors : {&r.kept, &r.last})
    for (const Tensor& tensor : *tensors)
      draft.built.writes.push_back(sequence_access(step, tensor));
  step.add(std::move(draft));
}

// Back through time: the gradient of every step's products. The first step's hidden state is a
// constant, so its product has no input gradient.
void add_time_gradient(Gradients& gradients, const Recurrence& r) {
  StepBuilder& step = gradients.step();
  gradients.contribute(r.projected, [&](const OperandView& target) {
    const std::int64_t steps = r.y.shape()[0];
    OperatorDraft draft;
    draft.name = r.name + ":recurrence_grad";
    draft.type = r.type + "RecurrenceGradient";
    draft.operator_class = steps > 1 ? OperatorClass::Matrix : OperatorClass::Elementwise;
    draft.mac_kind = steps > 1 ? MacKind::InputGradient : MacKind::None;
    const std::int64_t inner = steps > 1 ? steps - 1 : 1;
    draft.built = product_nest({first_steps(target, inner),
                                step.seen(r.weight),
                                first_steps(step.seen(r.y), inner),
                                step.partial_bits(r.y.type)});
    const Access sums = sample_access(target);
    Access weight = draft.built.reads[1];
    draft.built.reads = {weight};
    draft.built.writes = {sums};
    const auto add_incoming = [&](const Tensor& output) {
      if (!gradients.has(output)) return;
      draft.built.reads.push_back(sample_access(gradients.of(output)));
    };
    add_incoming(r.y);
    for (const Tensor& last : r.last)
      add_incoming(last);
    for (const Tensor& tensor : r.kept)
      draft.built.reads.push_back(sample_access(step.seen(tensor)));
    step.add(std::move(draft));
    step.hold(*r.hidden.storage);
  });
}

void add_weight_gradients(Gradients& gradients, const Recurrence& r) {
  StepBuilder& step = gradients.step();
  const OperandView sums = gradients.of(r.projected);
  gradients.contribute(r.weight, [&](const OperandView& target) {
    OperatorDraft draft;
    draft.name = r.name + ":hidden_weight_grad";
    draft.type = r.type + "HiddenWeightGradient";
    draft.operator_class = OperatorClass::Matrix;
    draft.mac_kind = MacKind::WeightGradient;
    draft.built =
        row_sum_product_nest({sums, step.seen(r.hidden), target, step.partial_bits(r.y.type)});
    step.add(std::move(draft));
  });
  if (!r.bias) return;
  gradients.contribute(*r.bias, [&](const OperandView& target) {
    PointwiseDraft draft;
    draft.name = r.name + ":hidden_bias_grad";
    draft.type = "BiasGradient";
    draft.operator_class = OperatorClass::Reduction;
    draft.iteration = sums.shape;
    draft.reads = {sums};
    draft.writes = {target};
    step.add(draft);
  });
}

Tensor kept_tensor(StepBuilder& step, const std::string& name, Shape shape, const Tensor& like) {
  Tensor tensor = step.result(name, shape, like);
  tensor.layout = NestLayout::Tokens;
  return tensor;
}

void add_kept(StepBuilder& step, const CellRule& cell, Recurrence& r) {
  const auto add = [&](const std::string& what, std::int64_t width) {
    if (width == 0) return;
    Shape shape = r.y.shape();
    shape.back() *= width;
    r.kept.push_back(kept_tensor(step, r.y.name + ":" + what, shape, r.y));
  };
  if (step.keeps_like_framework()) {
    add("gates", cell.framework_kept);
    add("states", cell.framework_more);
    // A plain cell's result is the next hidden state: one more state in the same storage.
    Shape shape = r.y.shape();
    if (cell.framework_kept == 0) ++shape[0];
    r.hidden = kept_tensor(step, r.y.name + ":hidden", shape, r.y);
    r.hidden.view.shape[0] = r.y.shape()[0];
  } else {
    add("gates", cell.minimal_kept);
  }
}

// The layer's weights by direction, as `recurrent_weights_pattern` unpacked them.
struct LayerInputs {
  Tensor weight;
  Tensor recurrent;
  std::optional<Tensor> bias;
  std::optional<Tensor> recurrent_bias;
};

// [directions, rows, columns] or [rows, columns]: one direction's part.
Tensor direction_of(const Tensor& packed, std::size_t rank, std::int64_t direction) {
  Tensor part = packed;
  if (part.shape().size() > rank && direction < part.shape()[0])
    part.view = without_axis(sliced(part.view, {0, direction, 1, 1}), 0);
  return part;
}

LayerInputs packed_inputs(NodeContext& context, std::int64_t direction) {
  LayerInputs inputs;
  inputs.weight = direction_of(context.in(1), 2, direction);
  inputs.recurrent = direction_of(context.in(2), 2, direction);
  if (context.has(3) && context.in(3).storage) {
    const Tensor both = direction_of(context.in(3), 1, direction);
    const std::int64_t half = both.shape()[0] / 2;
    inputs.bias = both;
    inputs.bias->view = sliced(both.view, {0, 0, half, 1});
    inputs.recurrent_bias = both;
    inputs.recurrent_bias->view = sliced(both.view, {0, half, half, 1});
  }
  return inputs;
}

LayerInputs unpacked_inputs(NodeContext& context, std::int64_t direction) {
  constexpr std::size_t kFirstWeight = 8;  // after the inputs that ONNX counts
  const bool biased = context.integer("biased", 0) != 0;
  const std::size_t first = kFirstWeight + static_cast<std::size_t>(direction) * (biased ? 4U : 2U);
  LayerInputs inputs;
  inputs.weight = context.in(first);
  inputs.recurrent = context.in(first + 1);
  if (biased) {
    inputs.bias = context.in(first + 2);
    inputs.recurrent_bias = context.in(first + 3);
  }
  return inputs;
}

Tensor projected_input(NodeContext& context,
                       const LayerInputs& inputs,
                       const std::string& name,
                       const Shape& steps_and_batch) {
  Product product;
  product.left = context.in(0);
  product.right = inputs.weight;
  product.right.view = transposed(product.right.view, {1, 0});
  product.bias = inputs.bias;
  product.name = name + ":input";
  product.type = context.node().type + "Input";
  product.out_name = name + ":products";
  product.out_shape = {steps_and_batch[0], steps_and_batch[1], inputs.weight.shape()[0]};
  return matrix_product(context.step(), std::move(product));
}

bool is_read(const NodeContext& context, std::size_t output) {
  if (!context.has_output(output)) return false;
  const ValueId value = *context.node().outputs[output];
  for (const Node& node : context.model().nodes)
    for (const auto& input : node.inputs)
      if (input == value) return true;
  for (const ValueId result : context.model().outputs)
    if (result == value) return true;
  return false;
}

// One direction: the products with the input, then the steps.
Recurrence add_direction(NodeContext& context, const CellRule& cell, std::int64_t direction) {
  StepBuilder& step = context.step();
  const Tensor x = context.in(0);
  const LayerInputs inputs = context.integer("unpacked", 0) != 0
                                 ? unpacked_inputs(context, direction)
                                 : packed_inputs(context, direction);
  if (!inputs.weight.storage || !inputs.recurrent.storage)
    context.refuse("has weights that are folded constants");
  const auto is_matrix = [](const Tensor& t) { return t.shape().size() == 2; };
  if (!is_matrix(inputs.weight) || !is_matrix(inputs.recurrent) ||
      inputs.recurrent.shape()[0] != cell.gates * inputs.recurrent.shape()[1] ||
      inputs.weight.shape()[0] != inputs.recurrent.shape()[0])
    context.refuse("has weights that do not fit");
  const std::string suffix = direction == 0 ? "" : ":reverse";
  Recurrence r;
  r.name = context.node().name + suffix;
  r.type = context.node().type;
  r.gates = cell.gates;
  r.weight = inputs.recurrent;
  r.bias = inputs.recurrent_bias;
  r.projected = projected_input(context, inputs, r.name, {x.shape()[0], x.shape()[1]});
  const std::int64_t hidden = r.weight.shape()[1];
  r.y = kept_tensor(step,
                    (context.has_output(0) ? context.out_name() : context.node().name) + suffix,
                    {x.shape()[0], x.shape()[1], hidden},
                    x);
  add_kept(step, cell, r);
  if (!step.keeps_like_framework()) r.hidden = r.y;
  std::vector<Tensor> gradient_inputs = {r.weight};
  if (r.bias) gradient_inputs.push_back(*r.bias);
  gradient_inputs.push_back(r.projected);
  r.y.needs_gradient = any_needs_gradient(gradient_inputs);
  for (const std::size_t o : {1U, 2U}) {
    if (!is_read(context, o)) continue;
    r.last.push_back(kept_tensor(step, context.out_name(o) + suffix, {x.shape()[1], hidden}, x));
    r.last.back().needs_gradient = r.y.needs_gradient;
  }
  add_forward(step, r);
  std::vector<Tensor> outputs = r.last;
  outputs.push_back(r.y);
  step.record(std::move(gradient_inputs), outputs, [r](Gradients& gradients) {
    add_time_gradient(gradients, r);
    if (r.projected.needs_gradient) add_weight_gradients(gradients, r);
  });
  return r;
}

// Side by side along a new axis; one tensor alone is a view.
Tensor stacked(NodeContext& context,
               const std::vector<Tensor>& parts,
               std::size_t axis,
               const std::string& name) {
  StepBuilder& step = context.step();
  if (parts.size() == 1) {
    Tensor whole = parts.front();
    whole.view = with_axis(whole.view, axis);
    return whole;
  }
  Shape shape = parts.front().shape();
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis),
               static_cast<std::int64_t>(parts.size()));
  Tensor whole = step.result(name, shape, parts.front());
  whole.needs_gradient = any_needs_gradient(parts);
  PointwiseDraft draft;
  draft.name = name;
  draft.type = "Stack";
  draft.operator_class = OperatorClass::DataMovement;
  draft.iteration = shape;
  for (Tensor part : parts) {
    part.view = with_axis(part.view, axis);
    draft.reads.push_back(step.seen(part));
  }
  draft.writes = {step.seen(whole)};
  step.add(draft);
  step.record(parts, {whole}, [=](Gradients& gradients) {
    for (std::size_t p = 0; p < parts.size(); ++p)
      gradients.share_view(parts[p], whole, [&](const TensorView& view) {
        return without_axis(sliced(view, {axis, static_cast<std::int64_t>(p), 1, 1}), axis);
      });
  });
  return whole;
}

void bind_outputs(NodeContext& context, const std::vector<Recurrence>& directions) {
  std::vector<Tensor> sequences;
  for (const Recurrence& r : directions)
    sequences.push_back(r.y);
  if (context.has_output(0)) context.bind(0, stacked(context, sequences, 1, context.out_name()));
  std::size_t state = 0;
  for (const std::size_t o : {1U, 2U}) {
    if (!is_read(context, o)) continue;
    std::vector<Tensor> states;
    for (const Recurrence& r : directions)
      states.push_back(r.last[state]);
    context.bind(o, stacked(context, states, 0, context.out_name(o)));
    ++state;
  }
}

void recurrent_layer(NodeContext& context) {
  const CellRule* cell = nullptr;
  for (const CellRule& rule : kCells)
    if (rule.type == context.node().type) cell = &rule;
  if (cell == nullptr) context.refuse("has no recurrent rule");
  if (context.integer("layout", 0) != 0) context.refuse("has layout 1; expected layout 0");
  if (!context.in(0).storage || context.in(0).shape().size() != 3)
    context.refuse("has no sequence of rank 3");
  const std::int64_t directions = context.text("direction", "forward") == "bidirectional" ? 2 : 1;
  std::vector<Recurrence> results;
  for (std::int64_t d = 0; d < directions; ++d)
    results.push_back(add_direction(context, *cell, d));
  bind_outputs(context, results);
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"LSTM", recurrent_layer},
    {"GRU", recurrent_layer},
    {"RNN", recurrent_layer},
});

}  // namespace

std::span<const RuleEntry> recurrent_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
