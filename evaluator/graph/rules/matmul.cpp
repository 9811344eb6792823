// Matrix products: linear layers (a parameter operand) and products of two activations.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "evaluator/graph/rules/products.h"
#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

// The kinds under which a product's multiply-accumulates are counted.
struct ProductKinds {
  MacKind forward = MacKind::ForwardActivation;
  MacKind left = MacKind::BackwardActivation;   // gradient of the left operand
  MacKind right = MacKind::BackwardActivation;  // gradient of the right operand
};

ProductKinds kinds_of(const StepBuilder& step, const Product& product) {
  if (is_parameter(step, product.right))
    return {MacKind::Forward, MacKind::InputGradient, MacKind::WeightGradient};
  if (is_parameter(step, product.left))
    return {MacKind::Forward, MacKind::WeightGradient, MacKind::InputGradient};
  return {};
}

OperandView swapped(OperandView view) {
  const std::size_t rank = view.shape.size();
  std::swap(view.shape[rank - 1], view.shape[rank - 2]);
  std::swap(view.strides[rank - 1], view.strides[rank - 2]);
  return view;
}

void add_product(StepBuilder& step, const Product& product, MacKind kind) {
  OperatorDraft draft;
  draft.name = product.name;
  draft.type = product.type;
  draft.operator_class = OperatorClass::Matrix;
  draft.mac_kind = kind;
  draft.built = product_nest({step.seen(product.left),
                              step.seen(product.right),
                              step.seen(product.out),
                              step.partial_bits(product.out.type)});
  if (product.bias && product.bias->storage)
    draft.built.reads.push_back(per_result_axis(
        step.seen(*product.bias), draft.built.writes[0], draft.built.writes[0].axes.size() - 1));
  step.add(std::move(draft));
}

struct ProductGradient {
  const Tensor& input;
  std::string suffix;
  MacKind kind;
  OperandView left;
  OperandView right;
};

// The rank of the target decides: leading dimensions that it lacks are summed over.
void add_product_gradient(Gradients& gradients, const Product& product, const ProductGradient& g) {
  StepBuilder& step = gradients.step();
  gradients.contribute(g.input, [&](const OperandView& target) {
    OperatorDraft draft;
    draft.name = product.name + g.suffix;
    draft.type = g.kind == MacKind::BackwardActivation ? product.type + "Gradient"
                 : g.kind == MacKind::WeightGradient   ? product.type + "WeightGradient"
                                                       : product.type + "InputGradient";
    draft.operator_class = OperatorClass::Matrix;
    draft.mac_kind = g.kind;
    const ProductOperands operands{g.left, g.right, target, step.partial_bits(product.out.type)};
    draft.built =
        g.kind == MacKind::WeightGradient ? row_sum_product_nest(operands) : product_nest(operands);
    step.add(std::move(draft));
  });
}

void add_left_gradient(Gradients& gradients, const Product& p, MacKind kind) {
  const OperandView out = gradients.of(p.out);
  const OperandView right = gradients.step().seen(p.right);
  if (kind == MacKind::WeightGradient) {
    // d left[m, k] = sum over n: rows are n.
    add_product_gradient(
        gradients, p, {p.left, ":weight_grad", kind, swapped(out), swapped(right)});
    return;
  }
  const std::string suffix = kind == MacKind::InputGradient ? ":input_grad" : ":left_grad";
  add_product_gradient(gradients, p, {p.left, suffix, kind, out, swapped(right)});
}

void add_right_gradient(Gradients& gradients, const Product& p, MacKind kind) {
  const OperandView out = gradients.of(p.out);
  const OperandView left = gradients.step().seen(p.left);
  if (kind == MacKind::WeightGradient) {
    add_product_gradient(gradients, p, {p.right, ":weight_grad", kind, left, out});
    return;
  }
  const std::string suffix = kind == MacKind::InputGradient ? ":input_grad" : ":right_grad";
  add_product_gradient(gradients, p, {p.right, suffix, kind, swapped(left), out});
}

void add_bias_gradient(Gradients& gradients, const Product& p) {
  if (!p.bias) return;
  gradients.contribute(*p.bias, [&](const OperandView& target) {
    PointwiseDraft draft;
    draft.name = p.name + ":bias_grad";
    draft.type = "BiasGradient";
    draft.operator_class = OperatorClass::Reduction;
    draft.iteration = p.out.shape();
    draft.layout = NestLayout::Tokens;
    draft.reads = {gradients.of(p.out)};
    draft.writes = {target};
    gradients.step().add(draft);
  });
}

