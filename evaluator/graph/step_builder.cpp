#include "evaluator/graph/step_builder.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/checked_math.h"
#include "evaluator/graph/gradients.h"

namespace paretrain::evaluator {

StepBuilder::StepBuilder(const TrainingOptions& options, std::string name, std::int64_t batch)
    : options_(options) {
  graph_.name = std::move(name);
  graph_.batch = batch;
}

std::int64_t StepBuilder::partial_bits(ElementType type) const {
  return partial_sum_bits(options_.precision, type);
}

StorageId StepBuilder::add_storage(const StorageDraft& draft) {
  const StorageId id(graph_.storages.size());
  const std::int64_t bits = element_bits(options_.precision, draft.kind, draft.type);
  Storage storage;
  storage.name = draft.name;
  storage.role = draft.role;
  storage.type = draft.type;
  storage.shape = draft.shape;
  storage.elements = element_count(draft.shape);
  const std::int64_t stored =
      draft.role == StorageRole::Parameter
          ? element_bits(options_.precision, ElementKind::StoredParameter, draft.type)
          : bits;
  storage.bytes = Bytes(ceil_div(storage.elements * stored, 8));
  storage.recomputable = draft.recomputable;
  graph_.storages.push_back(std::move(storage));
  bits_.push_back(bits);
  kinds_.push_back(draft.kind);
  return id;
}

Tensor StepBuilder::result(const std::string& name, const Shape& shape, const Tensor& like) {
  StorageDraft draft;
  draft.name = name;
  draft.type = like.type;
  draft.shape = shape;
  draft.recomputable = true;
  Tensor tensor = auxiliary(draft);
  tensor.layout = like.layout;
  return tensor;
}

Tensor StepBuilder::elementwise_result(const std::string& name,
                                       const Shape& shape,
                                       const Tensor& like) {
  Tensor tensor = result(name, shape, like);
  if (like.shape() == shape && like.storage) tensor.view = dense_like(like.view);
  return tensor;
}

Tensor StepBuilder::retyped(const Tensor& tensor, ElementType type) {
  Storage& storage = graph_.storages[tensor.storage->index()];
  const std::int64_t bits = element_bits(options_.precision, kind(*tensor.storage), type);
  storage.type = type;
  storage.bytes = Bytes(ceil_div(storage.elements * bits, 8));
  bits_[tensor.storage->index()] = bits;
  Tensor result = tensor;
  result.type = type;
  return result;
}

Tensor StepBuilder::statistic(const std::string& name, const Shape& shape) {
  StorageDraft draft;
  draft.name = name;
  draft.role = StorageRole::Statistic;
  draft.kind = ElementKind::Statistic;
  draft.shape = shape;
  return auxiliary(draft);
}

Tensor StepBuilder::auxiliary(const StorageDraft& draft) {
  Tensor tensor;
  tensor.name = draft.name;
  tensor.type = draft.type;
  tensor.view = whole_view(draft.shape);
  tensor.storage = add_storage(draft);
  return tensor;
}

OperandView StepBuilder::seen(const Tensor& tensor) const {
  CHECK(tensor.storage.has_value(), tensor.name);
  return seen(*tensor.storage, tensor.view);
}

OperandView StepBuilder::seen(StorageId storage, const TensorView& view) const {
  return {storage, view.shape, view.strides, bits(storage), false};
}

OperatorId StepBuilder::add(OperatorDraft draft) {
  const OperatorId id(graph_.operators.size());
  Operator op;
  op.name = std::move(draft.name);
  op.type = std::move(draft.type);
  op.phase = phase_;
  op.operator_class = draft.operator_class;
  op.mac_kind = draft.mac_kind;
  op.macs = draft.mac_kind == MacKind::None ? 0 : draft.built.nest.operations();
  op.nest = std::move(draft.built.nest);
  op.matrix_nest = std::move(draft.matrix_nest);
  op.reads = std::move(draft.built.reads);
  op.writes = std::move(draft.built.writes);
  op.forward = phase_ == Phase::Forward ? id : forward_;
  graph_.operators.push_back(std::move(op));
  return id;
}

OperatorId StepBuilder::add(const PointwiseDraft& draft) {
  PointwiseOperands operands;
  operands.iteration = draft.iteration;
  operands.layout = draft.layout;
  operands.reads = draft.reads;
  operands.writes = draft.writes;
  operands.partial_bits = partial_bits(
      draft.writes.empty() ? ElementType::Float32 : storage(draft.writes[0].storage).type);
  OperatorDraft op;
  op.name = draft.name;
  op.type = draft.type;
  op.operator_class = draft.operator_class;
  op.built = pointwise_nest(operands);
  return add(std::move(op));
}

void StepBuilder::hold(StorageId storage) {
  CHECK(!graph_.operators.empty(), "an operator to hold for");
  auto& reads = graph_.operators.back().reads;
  const bool known = std::any_of(
      reads.begin(), reads.end(), [&](const Access& access) { return access.storage == storage; });
  if (known) return;
  Access access;
  access.storage = storage;
  reads.push_back(access);
}

void StepBuilder::record(std::vector<Tensor> inputs,
                         std::vector<Tensor> outputs,
                         std::function<void(Gradients&)> backward) {
  if (options_.inference) return;
  std::erase_if(inputs, [](const Tensor& t) { return !t.needs_gradient; });
  if (inputs.empty()) return;
  CHECK(!graph_.operators.empty(), "a recorded node has an operator");
  tape_.push_back({OperatorId(graph_.operators.size() - 1),
                   std::move(inputs),
                   std::move(outputs),
                   std::move(backward)});
}

Tensor StepBuilder::copied(const Tensor& tensor, const std::string& name) {
  Tensor copy = result(name, tensor.shape(), tensor);
  copy.needs_gradient = tensor.needs_gradient;
  PointwiseDraft draft;
  draft.name = name;
  draft.type = "Copy";
  draft.operator_class = OperatorClass::DataMovement;
  draft.iteration = tensor.shape();
  draft.layout = tensor.layout;
  draft.reads = {seen(tensor)};
  draft.writes = {seen(copy)};
  add(draft);
  record({tensor}, {copy}, [tensor, copy](Gradients& gradients) {
    gradients.contribute(tensor, [&](const OperandView& target) {
      PointwiseDraft back;
      back.name = copy.name + ":grad";
      back.type = "CopyGradient";
      back.operator_class = OperatorClass::DataMovement;
      back.iteration = tensor.shape();
      back.layout = tensor.layout;
      back.reads = {gradients.of(copy)};
      back.writes = {target};
      gradients.step().add(back);
    });
  });
  return copy;
}

}  // namespace paretrain::evaluator
