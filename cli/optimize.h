// Why: the main job: search plans of one training step, write a run folder.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax optimize_syntax();
[[nodiscard]] int run_optimize(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
