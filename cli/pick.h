// Why: a front is a list of good plans; somebody has to train with one of them.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax pick_syntax();
[[nodiscard]] int run_pick(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
