// Why: most unknown names are misspelt known ones; a message that names the nearest saves a search.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace paretrain::problems {

// The known name with the fewest insertions, deletions, replacements and swaps of neighbours away
// from the given one, case ignored; the first of several. Empty when none is closer than half of
// its own length.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string_view> known);

}  // namespace paretrain::problems
