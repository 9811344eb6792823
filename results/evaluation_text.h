// Why: an evaluation is read by scripts and by people; both get everything that was found out.
#pragma once

#include <string>

#include "results/evaluation_report.h"

namespace paretrain::results {

// One JSON document, schema "paretrain-evaluation-1". Source of the keys: docs/formats.md.
[[nodiscard]] std::string evaluation_json(const EvaluationReport& report);

// The same for people, the largest entries of each list only.
[[nodiscard]] std::string evaluation_page(const EvaluationReport& report);

}  // namespace paretrain::results
