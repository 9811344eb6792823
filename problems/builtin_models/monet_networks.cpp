#include <cmath>

#include "base/number_text.h"
#include "problems/builtin_models/families.h"
#include "problems/builtin_models/transformer_layers.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using List = std::vector<std::int64_t>;

struct MonetImage {
  std::string_view name;
  std::int64_t batch;
  std::int64_t size;
  std::int64_t stem_kernel;
  std::int64_t stem_stride;
  std::int64_t classes;
};

// A convolution with the normalisation folded in. The exporter makes equal biases one, so all
// convolutions of a width share a bias, the stem excepted, which has none.
std::string folded_convolution(NetworkWriter& writer,
                               const std::string& module,
                               const std::vector<std::string>& operands,
                               const ConvolutionShape& shape) {
  const std::int64_t inputs = writer.shape(operands[0])[1];
  std::vector<std::string> all{
      operands[0],
      writer.weight(module + ".weight", {shape.channels, inputs, shape.kernel, shape.kernel})};
  all.insert(all.end(), operands.begin() + 1, operands.end());
  const std::int64_t pad = shape.padding;
  return writer.add({.type = "Conv",
                     .scope = node_scope(module),
                     .inputs = all,
                     .attributes = {{"dilations", List{1, 1}},
                                    {"group", std::int64_t{1}},
                                    {"kernel_shape", List{shape.kernel, shape.kernel}},
                                    {"pads", List{pad, pad, pad, pad}},
                                    {"strides", List{shape.stride, shape.stride}}}});
}

std::string rectified(NetworkWriter& writer, const std::string& module, const std::string& input) {
  return relu(writer, module, input);
}

std::string folded_block(NetworkWriter& writer,
                         const std::string& module,
                         const std::string& input,
                         const std::string& bias,
                         std::int64_t stride) {
  const std::int64_t channels = writer.shape(bias)[0];
  std::string value =
      folded_convolution(writer,
                         module + ".conv1",
                         {input, bias},
                         {.channels = channels, .kernel = 3, .stride = stride, .padding = 1});
  value = rectified(writer, module, value);
  value = folded_convolution(
      writer, module + ".conv2", {value, bias}, {.channels = channels, .kernel = 3, .padding = 1});
  std::string shortcut = input;
  if (writer.shape(value) != writer.shape(input))
    shortcut = folded_convolution(
        writer, module + ".shortcut.0", {input, bias}, {.channels = channels, .stride = stride});
  return rectified(writer, module, sum(writer, node_scope(module), value, shortcut));
}

std::string image_network_bytes(const MonetImage& image) {
  NetworkWriter writer(image.name);
  std::string value =
      writer.input("input.1", ElementType::Float32, {image.batch, 3, image.size, image.size});
  value = folded_convolution(writer,
                             "conv1",
                             {value},
                             {.channels = 64,
                              .kernel = image.stem_kernel,
                              .stride = image.stem_stride,
                              .padding = image.stem_kernel / 2});
  value = rectified(writer, "", value);
  std::int64_t channels = 64;
  for (std::int64_t stage = 1; stage <= 4; ++stage) {
    const std::string layer = "layer" + number_text(stage);
    const std::string bias = writer.weight(layer + ".bias", {channels});
    for (std::int64_t block = 0; block < 2; ++block) {
      const std::int64_t stride = block == 0 && stage > 1 ? 2 : 1;
      value = folded_block(writer, layer + "." + number_text(block), value, bias, stride);
    }
    channels *= 2;
  }
  const std::int64_t window = writer.shape(value)[2];
  value = writer.add(
      {.type = "AveragePool",
       .scope = "",
       .inputs = {value},
       .attributes = {{"kernel_shape", List{window, window}}, {"strides", List{window, window}}}});
  value = reshape(writer, "", value, {image.batch, 512});
  writer.output(dense(writer, "linear", value, image.classes));
  return writer.bytes();
}

// The language model: four layers that share their weights.
constexpr std::int64_t kTokens = 256;
constexpr std::int64_t kWidth = 512;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kHidden = 1376;
constexpr std::int64_t kVocabulary = 4000;

struct SharedLayer {
  std::string in_weight;
  std::string in_bias;
  std::string out_weight;
  std::string out_bias;
  std::string first_weight;
  std::string first_bias;
  std::string second_weight;
  std::string second_bias;
  std::string mask;
};

SharedLayer shared_layer(NetworkWriter& writer) {
  const std::string stem = "transformer.layers.0.";
  return {.in_weight = writer.weight(stem + "self_attn.in_proj", {kWidth, 3 * kWidth}),
          .in_bias = writer.weight(stem + "self_attn.in_proj_bias", {3 * kWidth}),
          .out_weight = writer.weight(stem + "self_attn.out_proj.weight", {kWidth, kWidth}),
          .out_bias = writer.weight(stem + "self_attn.out_proj.bias", {kWidth}),
          .first_weight = writer.weight(stem + "linear1", {kWidth, kHidden}),
          .first_bias = writer.weight(stem + "linear1.bias", {kHidden}),
          .second_weight = writer.weight(stem + "linear2", {kHidden, kWidth}),
          .second_bias = writer.weight(stem + "linear2.bias", {kWidth}),
          .mask = writer.buffer(
              "/transformer/Mul_2_output_0", ElementType::Float32, {1, kTokens, kTokens})};
}

