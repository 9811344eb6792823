#include "problems/builtin_models/transformer_layers.h"

#include <cmath>
#include <numbers>

namespace paretrain::problems {

namespace {

using evaluator::Shape;
using List = std::vector<std::int64_t>;

std::string pointwise(NetworkWriter& writer,
                      const std::string& type,
                      const std::string& scope,
                      const std::vector<std::string>& inputs) {
  return writer.add({.type = type, .scope = scope, .inputs = inputs});
}

std::string mean(NetworkWriter& writer, const std::string& scope, const std::string& input) {
  return writer.add({.type = "ReduceMean",
                     .scope = scope,
                     .inputs = {input},
                     .attributes = {{"axes", List{-1}}}});
}

}  // namespace

std::string linear(NetworkWriter& writer,
                   const std::string& module,
                   const std::string& input,
                   std::int64_t outputs,
                   Bias bias) {
  const std::string scope = node_scope(module);
  const std::string name = weight_name(module);
  const std::string weight = writer.weight(name + ".weight", {outputs, writer.shape(input).back()});
  const std::string turned = transpose(writer, scope, weight, {1, 0});
  const std::string made = product(writer, scope, input, turned);
  if (bias == Bias::Without) return made;
  return sum(writer, scope, writer.weight(name + ".bias", {outputs}), made);
}

std::string layer_norm(NetworkWriter& writer, const std::string& module, const std::string& input) {
  const std::string scope = node_scope(module);
  const Shape features{writer.shape(input).back()};
  const std::string scale = writer.weight(weight_name(module) + ".weight", features);
  const std::string bias = writer.weight(weight_name(module) + ".bias", features);
  const std::string centred = pointwise(writer, "Sub", scope, {input, mean(writer, scope, input)});
  const std::string square = pointwise(writer, "Pow", scope, {centred, writer.number(scope, 2.0)});
  const std::string variance = mean(writer, scope, square);
  const std::string shifted = sum(writer, scope, variance, writer.number(scope, 1e-5));
  const std::string deviation = pointwise(writer, "Sqrt", scope, {shifted});
  const std::string normal = pointwise(writer, "Div", scope, {centred, deviation});
  return sum(writer, scope, pointwise(writer, "Mul", scope, {normal, scale}), bias);
}

std::string erf_gelu(NetworkWriter& writer, const std::string& scope, const std::string& input) {
  const std::string inner = divided(writer, scope, input, std::numbers::sqrt2);
  const std::string error = pointwise(writer, "Erf", scope, {inner});
  const std::string gate = sum(writer, scope, error, writer.number(scope, 1.0));
  const std::string gated = pointwise(writer, "Mul", scope, {input, gate});
  return scaled(writer, scope, gated, 0.5);
}

std::string tanh_gelu(NetworkWriter& writer, const std::string& scope, const std::string& input) {
  const std::string square = pointwise(writer, "Mul", scope, {input, input});
  const std::string cube = pointwise(writer, "Mul", scope, {input, square});
  const std::string part = pointwise(writer, "Mul", scope, {writer.number(scope, 0.044715), cube});
  const std::string inner = sum(writer, scope, input, part);
  const double factor = std::sqrt(2.0 / std::numbers::pi);
  const std::string angle = pointwise(writer, "Mul", scope, {writer.number(scope, factor), inner});
  const std::string bent = pointwise(writer, "Tanh", scope, {angle});
  const std::string gate = sum(writer, scope, writer.number(scope, 1.0), bent);
  const std::string gated = pointwise(writer, "Mul", scope, {input, gate});
  return pointwise(writer, "Mul", scope, {writer.number(scope, 0.5), gated});
}

std::string reshape(NetworkWriter& writer,
                    const std::string& scope,
                    const std::string& input,
                    const Shape& target) {
  return pointwise(writer, "Reshape", scope, {input, writer.integers(scope, target)});
}

std::string transpose(NetworkWriter& writer,
                      const std::string& scope,
                      const std::string& input,
                      const List& order) {
  return writer.add(
      {.type = "Transpose", .scope = scope, .inputs = {input}, .attributes = {{"perm", order}}});
}

std::string product(NetworkWriter& writer,
                    const std::string& scope,
                    const std::string& a,
                    const std::string& b) {
  return pointwise(writer, "MatMul", scope, {a, b});
}

std::string softmax(NetworkWriter& writer, const std::string& scope, const std::string& input) {
  return writer.add({.type = "Softmax",
                     .scope = scope,
                     .inputs = {input},
                     .attributes = {{"axis", std::int64_t{-1}}}});
}

std::string divided(NetworkWriter& writer,
                    const std::string& scope,
                    const std::string& input,
                    double by) {
  return pointwise(writer, "Div", scope, {input, writer.number(scope, by)});
}

std::string scaled(NetworkWriter& writer,
                   const std::string& scope,
                   const std::string& input,
                   double by) {
  return pointwise(writer, "Mul", scope, {input, writer.number(scope, by)});
}

std::string embedding(NetworkWriter& writer,
                      const std::string& module,
                      const std::string& indices,
                      const Shape& table) {
  const std::string weight = writer.weight(weight_name(module) + ".weight", table);
  return writer.add({.type = "Gather",
                     .scope = node_scope(module),
                     .inputs = {weight, indices},
                     .attributes = {}});
}

std::string multi_head_attention(NetworkWriter& writer,
                                 const std::string& module,
                                 const std::string& input,
                                 const AttentionShape& shape) {
  const std::string scope = node_scope(module);
  const std::string name = weight_name(module);
  const std::int64_t batch = writer.shape(input)[0];
  const std::int64_t tokens = writer.shape(input)[1];
  const std::int64_t width = writer.shape(input)[2];
  const std::int64_t head = width / shape.heads;
  const std::string turned = transpose(writer, scope, input, {1, 0, 2});
  const std::string weight = writer.weight(name + ".in_proj_weight", {3 * width, width});
  const std::string packed =
      product(writer, scope, turned, transpose(writer, scope, weight, {1, 0}));
  const std::string all =
      sum(writer, scope, writer.weight(name + ".in_proj_bias", {3 * width}), packed);
  std::string parts[3];
  for (std::int64_t part = 0; part < 3; ++part)
    parts[part] = pointwise(writer,
                            "Slice",
                            scope,
                            {all,
                             writer.integers(scope, {part * width}),
                             writer.integers(scope, {(part + 1) * width}),
                             writer.integers(scope, {2})});
  const Shape split{tokens, batch * shape.heads, head};
  std::string queries = reshape(writer, scope, parts[0], split);
  queries = transpose(writer, scope, queries, {1, 0, 2});
  const std::string keys = reshape(writer, scope, parts[1], split);
  std::string values = reshape(writer, scope, parts[2], split);
  values = transpose(writer, scope, values, {1, 0, 2});
  queries = divided(writer, scope, queries, std::sqrt(static_cast<double>(head)));
  const std::string scores =
      product(writer, scope, queries, transpose(writer, scope, keys, {1, 2, 0}));
  std::string weights = softmax(writer, scope, scores);
  if (shape.dropout > 0.0) weights = dropout(writer, module, weights, shape.dropout);
  std::string context = product(writer, scope, weights, values);
  context = transpose(writer, scope, context, {1, 0, 2});
  context = reshape(writer, scope, context, {tokens * batch, width});
  const std::string out_weight = writer.weight(name + ".out_proj.weight", {width, width});
  const std::string out_bias = writer.weight(name + ".out_proj.bias", {width});
  context =
      writer.add({.type = "Gemm",
                  .scope = scope,
                  .inputs = {context, out_weight, out_bias},
                  .attributes = {{"alpha", 1.0}, {"beta", 1.0}, {"transB", std::int64_t{1}}}});
  context = reshape(writer, scope, context, {tokens, batch, width});
  return transpose(writer, scope, context, {1, 0, 2});
}

}  // namespace paretrain::problems
