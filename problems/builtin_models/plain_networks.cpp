#include <array>

#include "base/number_text.h"
#include "problems/builtin_models/families.h"
#include "problems/builtin_models/layers.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using List = std::vector<std::int64_t>;

// A module of a sequence by its position.
std::string numbered(const std::string& sequence, std::int64_t position) {
  return sequence + "." + number_text(position);
}

std::string bounded(NetworkWriter& writer, const std::string& module, const std::string& input) {
  const std::string scope = node_scope(module);
  const std::string low = writer.number(scope, 0.0);
  const std::string high = writer.number(scope, 6.0);
  return writer.add({.type = "Clip", .scope = scope, .inputs = {input, low, high}});
}

// Two convolutions of 3x3 with normalisation and rectifier each.
std::string double_convolution(NetworkWriter& writer,
                               const std::string& module,
                               const std::string& input,
                               std::int64_t channels) {
  std::string value = input;
  for (std::int64_t position = 0; position < 6; position += 3) {
    value = convolution(writer,
                        numbered(module, position),
                        value,
                        {.channels = channels, .kernel = 3, .padding = 1},
                        Bias::Without);
    value = batch_normalization(writer, numbered(module, position + 1), value);
    value = relu(writer, numbered(module, position + 2), value);
  }
  return value;
}

std::string doubled(NetworkWriter& writer, const std::string& module, const std::string& input) {
  const std::int64_t inputs = writer.shape(input)[1];
  const std::string weight = writer.weight(module + ".weight", {inputs, inputs / 2, 2, 2});
  const std::string bias = writer.weight(module + ".bias", {inputs / 2});
  return writer.add({.type = "ConvTranspose",
                     .scope = node_scope(module),
                     .inputs = {input, weight, bias},
                     .attributes = {{"dilations", List{1, 1}},
                                    {"group", std::int64_t{1}},
                                    {"kernel_shape", List{2, 2}},
                                    {"pads", List{0, 0, 0, 0}},
                                    {"strides", List{2, 2}}}});
}

// Convolution, normalisation and, unless it ends a block, a bounded rectifier.
std::string mobile_convolution(NetworkWriter& writer,
                               const std::string& module,
                               const std::string& input,
                               const ConvolutionShape& shape) {
  std::string value = convolution(writer, numbered(module, 0), input, shape, Bias::Without);
  value = batch_normalization(writer, numbered(module, 1), value);
  return bounded(writer, numbered(module, 2), value);
}

struct MobileStage {
  std::int64_t expansion;
  std::int64_t channels;
  std::int64_t blocks;
  std::int64_t stride;
};

std::string inverted_residual(NetworkWriter& writer,
                              const std::string& module,
                              const std::string& input,
                              const MobileStage& stage) {
  const std::int64_t inputs = writer.shape(input)[1];
  const std::int64_t hidden = inputs * stage.expansion;
  const std::string sequence = module + ".conv";
  std::string value = input;
  std::int64_t position = 0;
  if (stage.expansion > 1)
    value = mobile_convolution(writer, numbered(sequence, position++), value, {.channels = hidden});
  value = mobile_convolution(
      writer,
      numbered(sequence, position++),
      value,
      {.channels = hidden, .kernel = 3, .stride = stage.stride, .padding = 1, .groups = hidden});
  value = convolution(
      writer, numbered(sequence, position), value, {.channels = stage.channels}, Bias::Without);
  value = batch_normalization(writer, numbered(sequence, position + 1), value);
  const bool is_residual = stage.stride == 1 && inputs == stage.channels;
  return is_residual ? sum(writer, node_scope(module), input, value) : value;
}

}  // namespace

std::string mlp_bytes() {
  NetworkWriter writer("mlp");
  std::string value = flat(writer, writer.input("input", ElementType::Float32, {1, 1, 28, 28}));
  std::int64_t position = 0;
  for (const std::int64_t width : {512, 256}) {
    value = dense(writer, numbered("net", position), value, width);
    value = relu(writer, numbered("net", position + 1), value);
    value = dropout(writer, numbered("net", position + 2), value, 0.2);
    position += 3;
  }
  writer.output(dense(writer, numbered("net", position), value, 10));
  return writer.bytes();
}

