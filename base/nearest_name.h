// Why: most unknown names are misspelt known ones; a message that names the nearest saves a search.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paretrain {

// The known name with the fewest insertions, deletions, replacements and swaps of neighbours away
// from the given one, case ignored; the first of several. One that goes on where the given one ends
// counts as one change. Empty when none is nearer than two changes or a third of the given name, or
// when that is half of its own length. Cost: product of the lengths, of names up to 100 characters.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string_view> known);
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string>& known);

}  // namespace paretrain
