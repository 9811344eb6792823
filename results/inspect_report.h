// Why: what a training step holds, for people to read and for scripts to compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluator/graph/training_step.h"

namespace paretrain::results {

// The step's static bytes and peak against an accelerator's memory.
struct MemoryFit {
  std::string accelerator;
  Bytes capacity;
};

struct InspectReport {
  evaluator::StepSummary summary;
  std::vector<evaluator::UnsupportedOperator> unsupported;
  std::vector<std::string> warnings;
  std::optional<MemoryFit> memory;
};

// One JSON document, schema 1. Source of the keys: docs/training-graph.md, The report.
[[nodiscard]] std::string inspect_json(const InspectReport& report);

// The same in sections, at most 80 columns where names allow it; the largest candidates only.
[[nodiscard]] std::string inspect_page(const InspectReport& report);

}  // namespace paretrain::results
