#include "evaluator/graph/rules/node_context.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace paretrain::evaluator {

bool NodeContext::has(std::size_t input) const {
  return input < node_.inputs.size() && node_.inputs[input].has_value();
}

const Tensor& NodeContext::in(std::size_t input) const {
  if (!has(input)) refuse("input " + std::to_string(input) + " is missing");
  return *values_[node_.inputs[input]->index()];
}

bool NodeContext::has_output(std::size_t output) const {
  return output < node_.outputs.size() && node_.outputs[output].has_value();
}

const Value& NodeContext::out(std::size_t output) const {
  if (!has_output(output)) refuse("output " + std::to_string(output) + " is missing");
  return model_.value(*node_.outputs[output]);
}

const std::string& NodeContext::out_name(std::size_t output) const {
  return out(output).name;
}

const Shape& NodeContext::out_shape(std::size_t output) const {
  return out(output).shape;
}

void NodeContext::bind(std::size_t output, Tensor tensor) {
  if (!has_output(output)) return;
  values_[node_.outputs[output]->index()] = std::move(tensor);
}

std::int64_t NodeContext::integer(std::string_view name, std::int64_t otherwise) const {
  const auto found = node_.attributes.find(std::string(name));
  if (found == node_.attributes.end()) return otherwise;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number != nullptr ? *number : otherwise;
}

double NodeContext::real(std::string_view name, double otherwise) const {
  const auto found = node_.attributes.find(std::string(name));
  if (found == node_.attributes.end()) return otherwise;
  const auto* number = std::get_if<double>(&found->second);
  return number != nullptr ? *number : otherwise;
}

std::string NodeContext::text(std::string_view name, std::string_view otherwise) const {
  const auto found = node_.attributes.find(std::string(name));
  if (found == node_.attributes.end()) return std::string(otherwise);
  const auto* value = std::get_if<std::string>(&found->second);
  return value != nullptr ? *value : std::string(otherwise);
}

std::optional<std::vector<std::int64_t>> NodeContext::integers(std::string_view name) const {
  const auto found = node_.attributes.find(std::string(name));
  if (found == node_.attributes.end()) return std::nullopt;
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&found->second);
  if (numbers == nullptr) return std::nullopt;
  return *numbers;
}

std::vector<std::int64_t> NodeContext::constant_integers(std::size_t input) const {
  if (!has(input)) return {};
  const Value& value = model_.value(*node_.inputs[input]);
  return value.numbers ? value.numbers->integers : std::vector<std::int64_t>{};
}

std::vector<double> NodeContext::constant_reals(std::size_t input) const {
  if (!has(input)) return {};
  const Value& value = model_.value(*node_.inputs[input]);
  return value.numbers ? value.numbers->floats : std::vector<double>{};
}

std::optional<std::vector<std::size_t>> NodeContext::axes(std::size_t input,
                                                          std::size_t rank) const {
  std::vector<std::int64_t> numbers = integers("axes").value_or(constant_integers(input));
  if (numbers.empty()) return std::nullopt;
  std::vector<std::size_t> result;
  for (const std::int64_t number : numbers) {
    const std::int64_t axis = number < 0 ? number + static_cast<std::int64_t>(rank) : number;
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) refuse("an axis is out of range");
    result.push_back(static_cast<std::size_t>(axis));
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::size_t NodeContext::axis(std::int64_t otherwise, std::size_t rank) const {
  std::int64_t number = integer("axis", otherwise);
  if (number < 0) number += static_cast<std::int64_t>(rank);
  if (number < 0 || number > static_cast<std::int64_t>(rank)) refuse("its axis is out of range");
  return static_cast<std::size_t>(number);
}

void NodeContext::refuse(const std::string& what) const {
  throw InputError({model_.name + ": " + node_.name, node_.type + ": " + what, ""});
}

std::vector<OperandView> operands_of(const StepBuilder& step, std::span<const Tensor> tensors) {
  std::vector<OperandView> operands;
  for (const Tensor& tensor : tensors)
    if (tensor.storage) operands.push_back(step.seen(tensor));
  return operands;
}

bool broadcasts(const Shape& shape, const Shape& target) {
  if (shape.size() > target.size()) return false;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1 && shape[d] != target[target.size() - shape.size() + d]) return false;
  return true;
}

bool any_needs_gradient(std::span<const Tensor> tensors) {
  return std::any_of(
      tensors.begin(), tensors.end(), [](const Tensor& t) { return t.needs_gradient; });
}

Tensor elementwise(NodeContext& context,
                   std::span<const Tensor> inputs,
                   std::vector<Tensor> also_written) {
  StepBuilder& step = context.step();
  const Shape& shape = context.out_shape();
  for (const Tensor& input : inputs)
    if (!broadcasts(input.shape(), shape)) context.refuse("has an input that does not broadcast");
  const Tensor* like = &inputs.front();
  for (const Tensor& input : inputs) {
    if (!input.storage || input.shape() != shape) continue;
    like = &input;
    break;
  }
  Tensor result = step.elementwise_result(context.out_name(), shape, *like);
  if (result.type != context.out(0).type) {
    CHECK(step.graph().storages.size() == result.storage->index() + 1, "the newest storage");
    result = step.retyped(result, context.out(0).type);
  }
  result.needs_gradient = any_needs_gradient(inputs) && is_float(result.type);
  PointwiseDraft draft;
  draft.name = context.node().name;
  draft.type = context.node().type;
  draft.iteration = shape;
  draft.layout = result.layout;
  draft.reads = operands_of(step, inputs);
  draft.writes = {step.seen(result)};
  for (const Tensor& written : also_written)
    draft.writes.push_back(step.seen(written));
  step.add(draft);
  return result;
}

void add_pointwise_gradient(Gradients& gradients, const PointwiseGradient& gradient) {
  StepBuilder& step = gradients.step();
  const OperandView values = gradients.of(gradient.output);
  PointwiseDraft draft;
  draft.name = gradient.output.name + ":" + gradient.type;
  draft.type = gradient.type;
  draft.iteration = gradient.output.shape();
  draft.layout = gradient.output.layout;
  draft.reads = {values};
  for (const OperandView& other : operands_of(step, gradient.others))
    draft.reads.push_back(other);
  const bool broadcast = gradient.input.elements() != gradient.output.elements();
  if (broadcast && step.options().allocation == Allocation::Framework) {
    StorageDraft product;
    product.name = gradient.input.name + ":grad:product";
    product.role = StorageRole::Gradient;
    product.type = gradient.output.type;
    product.shape = gradient.output.shape();
    const Tensor temporary = step.auxiliary(product);
    draft.writes = {step.seen(temporary)};
    step.add(draft);
    gradients.share(gradient.input, *temporary.storage, temporary.view);
    return;
  }
  gradients.contribute(gradient.input, [&](const OperandView& target) {
    draft.operator_class = broadcast ? OperatorClass::Reduction : OperatorClass::Elementwise;
    draft.writes = {target};
    step.add(draft);
  });
}

}  // namespace paretrain::evaluator
