// Why: one core (ZigZag's accelerator) stands in a file of its own, in a multi-core file, or in a
// built-in; all are read by the same rules.
#pragma once

#include <optional>
#include <string_view>

#include "evaluator/hardware/accelerator.h"
#include "problems/yaml_reader.h"

namespace paretrain::problems {

// ZigZag's files have no core type; Stream's must have one.
enum class CoreTypeKey { Required, Optional };

// Empty when something is wrong; the reader holds what. Keys: docs/formats-hardware.md,
// accelerators.
[[nodiscard]] std::optional<evaluator::Core> core_from_yaml(YamlReader& reader,
                                                            const YamlNode& node,
                                                            CoreTypeKey type_key);

// Empty for a name that is no loop.
[[nodiscard]] std::optional<evaluator::Loop> loop_of_name(std::string_view name);

}  // namespace paretrain::problems
