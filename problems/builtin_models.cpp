#include "problems/builtin_models.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/error.h"
#include "problems/builtin_models/families.h"

namespace paretrain::problems {

namespace {

constexpr std::array kModels{BuiltinModel{"resnet18", "ResNet-18 on 224x224 images, 1000 classes"},
                             BuiltinModel{"resnet50", "ResNet-50 on 224x224 images, 1000 classes"}};

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
  CHECK(is_builtin_model(name), "the caller looks the name up");
  if (!dimensions.empty())
    throw InputError({"--dim " + dimensions.begin()->first,
                      "no such open dimension; built-in model " + std::string(name) + " has none",
                      ""});
  if (name == "resnet18") return resnet18_bytes();
  return resnet50_bytes();
}

}  // namespace paretrain::problems