// A product library takes three-dimensional operands: leading dimensions that strides cannot merge
// are copied together first.
Tensor mergeable(StepBuilder& step, const Tensor& operand, const Shape& leading) {
  const std::size_t rank = operand.shape().size();
  if (rank <= 2) return operand;
  Shape full = leading;
  full.insert(full.end(), operand.shape().end() - 2, operand.shape().end());
  Shape merged = {element_count(leading), full[full.size() - 2], full.back()};
  const TensorView view = expanded(operand.view, full);
  if (leading.size() <= 1 || reshaped(view, merged)) return operand;
  Tensor source = operand;
  source.view = view;
  return step.copied(source, operand.name + ":copy");
}

// A linear layer sees its rows as one dimension.
Tensor with_mergeable_rows(StepBuilder& step, const Tensor& operand) {
  const Shape& shape = operand.shape();
  if (shape.size() <= 2) return operand;
  const Shape merged = {element_count(shape) / shape.back(), shape.back()};
  if (reshaped(operand.view, merged)) return operand;
  return step.copied(operand, operand.name + ":copy");
}

Product started(NodeContext& context) {
  Product product;
  product.left = context.in(0);
  product.right = context.in(1);
  if (!product.left.storage || !product.right.storage)
    context.refuse("has an operand that is a folded constant");
  if (context.has(2)) product.bias = context.in(2);
  return product;
}

void matmul(NodeContext& context) {
  add_matrix_product(context, started(context));
}

void gemm(NodeContext& context) {
  Product product = started(context);
  if (context.integer("transA", 0) != 0) product.left.view = transposed(product.left.view, {1, 0});
  if (context.integer("transB", 0) != 0)
    product.right.view = transposed(product.right.view, {1, 0});
  add_matrix_product(context, std::move(product));
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"MatMul", matmul},
    {"Linear", matmul},
    {"Gemm", gemm},
});

}  // namespace

namespace {

void refuse_misfits(const StepBuilder& step, const Product& p) {
  const Shape& left = p.left.shape();
  const Shape& right = p.right.shape();
  const Shape& out = p.out_shape;
  bool fits = left.size() >= 2 && right.size() >= 2 && out.size() >= 2 &&
              left.back() == right[right.size() - 2] && out.back() == right.back() &&
              out[out.size() - 2] == left[left.size() - 2];
  for (const Shape* operand : {&left, &right})
    fits =
        fits && operand->size() <= out.size() &&
        broadcasts(Shape(operand->begin(), operand->end() - 2), Shape(out.begin(), out.end() - 2));
  if (fits && p.bias) fits = broadcasts(p.bias->shape(), out);
  if (!fits)
    throw InputError({step.name() + ": " + p.name, p.type + ": has operands that do not fit", ""});
}

}  // namespace

bool is_parameter(const StepBuilder& step, const Tensor& tensor) {
  return step.storage(*tensor.storage).role == StorageRole::Parameter;
}

Tensor matrix_product(StepBuilder& step, Product product) {
  refuse_misfits(step, product);
  if (product.right.shape().size() == 2) {
    product.left = with_mergeable_rows(step, product.left);
  } else {
    const Shape leading(product.out_shape.begin(), product.out_shape.end() - 2);
    product.left = mergeable(step, product.left, leading);
    product.right = mergeable(step, product.right, leading);
  }
  product.out = step.result(product.out_name, product.out_shape, product.left);
  product.out.layout = NestLayout::Tokens;
  std::vector<Tensor> inputs = {product.right};
  if (product.bias) inputs.push_back(*product.bias);
  inputs.push_back(product.left);
  product.out.needs_gradient = any_needs_gradient(inputs);
  const ProductKinds kinds = kinds_of(step, product);
  add_product(step, product, kinds.forward);
  step.record(std::move(inputs), {product.out}, [product, kinds](Gradients& gradients) {
    if (kinds.left == MacKind::WeightGradient) {
      add_left_gradient(gradients, product, kinds.left);
      add_bias_gradient(gradients, product);
      add_right_gradient(gradients, product, kinds.right);
      return;
    }
    add_right_gradient(gradients, product, kinds.right);
    add_bias_gradient(gradients, product);
    add_left_gradient(gradients, product, kinds.left);
  });
  return product.out;
}

// Vectors become matrices with a dimension of extent 1.
void add_matrix_product(NodeContext& context, Product product) {
  product.name = context.node().name;
  product.type = context.node().type;
  product.out_name = context.out_name();
  product.out_shape = context.out_shape();
  if (product.left.shape().size() == 1) {
    product.left.view = with_axis(product.left.view, 0);
    const auto before_last = product.right.shape().size() > 1 ? 1 : 0;
    product.out_shape.insert(product.out_shape.end() - before_last, 1);
  }
  if (product.right.shape().size() == 1) {
    product.right.view = with_axis(product.right.view, 1);
    product.out_shape.push_back(1);
  }
  Tensor result = matrix_product(context.step(), std::move(product));
  result.view = *reshaped(result.view, context.out_shape());
  context.bind(0, result);
}

std::span<const RuleEntry> matmul_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
