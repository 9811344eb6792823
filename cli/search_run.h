// Why: a search, new or resumed, with all that happens around each of its generations.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/plan_run.h"
#include "cli/terminal.h"
#include "results/run_folder.h"
#include "results/run_snapshot.h"

namespace paretrain::cli {

enum class OutcomeFormat { Text, Json };

struct ResumedRun {
  results::RunSnapshot snapshot;  // to go on from
  std::uint64_t resumptions = 1;  // this one included
};

// Searches to the end or until a signal, then writes everything and prints the outcome. Returns the
// exit code. Errors: IoError.
[[nodiscard]] int run_search(PlanRun& run,
                             const results::RunFolder& folder,
                             std::optional<ResumedRun> from,
                             OutcomeFormat format,
                             Terminal& terminal);

}  // namespace paretrain::cli
