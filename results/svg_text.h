// Why: names that strangers chose end up in pictures and pages; they must stay text there.
#pragma once

#include <string>
#include <string_view>

namespace paretrain::results {

// The text as it may stand in XML and HTML, also inside quotes: markup characters become entities,
// control characters visible escapes, broken UTF-8 is replaced.
[[nodiscard]] std::string markup_text(std::string_view text);

// A coordinate with at most two decimals.
[[nodiscard]] std::string coordinate(double value);

// Rough width of a text in a sans-serif font, in the unit of the size. Units: px.
[[nodiscard]] double text_width(std::string_view text, double font_size);

// Cut to at most `most` characters, marked with an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace paretrain::results
