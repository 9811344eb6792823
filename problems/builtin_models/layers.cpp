#include "problems/builtin_models/layers.h"

#include <algorithm>

namespace paretrain::problems {

namespace {

using evaluator::Shape;
using List = std::vector<std::int64_t>;

}  // namespace

std::string weight_name(const std::string& module) {
  std::string name = module;
  std::ranges::replace(name, ':', '.');
  return name;
}

std::string node_scope(const std::string& module) {
  std::string scope;
  std::string prefix;
  std::size_t at = 0;
  while (at < module.size()) {
    const std::size_t dot = std::min(module.find('.', at), module.size());
    const std::string part = weight_name(module.substr(at, dot - at));
    const bool is_index = part.find_first_not_of("0123456789") == std::string::npos;
    prefix = is_index ? prefix + "." + part : part;
    scope += "/" + prefix;
    at = dot + 1;
  }
  return scope;
}

std::string convolution(NetworkWriter& writer,
                        const std::string& module,
                        const std::string& input,
                        const ConvolutionShape& shape,
                        Bias bias) {
  const std::int64_t inputs = writer.shape(input)[1] / shape.groups;
  std::vector<std::string> operands{
      input,
      writer.weight(weight_name(module) + ".weight",
                    {shape.channels, inputs, shape.kernel, shape.kernel})};
  if (bias == Bias::With)
    operands.push_back(writer.weight(weight_name(module) + ".bias", {shape.channels}));
  const std::int64_t pad = shape.padding;
  return writer.add({.type = "Conv",
                     .scope = node_scope(module),
                     .inputs = operands,
                     .attributes = {{"dilations", List{1, 1}},
                                    {"group", shape.groups},
                                    {"kernel_shape", List{shape.kernel, shape.kernel}},
                                    {"pads", List{pad, pad, pad, pad}},
                                    {"strides", List{shape.stride, shape.stride}}}});
}

std::string batch_normalization(NetworkWriter& writer,
                                const std::string& module,
                                const std::string& input) {
  const Shape channels{writer.shape(input)[1]};
  const std::string scale = writer.weight(weight_name(module) + ".weight", channels);
  const std::string bias = writer.weight(weight_name(module) + ".bias", channels);
  const std::string mean = writer.weight(weight_name(module) + ".running_mean", channels);
  const std::string variance = writer.weight(weight_name(module) + ".running_var", channels);
  return writer.add(
      {.type = "BatchNormalization",
       .scope = node_scope(module),
       .inputs = {input, scale, bias, mean, variance},
       .attributes = {{"epsilon", 1e-5}, {"momentum", 0.9}, {"training_mode", std::int64_t{1}}},
       .outputs = 3});
}

std::string relu(NetworkWriter& writer, const std::string& module, const std::string& input) {
  return writer.add({.type = "Relu", .scope = node_scope(module), .inputs = {input}});
}

std::string dense(NetworkWriter& writer,
                  const std::string& module,
                  const std::string& input,
                  std::int64_t outputs) {
  const std::string weight =
      writer.weight(weight_name(module) + ".weight", {outputs, writer.shape(input).back()});
  const std::string bias = writer.weight(weight_name(module) + ".bias", {outputs});
  return writer.add({.type = "Gemm",
                     .scope = node_scope(module),
                     .inputs = {input, weight, bias},
                     .attributes = {{"alpha", 1.0}, {"beta", 1.0}, {"transB", std::int64_t{1}}}});
}

std::string max_pool(NetworkWriter& writer,
                     const std::string& module,
                     const std::string& input,
                     const ConvolutionShape& shape) {
  const std::int64_t pad = shape.padding;
  return writer.add({.type = "MaxPool",
                     .scope = node_scope(module),
                     .inputs = {input},
                     .attributes = {{"ceil_mode", std::int64_t{0}},
                                    {"kernel_shape", List{shape.kernel, shape.kernel}},
                                    {"pads", List{pad, pad, pad, pad}},
                                    {"strides", List{shape.stride, shape.stride}}}});
}

std::string dropout(NetworkWriter& writer,
                    const std::string& module,
                    const std::string& input,
                    double ratio) {
  const std::string scope = node_scope(module);
  const std::string share = writer.number(scope, ratio);
  const std::string training = writer.truth(scope);
  return writer.add(
      {.type = "Dropout", .scope = scope, .inputs = {input, share, training}, .outputs = 2});
}

std::string pooled_features(NetworkWriter& writer,
                            const std::string& scope,
                            const std::string& input) {
  const std::string pooled =
      writer.add({.type = "GlobalAveragePool", .scope = scope, .inputs = {input}});
  return flat(writer, pooled);
}

std::string flat(NetworkWriter& writer, const std::string& input) {
  return writer.add({.type = "Flatten",
                     .scope = "",
                     .inputs = {input},
                     .attributes = {{"axis", std::int64_t{1}}}});
}

std::string sum(NetworkWriter& writer,
                const std::string& scope,
                const std::string& a,
                const std::string& b) {
  return writer.add({.type = "Add", .scope = scope, .inputs = {a, b}});
}

}  // namespace paretrain::problems
