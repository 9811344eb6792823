// Why: slides and papers want pixels; librsvg makes them from the same SVG where it is built in.
#pragma once

#include <string>
#include <string_view>

namespace paretrain::results {

[[nodiscard]] bool can_write_png();

// A PNG at twice the SVG's size. Errors: InputError when this build has no librsvg; IoError when
// drawing fails.
[[nodiscard]] std::string png_of_svg(std::string_view svg);

}  // namespace paretrain::results
