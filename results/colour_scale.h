// Why: a third objective is shown as colour; the scale gets steadily lighter, so that it also reads
// in grey and for most colour-blind eyes.
#pragma once

#include <string>

namespace paretrain::results {

// "#rrggbb" for a share from 0 (dark) to 1 (light); values outside are clamped.
[[nodiscard]] std::string scale_colour(double share);

// Clearly different colours for whole series, by index; they repeat after eight.
[[nodiscard]] std::string series_colour(std::size_t index);

}  // namespace paretrain::results
