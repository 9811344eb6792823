// Why: fronts are looked at far from the machine that made them; a CSV is enough for a picture.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax plot_syntax();
[[nodiscard]] int run_plot(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
