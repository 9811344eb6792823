// Why: users name parameters by patterns.
#pragma once

#include <string_view>

namespace paretrain::evaluator {

// Whether the whole name fits the pattern: `*` stands for any characters, `?` for one.
[[nodiscard]] bool matches_pattern(std::string_view name, std::string_view pattern);

}  // namespace paretrain::evaluator
