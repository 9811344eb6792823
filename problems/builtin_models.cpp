#include "problems/builtin_models.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "problems/builtin_models/families.h"

namespace paretrain::problems {

namespace {

constexpr std::array kModels{
    BuiltinModel{"bert-base", "BERT base encoder with two classes, 128 tokens (--dim seq=N)"},
    BuiltinModel{"gpt2-small", "GPT-2 small, 1024 tokens (--dim seq=N)"},
    BuiltinModel{"mini-gpt", "4-layer GPT of width 256, 128 tokens (--dim seq=N)"},
    BuiltinModel{"mlp", "three-layer perceptron on 28x28 images"},
    BuiltinModel{"mobilenet-v2", "MobileNetV2 on 224x224 images, 1000 classes"},
    BuiltinModel{"monet-gpt2", "language model of MONET's training graph"},
    BuiltinModel{"monet-resnet18-224", "ResNet-18 of MONET on 224x224 images, 100 classes"},
    BuiltinModel{"monet-resnet18-32", "ResNet-18 of MONET on 32x32 images, batch 4"},
    BuiltinModel{"resnet18", "ResNet-18 on 224x224 images, 1000 classes"},
    BuiltinModel{"resnet50", "ResNet-50 on 224x224 images, 1000 classes"},
    BuiltinModel{"unet-small", "4-level U-Net on 128x128 images, 4 classes"},
    BuiltinModel{"vgg16", "VGG-16 on 224x224 images, 1000 classes"},
    BuiltinModel{"vit-b-16", "vision transformer ViT-B/16 on 224x224 images"}};

// Sequences of the models that let their length be chosen. The largest keeps position numbers
// known constants.
struct SequenceModel {
  std::string_view name;
  std::int64_t tokens;
  std::string (*bytes)(std::int64_t tokens);
};

constexpr std::int64_t kMostTokens = 4096;
constexpr std::array kSequenceModels{SequenceModel{"bert-base", 128, bert_base_bytes},
                                     SequenceModel{"gpt2-small", 1024, gpt2_small_bytes},
                                     SequenceModel{"mini-gpt", 128, mini_gpt_bytes}};

struct FixedModel {
  std::string_view name;
  std::string (*bytes)();
};

constexpr std::array kFixedModels{FixedModel{"mlp", mlp_bytes},
                                  FixedModel{"mobilenet-v2", mobilenet_v2_bytes},
                                  FixedModel{"monet-gpt2", monet_gpt2_bytes},
                                  FixedModel{"monet-resnet18-224", monet_resnet18_224_bytes},
                                  FixedModel{"monet-resnet18-32", monet_resnet18_32_bytes},
                                  FixedModel{"resnet18", resnet18_bytes},
                                  FixedModel{"resnet50", resnet50_bytes},
                                  FixedModel{"unet-small", unet_small_bytes},
                                  FixedModel{"vgg16", vgg16_bytes},
                                  FixedModel{"vit-b-16", vit_b_16_bytes}};

std::int64_t chosen_tokens(const SequenceModel& model,
                           const std::map<std::string, std::int64_t>& dimensions) {
  const auto chosen = dimensions.find("seq");
  if (chosen == dimensions.end()) return model.tokens;
  if (chosen->second < 1 || chosen->second > kMostTokens)
    throw InputError({"--dim seq",
                      number_text(chosen->second) + "; expected 1 to " + number_text(kMostTokens),
                      ""});
  return chosen->second;
}

void refuse_other_dimensions(std::string_view name,
                             std::string_view allowed,
                             const std::map<std::string, std::int64_t>& dimensions) {
  for (const auto& [dimension, extent] : dimensions) {
    if (dimension == allowed) continue;
    const std::string has = allowed.empty() ? "none" : "'" + std::string(allowed) + "'";
    throw InputError({"--dim " + dimension,
                      "no such open dimension; built-in model " + std::string(name) + " has " + has,
                      ""});
  }
}

}  // namespace

std::span<const BuiltinModel> builtin_models() {
  return kModels;
}

bool is_builtin_model(std::string_view name) {
  return std::ranges::any_of(builtin_models(),
                             [&](const BuiltinModel& model) { return model.name == name; });
}

std::string builtin_model_bytes(std::string_view name,
                                const std::map<std::string, std::int64_t>& dimensions) {
  for (const SequenceModel& model : kSequenceModels) {
    if (model.name != name) continue;
    refuse_other_dimensions(name, "seq", dimensions);
    return model.bytes(chosen_tokens(model, dimensions));
  }
  refuse_other_dimensions(name, "", dimensions);
  for (const FixedModel& model : kFixedModels)
    if (model.name == name) return model.bytes();
  CHECK(false, "the caller looks the name up");
}

}  // namespace paretrain::problems
