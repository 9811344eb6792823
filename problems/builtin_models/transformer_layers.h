// Why: the layers that the built-in transformers share, as PyTorch's exporter takes them apart.
#pragma once

#include <cstdint>
#include <string>

#include "problems/builtin_models/layers.h"

namespace paretrain::problems {

// y = x W^T (+ b) for x of any rank: Transpose, MatMul, Add.
std::string linear(NetworkWriter& writer,
                   const std::string& module,
                   const std::string& input,
                   std::int64_t outputs,
                   Bias bias);

// Over the last axis, taken apart into nine operators as up to opset 16.
std::string layer_norm(NetworkWriter& writer, const std::string& module, const std::string& input);

// x/2 (1 + erf(x/sqrt 2)).
std::string erf_gelu(NetworkWriter& writer, const std::string& scope, const std::string& input);
// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
std::string tanh_gelu(NetworkWriter& writer, const std::string& scope, const std::string& input);

std::string reshape(NetworkWriter& writer,
                    const std::string& scope,
                    const std::string& input,
                    const evaluator::Shape& target);
std::string transpose(NetworkWriter& writer,
                      const std::string& scope,
                      const std::string& input,
                      const std::vector<std::int64_t>& order);
std::string product(NetworkWriter& writer,
                    const std::string& scope,
                    const std::string& a,
                    const std::string& b);
std::string softmax(NetworkWriter& writer, const std::string& scope, const std::string& input);

// Divided by, or multiplied with, one number.
std::string divided(NetworkWriter& writer,
                    const std::string& scope,
                    const std::string& input,
                    double by);
std::string scaled(NetworkWriter& writer,
                   const std::string& scope,
                   const std::string& input,
                   double by);

// Rows of a table by integers.
std::string embedding(NetworkWriter& writer,
                      const std::string& module,
                      const std::string& indices,
                      const evaluator::Shape& table);

struct AttentionShape {
  std::int64_t heads = 1;
  double dropout = 0.0;  // of the attention weights; 0 writes none
};

// PyTorch's MultiheadAttention for self attention, tokens first inside: packed projection, three
// slices, heads by reshape with the batch folded in.
std::string multi_head_attention(NetworkWriter& writer,
                                 const std::string& module,
                                 const std::string& input,
                                 const AttentionShape& shape);

}  // namespace paretrain::problems
