// Why: the command line and the config file say the same values of the same options; what is wrong
// with one is the same wherever it stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options.h"

namespace paretrain::cli {

[[nodiscard]] bool is_flag(const Option& option);

// "--name"
[[nodiscard]] std::string dashed(const Option& option);

// Null when the syntax has none of that name.
[[nodiscard]] const Option* option_named(const CommandSyntax& syntax, const std::string& name);

// Of a flag in a config file: true, yes, on, 1 or false, no, off, 0.
[[nodiscard]] std::optional<bool> truth_value(const std::string& text);

// "1 to 100", "a|b|c": what a kind accepts, for help and errors; empty for any text and for flags.
[[nodiscard]] std::string range_text(const OptionKind& kind);

// Adds a problem at `where` when the value is not one of the option's kind.
void check_value(const Option& option,
                 const std::string& where,
                 const std::string& text,
                 std::vector<Problem>& problems);

}  // namespace paretrain::cli
