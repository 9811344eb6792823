// Why: on a small problem the whole truth can be had: every genome, the exact front.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax enumerate_syntax();
[[nodiscard]] int run_enumerate(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
