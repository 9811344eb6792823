// Why: whoever doubts the engine can run it on problems whose fronts are known, with the same
// program that searches plans.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax bench_syntax();
[[nodiscard]] int run_bench(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
