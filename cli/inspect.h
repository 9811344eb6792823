// Why: before a search, people want to see what the training step of their model is.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax inspect_syntax();
[[nodiscard]] int run_inspect(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
