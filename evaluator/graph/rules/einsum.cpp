// Einsum of two operands in its matrix product forms: every label is a batch, a row, a column or a
// summed label.
#include <algorithm>
#include <array>
#include <string>

#include "evaluator/graph/rules/products.h"
#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

struct Equation {
  std::string left;
  std::string right;
  std::string out;
};

Equation parsed(const NodeContext& context) {
  std::string text = context.text("equation", "");
  std::erase(text, ' ');
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow ||
      text.find(',', comma + 1) != std::string::npos || text.find('.') != std::string::npos)
    context.refuse("has an equation that is no product of two tensors with a named result: " +
                   text);
  Equation equation{
      text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
  for (const std::string* labels : {&equation.left, &equation.right, &equation.out})
    for (const char label : *labels)
      if (std::count(labels->begin(), labels->end(), label) != 1)
        context.refuse("repeats a label within one tensor: " + text);
  return equation;
}

bool has(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}

// Labels of `labels` for which the other two tensors do or do not have them.
std::string chosen(const std::string& labels, const std::string& with, const std::string& without) {
  std::string result;
  for (const char label : labels)
    if (has(with, label) && !has(without, label)) result.push_back(label);
  return result;
}

Shape extents(const Tensor& tensor, const std::string& labels, const std::string& wanted) {
  Shape shape;
  for (const char label : wanted)
    shape.push_back(tensor.shape()[labels.find(label)]);
  return shape;
}

// The operand as [batch labels.., first, second] with each group of labels as one dimension.
Tensor arranged(StepBuilder& step,
                const Tensor& operand,
                const std::string& labels,
                const std::array<std::string, 3>& groups) {
  std::vector<std::int64_t> permutation;
  for (const std::string& group : groups)
    for (const char label : group)
      permutation.push_back(static_cast<std::int64_t>(labels.find(label)));
  Tensor result = operand;
  result.view = transposed(operand.view, permutation);
  Shape shape = extents(operand, labels, groups[0]);
  for (const std::size_t g : {1U, 2U})
    shape.push_back(element_count(extents(operand, labels, groups[g])));
  auto view = reshaped(result.view, shape);
  if (!view) {
    result = step.copied(result, operand.name + ":copy");
    view = reshaped(result.view, shape);
  }
  result.view = *view;
  return result;
}

void einsum(NodeContext& context) {
  StepBuilder& step = context.step();
  if (context.input_count() != 2) context.refuse("has another number of operands than two");
  const Tensor left = context.in(0);
  const Tensor right = context.in(1);
  if (!left.storage || !right.storage) context.refuse("has an operand that is a folded constant");
  const Equation e = parsed(context);
  if (e.left.size() != left.shape().size() || e.right.size() != right.shape().size())
    context.refuse("has an equation that does not fit its operands");
  std::string batch;
  std::string summed;
  for (const char label : e.left) {
    if (has(e.right, label)) (has(e.out, label) ? batch : summed).push_back(label);
    if (!has(e.right, label) && !has(e.out, label))
      context.refuse("sums over a label of one operand alone");
  }
  for (const char label : e.right)
    if (!has(e.left, label) && !has(e.out, label))
      context.refuse("sums over a label of one operand alone");
  const std::string rows = chosen(e.left, e.out, e.right);
  const std::string columns = chosen(e.right, e.out, e.left);
  Product product;
  product.left = arranged(step, left, e.left, {batch, rows, summed});
  product.right = arranged(step, right, e.right, {batch, summed, columns});
  product.name = context.node().name;
  product.type = context.node().type;
  product.out_name = context.out_name();
  product.out_shape = extents(left, e.left, batch);
  product.out_shape.push_back(element_count(extents(left, e.left, rows)));
  product.out_shape.push_back(element_count(extents(right, e.right, columns)));
  Tensor result = matrix_product(step, std::move(product));
  const std::string made = batch + rows + columns;
  Shape wide = extents(left, e.left, batch + rows);
  for (const std::int64_t extent : extents(right, e.right, columns))
    wide.push_back(extent);
  std::vector<std::int64_t> permutation;
  for (const char label : e.out)
    permutation.push_back(static_cast<std::int64_t>(made.find(label)));
  result.view = transposed(*reshaped(result.view, wide), permutation);
  context.bind(0, result);
}

constexpr std::array kRules = std::to_array<RuleEntry>({{"Einsum", einsum}});

}  // namespace

std::span<const RuleEntry> einsum_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
