// Why: the accelerators that need no file: every figure with its source in docs/accelerators.md.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "evaluator/hardware/accelerator.h"

namespace paretrain::problems {

struct BuiltinAccelerator {
  std::string_view name;
  std::string_view summary;  // one line
  bool validated = true;     // false: figures from public documents, never compared with a model
};

// In alphabetical order.
[[nodiscard]] std::span<const BuiltinAccelerator> builtin_accelerators();

// Empty when there is none of that name.
[[nodiscard]] std::optional<evaluator::Accelerator> builtin_accelerator(std::string_view name);

}  // namespace paretrain::problems
