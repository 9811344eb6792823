// Why: the manifest says when and where a run was made; no other file may.
#pragma once

#include "cli/search_options.h"
#include "results/manifest.h"

namespace paretrain::cli {

// Host, start time, processors and the threads that the search uses.
[[nodiscard]] results::MachineSummary machine_summary(int threads);

// UTC, as 2026-11-30T20:57:01Z.
[[nodiscard]] std::string time_text();

}  // namespace paretrain::cli
