// Why: what a training step holds, as a page that people read in a terminal.
#pragma once

#include <string>

#include "results/inspect_report.h"

namespace paretrain::results {

// The report in sections, at most 80 columns where names allow it; of the candidates the largest
// and the first pinned ones.
// Requires: one pin per candidate.
[[nodiscard]] std::string inspect_page(const InspectReport& report);

}  // namespace paretrain::results
