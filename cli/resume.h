// Why: a run that was stopped or killed goes on as if it never had been.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax resume_syntax();
[[nodiscard]] int run_resume(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
