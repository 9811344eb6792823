// Why: what is built in can be named, and written out to be looked at or changed.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax list_syntax();
[[nodiscard]] int run_list(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
