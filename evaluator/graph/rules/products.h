// Why: several operators are matrix products after views have been taken of their operands.
#pragma once

#include <optional>
#include <string>

#include "evaluator/graph/rules/node_context.h"

namespace paretrain::evaluator {

// out[.., m, n] = sum over k of left[.., m, k] * right[.., k, n] (+ bias over n).
struct Product {
  Tensor left;
  Tensor right;
  std::optional<Tensor> bias;
  Shape out_shape = {};
  std::string out_name = {};
  std::string name = {};
  std::string type = {};
  Tensor out = {};  // made by matrix_product
};

// Adds the operator and records the gradients: weight, bias, input. Operands whose leading
// dimensions strides cannot merge are copied first.
[[nodiscard]] Tensor matrix_product(StepBuilder& step, Product product);

// The node's own product: names and shape are the node's, its output 0 is bound.
void add_matrix_product(NodeContext& context, Product product);

// Whether the tensor is a parameter or a view of one.
[[nodiscard]] bool is_parameter(const StepBuilder& step, const Tensor& tensor);

}  // namespace paretrain::evaluator
