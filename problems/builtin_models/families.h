// Why: one function per built-in network, gathered by the table in problems/builtin_models.cpp.
// Each returns the bytes of an ONNX file in training mode, batch 1 where not said otherwise, whose
// structure is that of the network's PyTorch export.
#pragma once

#include <cstdint>
#include <string>

namespace paretrain::problems {

// Residual networks. Source: He, Zhang, Ren, Sun, CVPR 2016; strides as in torchvision.
[[nodiscard]] std::string resnet18_bytes();
[[nodiscard]] std::string resnet50_bytes();

// Source: Simonyan, Zisserman, ICLR 2015 (VGG-16); Sandler et al., CVPR 2018 (MobileNetV2), both as
// in torchvision; Ronneberger et al., MICCAI 2015 (U-Net, four levels of 32 to 256 channels).
[[nodiscard]] std::string mlp_bytes();  // 784-512-256-10
[[nodiscard]] std::string vgg16_bytes();
[[nodiscard]] std::string mobilenet_v2_bytes();
[[nodiscard]] std::string unet_small_bytes();

// Causal language models on `tokens` positions. Source: Radford et al., 2019 (GPT-2 small).
[[nodiscard]] std::string mini_gpt_bytes(std::int64_t tokens);
[[nodiscard]] std::string gpt2_small_bytes(std::int64_t tokens);
// Encoders. Source: Devlin et al., NAACL 2019; Dosovitskiy et al., ICLR 2021.
[[nodiscard]] std::string bert_base_bytes(std::int64_t tokens);
[[nodiscard]] std::string vit_b_16_bytes();

// The forward parts of MONET's training graphs: batch 4 of 3x32x32 with 10 classes, batch 1 of
// 3x224x224 with 100 classes, 1x256 tokens. Source: arXiv 2603.15002 and its published graphs.
[[nodiscard]] std::string monet_resnet18_32_bytes();
[[nodiscard]] std::string monet_resnet18_224_bytes();
[[nodiscard]] std::string monet_gpt2_bytes();

}  // namespace paretrain::problems
