#include "problems/builtin_models.h"

#include <algorithm>

namespace paretrain::problems {

std::span<const BuiltinModel> builtin_models() {
  return {};
}

bool is_builtin_model(std::string_view name) {
  return std::ranges::any_of(builtin_models(),
                             [&](const BuiltinModel& model) { return model.name == name; });
}

std::string builtin_model_bytes(std::string_view, const std::map<std::string, std::int64_t>&) {
  return {};
}

}  // namespace paretrain::problems
