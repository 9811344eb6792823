// Why: pick, plot and compare take fronts alike: the folder of a run, or a table.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "results/front_file.h"
#include "results/knee.h"

namespace paretrain::cli {

struct FrontArgument {
  std::string label;  // name of the folder, or of the file without its ending
  std::string file;
  results::FrontFile front;
  std::vector<results::ObjectivePoint> points;  // one per point of the front
};

// Prints the file's warnings. Errors: InputError.
[[nodiscard]] FrontArgument front_argument(const std::string& name, Terminal& terminal);

// Errors: InputError naming the file when the units differ from those of `first`.
void check_same_units(const FrontArgument& first, const FrontArgument& other);

[[nodiscard]] bool is_folder(const std::string& name);

}  // namespace paretrain::cli
