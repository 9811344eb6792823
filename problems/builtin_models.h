// Why: the program must be usable, and its test suite meaningful, without a model file from
// elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace paretrain::problems {

struct BuiltinModel {
  std::string_view name;
  std::string_view summary;  // one line for `list models`
};

// In alphabetical order.
[[nodiscard]] std::span<const BuiltinModel> builtin_models();
[[nodiscard]] bool is_builtin_model(std::string_view name);

// The ONNX file of a built-in model, made here and now; weights are declared but have no data.
// `dimensions` are those that the model lets be chosen (`--dim seq=N`); others are refused.
// Requires: is_builtin_model(name).  Errors: InputError for a dimension that the model has not or
// that is out of range.
[[nodiscard]] std::string builtin_model_bytes(
    std::string_view name, const std::map<std::string, std::int64_t>& dimensions);

}  // namespace paretrain::problems
