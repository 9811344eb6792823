// Why: a search, new or resumed, with all that happens around each of its generations.
#pragma once

#include <optional>

#include "cli/plan_run.h"
#include "cli/terminal.h"
#include "results/run_folder.h"
#include "results/run_snapshot.h"

namespace paretrain::cli {

enum class OutcomeFormat { Text, Json };

// Searches to the end or until a signal, then writes everything and prints the outcome.
// `from` is the snapshot to go on from. Returns the exit code. Errors: IoError.
[[nodiscard]] int run_search(PlanRun& run,
                             const results::RunFolder& folder,
                             std::optional<results::RunSnapshot> from,
                             OutcomeFormat format,
                             Terminal& terminal);

}  // namespace paretrain::cli
