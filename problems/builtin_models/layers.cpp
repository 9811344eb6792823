#include "problems/builtin_models/layers.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;
using List = std::vector<std::int64_t>;

}  // namespace

std::string node_scope(const std::string& module) {
  std::string scope;
  std::string prefix;
  std::size_t at = 0;
  while (at < module.size()) {
    const std::size_t dot = std::min(module.find('.', at), module.size());
    const std::string part = module.substr(at, dot - at);
    const bool is_index = part.find_first_not_of("0123456789") == std::string::npos;
    // A list is no module of its own in the scope: "layer1.0" follows "layer1".
    prefix = prefix.empty() ? part : is_index ? prefix + "." + part : part;
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
      writer.weight(module + ".weight", {shape.channels, inputs, shape.kernel, shape.kernel})};
  if (bias == Bias::With) operands.push_back(writer.weight(module + ".bias", {shape.channels}));
  const std::int64_t pad = shape.padding;
  return writer.add({.type = "Conv",
                     .name = node_scope(module) + "/Conv",
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
  const std::string scale = writer.weight(module + ".weight", channels);
  const std::string bias = writer.weight(module + ".bias", channels);
  const std::string mean = writer.weight(module + ".running_mean", channels);
  const std::string variance = writer.weight(module + ".running_var", channels);
  return writer.add(
      {.type = "BatchNormalization",
       .name = node_scope(module) + "/BatchNormalization",
       .inputs = {input, scale, bias, mean, variance},
       .attributes = {{"epsilon", 1e-5}, {"momentum", 0.9}, {"training_mode", std::int64_t{1}}},
       .outputs = 3});
}

std::string relu(NetworkWriter& writer, const std::string& module, const std::string& input) {
  return writer.add({.type = "Relu", .name = node_scope(module) + "/Relu", .inputs = {input}});
}

std::string dense(NetworkWriter& writer,
                  const std::string& module,
                  const std::string& input,
                  std::int64_t outputs) {
  const std::string weight =
      writer.weight(module + ".weight", {outputs, writer.shape(input).back()});
  const std::string bias = writer.weight(module + ".bias", {outputs});
  return writer.add({.type = "Gemm",
                     .name = node_scope(module) + "/Gemm",
                     .inputs = {input, weight, bias},
                     .attributes = {{"alpha", 1.0}, {"beta", 1.0}, {"transB", std::int64_t{1}}}});
}

std::string max_pool(NetworkWriter& writer,
                     const std::string& module,
                     const std::string& input,
                     const ConvolutionShape& shape) {
  const std::int64_t pad = shape.padding;
  return writer.add({.type = "MaxPool",
                     .name = node_scope(module) + "/MaxPool",
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
  const std::string share = writer.number(scope + "/Constant", ratio);
  const std::string training = writer.flag(scope + "/Constant_1", true);
  return writer.add({.type = "Dropout",
                     .name = scope + "/Dropout",
                     .inputs = {input, share, training},
                     .outputs = 2});
}

std::string pooled_features(NetworkWriter& writer, const std::string& input) {
  const std::string pooled = writer.add(
      {.type = "GlobalAveragePool", .name = "/avgpool/GlobalAveragePool", .inputs = {input}});
  return writer.add({.type = "Flatten",
                     .name = "/Flatten",
                     .inputs = {pooled},
                     .attributes = {{"axis", std::int64_t{1}}}});
}

}  // namespace paretrain::problems