std::string squeezed(NetworkWriter& writer, const std::string& scope, const std::string& input) {
  return writer.add(
      {.type = "Squeeze", .scope = scope, .inputs = {input, writer.integers(scope, {0})}});
}

std::string shared_attention(NetworkWriter& writer,
                             const std::string& scope,
                             const std::string& input,
                             const SharedLayer& shared) {
  const Shape split{kTokens, kHeads, kWidth / kHeads};
  std::string value = transpose(writer, scope, input, {1, 0, 2});
  value = sum(writer, scope, shared.in_bias, product(writer, scope, value, shared.in_weight));
  value = reshape(writer, scope, value, {kTokens, 1, 3, kWidth});
  value = writer.add(
      {.type = "Unsqueeze", .scope = scope, .inputs = {value, writer.integers(scope, {0})}});
  value = transpose(writer, scope, value, {3, 1, 2, 0, 4});
  value = writer.add(
      {.type = "Squeeze", .scope = scope, .inputs = {value, writer.integers(scope, {3})}});
  const std::string parts = writer.add({.type = "Split",
                                        .scope = scope,
                                        .inputs = {value, writer.integers(scope, {1, 1, 1})},
                                        .attributes = {{"axis", std::int64_t{0}}},
                                        .outputs = 3});
  const std::string stem = parts.substr(0, parts.size() - 1);
  const auto part = [&](const char* number) {
    return reshape(writer, scope, squeezed(writer, scope, stem + number), split);
  };
  const std::string values = transpose(writer, scope, part("2"), {1, 0, 2});
  const std::string queries = scaled(writer,
                                     scope,
                                     transpose(writer, scope, part("0"), {1, 0, 2}),
                                     1.0 / std::sqrt(static_cast<double>(kWidth / kHeads)));
  const std::string keys = transpose(writer, scope, part("1"), {1, 2, 0});
  const std::string scores = sum(writer, scope, product(writer, scope, queries, keys), shared.mask);
  value = product(writer, scope, softmax(writer, scope, scores), values);
  value = transpose(writer, scope, value, {1, 0, 2});
  value = reshape(writer, scope, value, {kTokens, kWidth});
  value = writer.add({.type = "Gemm",
                      .scope = scope,
                      .inputs = {value, shared.out_weight, shared.out_bias},
                      .attributes = {{"alpha", 1.0}, {"beta", 1.0}, {"transB", std::int64_t{1}}}});
  value = reshape(writer, scope, value, {kTokens, 1, kWidth});
  return transpose(writer, scope, value, {1, 0, 2});
}

std::string shared_block(NetworkWriter& writer,
                         const std::string& suffix,
                         const std::string& input,
                         const SharedLayer& shared) {
  const std::string scope = "/transformer/layers.0" + suffix;
  const std::string attended =
      sum(writer, scope, input, shared_attention(writer, scope + "/self_attn", input, shared));
  std::string value = product(writer, scope + "/linear1", attended, shared.first_weight);
  value = sum(writer, scope + "/linear1", shared.first_bias, value);
  value = writer.add({.type = "Relu", .scope = scope, .inputs = {value}});
  value = product(writer, scope + "/linear2", value, shared.second_weight);
  value = sum(writer, scope + "/linear2", shared.second_bias, value);
  return sum(writer, scope, attended, value);
}

}  // namespace

std::string monet_resnet18_32_bytes() {
  return image_network_bytes({"monet-resnet18-32", 4, 32, 3, 1, 10});
}

std::string monet_resnet18_224_bytes() {
  return image_network_bytes({"monet-resnet18-224", 1, 224, 7, 2, 100});
}

std::string monet_gpt2_bytes() {
  NetworkWriter writer("monet-gpt2");
  const std::string ids = writer.input("input", ElementType::Int64, {1, kTokens});
  std::string value = embedding(writer, "embedding", ids, {kVocabulary, kWidth});
  value = scaled(writer, "", value, std::sqrt(static_cast<double>(kWidth)));
  value = sum(writer, "/pos_encoder", value, writer.weight("pos_encoder.pe", {1, kTokens, kWidth}));
  const SharedLayer shared = shared_layer(writer);
  for (std::int64_t layer = 0; layer < 4; ++layer) {
    const std::string suffix = layer == 0 ? "" : number_text(layer);
    value = shared_block(writer, layer == 0 ? suffix : '_' + suffix, value, shared);
  }
  const std::string weight = writer.weight("fc_out", {kWidth, kVocabulary});
  const std::string bias = writer.weight("fc_out.bias", {kVocabulary});
  value = sum(writer, "/fc_out", bias, product(writer, "/fc_out", value, weight));
  writer.output(writer.add({.type = "LogSoftmax",
                            .scope = "",
                            .inputs = {value},
                            .attributes = {{"axis", std::int64_t{-1}}}}));
  return writer.bytes();
}

}  // namespace paretrain::problems
