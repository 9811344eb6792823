#include <array>

#include "base/number_text.h"
#include "problems/builtin_models/families.h"
#include "problems/builtin_models/layers.h"

namespace paretrain::problems {

namespace {

struct Stage {
  std::int64_t blocks;
  std::int64_t channels;
  std::int64_t stride;
};

enum class Block { Basic, Bottleneck };

std::string normalised(NetworkWriter& writer,
                       const std::string& module,
                       std::int64_t index,
                       const std::string& input,
                       const ConvolutionShape& shape) {
  const std::string number = number_text(index);
  const std::string made =
      convolution(writer, module + ".conv" + number, input, shape, Bias::Without);
  return batch_normalization(writer, module + ".bn" + number, made);
}

std::string rectified(NetworkWriter& writer,
                      const std::string& module,
                      std::int64_t use,
                      const std::string& input) {
  // PyTorch counts the uses of one module in its nodes' names.
  const std::string use_text = use == 0 ? "" : number_text(use);
  return relu(writer, module + (use == 0 ? ".relu" : ".relu_") + use_text, input);
}

// The residual branch, up to its last normalisation.
std::string branch(NetworkWriter& writer,
                   Block block,
                   const std::string& module,
                   const std::string& input,
                   const Stage& stage) {
  const ConvolutionShape strided{
      .channels = stage.channels, .kernel = 3, .stride = stage.stride, .padding = 1};
  if (block == Block::Basic) {
    const ConvolutionShape plain{.channels = stage.channels, .kernel = 3, .padding = 1};
    const std::string first =
        rectified(writer, module, 0, normalised(writer, module, 1, input, strided));
    return normalised(writer, module, 2, first, plain);
  }
  const std::string narrow = rectified(
      writer, module, 0, normalised(writer, module, 1, input, {.channels = stage.channels}));
  const std::string middle =
      rectified(writer, module, 1, normalised(writer, module, 2, narrow, strided));
  return normalised(writer, module, 3, middle, {.channels = 4 * stage.channels});
}

std::string residual_block(NetworkWriter& writer,
                           Block block,
                           const std::string& module,
                           const std::string& input,
                           const Stage& stage) {
  const std::string made = branch(writer, block, module, input, stage);
  std::string shortcut = input;
  if (writer.shape(made) != writer.shape(input)) {
    const ConvolutionShape shape{.channels = writer.shape(made)[1], .stride = stage.stride};
    shortcut = convolution(writer, module + ".downsample.0", input, shape, Bias::Without);
    shortcut = batch_normalization(writer, module + ".downsample.1", shortcut);
  }
  const std::string joined = sum(writer, node_scope(module), made, shortcut);
  return rectified(writer, module, block == Block::Basic ? 1 : 2, joined);
}

std::string residual_network_bytes(std::string_view name,
                                   Block block,
                                   const std::array<std::int64_t, 4>& blocks) {
  NetworkWriter writer(name);
  std::string value = writer.input("input", evaluator::ElementType::Float32, {1, 3, 224, 224});
  value = convolution(writer,
                      "conv1",
                      value,
                      {.channels = 64, .kernel = 7, .stride = 2, .padding = 3},
                      Bias::Without);
  value = relu(writer, "relu", batch_normalization(writer, "bn1", value));
  value = max_pool(writer, "maxpool", value, {.kernel = 3, .stride = 2, .padding = 1});
  std::int64_t channels = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    const std::string layer = "layer" + number_text(static_cast<std::int64_t>(stage) + 1);
    for (std::int64_t i = 0; i < blocks[stage]; ++i) {
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      value = residual_block(writer,
                             block,
                             layer + "." + number_text(i),
                             value,
                             {.blocks = blocks[stage], .channels = channels, .stride = stride});
    }
    channels *= 2;
  }
  writer.output(dense(writer, "fc", pooled_features(writer, "/avgpool", value), 1000));
  return writer.bytes();
}

}  // namespace

std::string resnet18_bytes() {
  return residual_network_bytes("resnet18", Block::Basic, {2, 2, 2, 2});
}

std::string resnet50_bytes() {
  return residual_network_bytes("resnet50", Block::Bottleneck, {3, 4, 6, 3});
}

}  // namespace paretrain::problems
