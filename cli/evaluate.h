// Why: a plan found by a search, or made by hand, must be open to questions: where its numbers come
// from.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax evaluate_syntax();
[[nodiscard]] int run_evaluate(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
