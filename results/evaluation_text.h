// Why: people read an evaluation; this is the page that says where its numbers come from.
#pragma once

#include <string>

#include "results/evaluation_report.h"

namespace paretrain::results {

// The largest entries of each list only.
[[nodiscard]] std::string evaluation_page(const EvaluationReport& report);

}  // namespace paretrain::results