std::string vgg16_bytes() {
  NetworkWriter writer("vgg16");
  std::string value = writer.input("input", ElementType::Float32, {1, 3, 224, 224});
  std::int64_t position = 0;
  for (const List& stage : {List{64, 64},
                            List{128, 128},
                            List{256, 256, 256},
                            List{512, 512, 512},
                            List{512, 512, 512}}) {
    for (const std::int64_t channels : stage) {
      value = convolution(writer,
                          numbered("features", position++),
                          value,
                          {.channels = channels, .kernel = 3, .padding = 1},
                          Bias::With);
      value = relu(writer, numbered("features", position++), value);
    }
    value = max_pool(writer, numbered("features", position++), value, {.kernel = 2, .stride = 2});
  }
  // An adaptive pool that finds its 7x7 already there.
  value = writer.add({.type = "AveragePool",
                      .scope = "/avgpool",
                      .inputs = {value},
                      .attributes = {{"kernel_shape", List{1, 1}}, {"strides", List{1, 1}}}});
  value = flat(writer, value);
  for (position = 0; position < 6; position += 3) {
    value = dense(writer, numbered("classifier", position), value, 4096);
    value = relu(writer, numbered("classifier", position + 1), value);
    value = dropout(writer, numbered("classifier", position + 2), value, 0.5);
  }
  writer.output(dense(writer, numbered("classifier", position), value, 1000));
  return writer.bytes();
}

std::string unet_small_bytes() {
  NetworkWriter writer("unet-small");
  std::string value = writer.input("input", ElementType::Float32, {1, 3, 128, 128});
  std::vector<std::string> skips;
  for (std::int64_t level = 0; level < 3; ++level) {
    value =
        double_convolution(writer, "d" + number_text(level + 1), value, std::int64_t{32} << level);
    skips.push_back(value);
    const std::string use = level == 0 ? "pool" : numbered("pool", level);
    std::string module = use;
    if (level > 0) module[4] = '_';  // PyTorch counts the uses of one module
    value = max_pool(writer, module, value, {.kernel = 2, .stride = 2});
  }
  value = double_convolution(writer, "mid", value, 256);
  for (std::int64_t level = 3; level > 0; --level) {
    value = doubled(writer, "u" + number_text(level), value);
    value = writer.add({.type = "Concat",
                        .scope = "",
                        .inputs = {value, skips[static_cast<std::size_t>(level - 1)]},
                        .attributes = {{"axis", std::int64_t{1}}}});
    value = double_convolution(
        writer, "c" + number_text(level), value, std::int64_t{32} << (level - 1));
  }
  writer.output(convolution(writer, "out", value, {.channels = 4}, Bias::With));
  return writer.bytes();
}

std::string mobilenet_v2_bytes() {
  constexpr std::array kStages{MobileStage{1, 16, 1, 1},
                               MobileStage{6, 24, 2, 2},
                               MobileStage{6, 32, 3, 2},
                               MobileStage{6, 64, 4, 2},
                               MobileStage{6, 96, 3, 1},
                               MobileStage{6, 160, 3, 2},
                               MobileStage{6, 320, 1, 1}};
  NetworkWriter writer("mobilenet-v2");
  std::string value = writer.input("input", ElementType::Float32, {1, 3, 224, 224});
  value = mobile_convolution(
      writer, "features.0", value, {.channels = 32, .kernel = 3, .stride = 2, .padding = 1});
  std::int64_t position = 1;
  for (const MobileStage& stage : kStages) {
    for (std::int64_t block = 0; block < stage.blocks; ++block) {
      MobileStage shape = stage;
      if (block > 0) shape.stride = 1;
      value = inverted_residual(writer, numbered("features", position++), value, shape);
    }
  }
  value = mobile_convolution(writer, numbered("features", position), value, {.channels = 1280});
  value = dropout(writer, "classifier.0", pooled_features(writer, "", value), 0.2);
  writer.output(dense(writer, "classifier.1", value, 1000));
  return writer.bytes();
}

}  // namespace paretrain::problems
