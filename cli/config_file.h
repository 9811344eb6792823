// Why: what is wrong with an option of a config file must be found again in it, so its lines keep
// their places.
#pragma once

#include <string>
#include <vector>

namespace paretrain::cli {

// `name = value`
struct ConfigLine {
  std::string where;  // "file:3"
  std::string name;   // empty when the line has another form; then `value` is all of it
  std::string value;  // may be empty
};

// Without comments and blank lines. Errors: as file_content (base/input_file.h).
[[nodiscard]] std::vector<ConfigLine> config_lines(const std::string& file);

}  // namespace paretrain::cli
