// Why: names come from files of strangers, and a terminal obeys what it is shown; text is made
// harmless before it is printed.
#pragma once

#include <string>
#include <string_view>

namespace paretrain {

// The text with every control character, broken UTF-8 byte and invisible or direction-changing
// character written as an escape (\n, \x1b, \u{202e}), so that it stays on one line and cannot
// steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

// The same, but line ends and tabs stay: for whole messages made of several lines.
[[nodiscard]] std::string printable_lines(std::string_view text);

// Replaces every byte that is not part of well-formed UTF-8 by U+FFFD, for files that promise
// UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace paretrain
