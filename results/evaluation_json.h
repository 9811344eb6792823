// Why: scripts read an evaluation; this is all of it as one document.
#pragma once

#include <string>

#include "results/evaluation_report.h"

namespace paretrain::results {

// One JSON document, schema "paretrain-evaluation-1". Source of the keys: docs/formats.md.
[[nodiscard]] std::string evaluation_json(const EvaluationReport& report);

}  // namespace paretrain::results
