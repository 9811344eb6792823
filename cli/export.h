// Why: a chosen plan goes on to other programs, which want a file of their own kind.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax export_syntax();
[[nodiscard]] int run_export(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
