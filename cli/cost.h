// Why: one operator on one core, looked at closely: the place to check the cost model against other
// tools.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax cost_syntax();
[[nodiscard]] int run_cost(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
