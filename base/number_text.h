// Why: numbers must read and print the same in every locale, and text from users must be refused
// when it is not wholly a number of the kind expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paretrain {

// The shortest text that reads back to the same double. Requires: a finite number.
[[nodiscard]] std::string number_text(double number);
[[nodiscard]] std::string number_text(std::int64_t number);

// With a blank-free comma between groups of three digits, as messages to people show counts:
// 1,234,567.
[[nodiscard]] std::string grouped_text(std::int64_t number);

// Empty unless the whole text is a decimal integer that fits (no blanks, no plus sign).
[[nodiscard]] std::optional<std::int64_t> parsed_integer(std::string_view text);
// Empty unless the whole text is a finite decimal number.
[[nodiscard]] std::optional<double> parsed_number(std::string_view text);
// A size in bytes with an optional unit: "64MiB", "1.5GB", "4096", "4096B". KB, MB, GB, TB are
// powers of 1000; KiB, MiB, GiB, TiB of 1024. Empty unless whole, non-negative and below 2^63;
// rounded to a whole byte.
[[nodiscard]] std::optional<std::int64_t> parsed_bytes(std::string_view text);

}  // namespace paretrain
