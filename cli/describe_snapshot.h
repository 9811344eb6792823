// Why: before a week-old run is resumed one wants to know that its snapshot is whole and whose it
// is.
#pragma once

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

[[nodiscard]] CommandSyntax snapshot_syntax();
[[nodiscard]] int run_snapshot(const Options& options, Terminal& terminal);

}  // namespace paretrain::cli
