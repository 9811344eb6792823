// Why: whether one search, accelerator or optimizer beats another is a question about whole fronts.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax compare_syntax();
[[nodiscard]] int run_compare(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
