// Why: a pipeline is best understood by looking at it; the trace of a simulated plan opens in
// ui.perfetto.dev.
#pragma once

#include <string>

#include "results/evaluation_report.h"

namespace paretrain::results {

// Trace-event JSON: one track per core, link, bus and port of the off-chip memory, and one for the
// groups; a cycle is written as a microsecond.
// Requires: a report with simulations.
[[nodiscard]] std::string simulation_trace(const EvaluationReport& report);

}  // namespace paretrain::results
