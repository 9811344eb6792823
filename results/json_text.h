// Why: data inside a page's script must not be able to end the script, whatever names it holds.
#pragma once

#include <string>
#include <string_view>

namespace paretrain::results {

// The text as a JSON string with its quotes. Control characters, <, >, &, ' and the line separators
// of JavaScript are written \uXXXX; broken UTF-8 is replaced. Valid in JSON files, too.
[[nodiscard]] std::string json_string(std::string_view text);

// A finite number in JSON.
[[nodiscard]] std::string json_number(double number);

}  // namespace paretrain::results
