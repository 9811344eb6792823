#include "evaluator/graph/ready_made_rules.h"

#include <array>
#include <utility>

#include "evaluator/graph/rules/products.h"
#include "evaluator/graph/rules/rules.h"
#include "evaluator/graph/rules/window.h"

namespace paretrain::evaluator {

namespace {

// Operators of onnxruntime's training passes, which no forward network has.

// The gradient of cross entropy reads log-probabilities and labels, which lack the class axis.
void loss_gradient(NodeContext& context) {
  std::vector<Tensor> inputs{context.in(1)};
  Tensor labels = context.in(2);
  const std::size_t rank = inputs[0].shape().size();
  if (labels.storage && labels.shape().size() + 1 == rank) {
    labels.view = with_axis(labels.view, rank == 4 ? 1 : rank - 1);
    inputs.push_back(labels);
  }
  context.bind(0, elementwise(context, inputs));
}

void relu_gradient(NodeContext& context) {
  const std::array inputs{context.in(0), context.in(1)};
  context.bind(0, elementwise(context, inputs));
}

void average_pool_gradient(NodeContext& context) {
  StepBuilder& step = context.step();
  const Tensor gradient = context.in(0);
  Tensor image = step.result(context.out_name(), context.out_shape(), gradient);
  image.layout = NestLayout::Image;
  OperatorDraft draft;
  draft.name = context.node().name;
  draft.type = context.node().type;
  draft.operator_class = OperatorClass::Pooling;
  PoolingOperands operands;
  operands.image = step.seen(image);
  operands.feature = step.seen(gradient);
  operands.window = window_of(context, {});
  draft.built = pooling_gradient_nest(operands);
  step.add(std::move(draft));
  context.bind(0, image);
}

TensorView swapped(const TensorView& view) {
  TensorView result = view;
  const std::size_t rank = view.shape.size();
  if (rank < 2) return result;
  std::swap(result.shape[rank - 1], result.shape[rank - 2]);
  std::swap(result.strides[rank - 1], result.strides[rank - 2]);
  return result;
}

void fused_product(NodeContext& context) {
  Product product;
  product.left = context.in(0);
  product.right = context.in(1);
  if (!product.left.storage || !product.right.storage)
    context.refuse("has an operand that is a folded constant");
  if (context.integer("transA", 0) != 0) product.left.view = swapped(product.left.view);
  if (context.integer("transB", 0) != 0) product.right.view = swapped(product.right.view);
  add_matrix_product(context, product);
}

}  // namespace

std::optional<ForwardRule> ready_made_rule(const Node& node) {
  const std::string& type = node.type;
  if (type.find("LossGrad") != std::string::npos) return loss_gradient;
  if (type == "ReluGrad") return relu_gradient;
  if (type == "AveragePoolGrad") return average_pool_gradient;
  if (type == "FusedMatMul") return fused_product;
  return rule_for(type);
}

}  // namespace paretrain::evaluator
