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
  Tensor out;            // made by add_matrix_product
  Shape out_shape;       // when it is not the node's own output
  std::string out_name;  // likewise
  std::string name;
  std::string type;  // the node's type when empty
};

// Adds the operator, binds output 0 and records the gradients: weight, bias, input.
void add_matrix_product(NodeContext& context, Product product);

}  // namespace paretrain::evaluator
