// Why: what a training step holds, for people to read and for scripts to compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/graph/training_step.h"
#include "problems/plan_memory.h"

namespace paretrain::results {

// The off-chip memory of an accelerator.
struct MemoryFit {
  std::string accelerator;
  Bytes capacity;
};

struct FusionGenes {
  std::int64_t free = 0;
  std::int64_t pinned = 0;
  std::int64_t max_group_length = 1;  // operators
};

// What the options leave to a search, and what they hold.
struct PlanChoices {
  std::vector<std::string> objectives;
  std::string checkpointing = "search";
  std::string fusion = "search";
  std::vector<std::optional<bool>> keep_pins;  // by candidate: held at keep or not; empty: free
  std::optional<FusionGenes> fusion_genes;     // empty: not known without an accelerator
};

struct KeepGenes {
  std::int64_t free = 0;
  std::int64_t kept = 0;
  std::int64_t recomputed = 0;
};

[[nodiscard]] KeepGenes keep_genes(const PlanChoices& plans);

struct InspectReport {
  evaluator::StepSummary summary;
  std::vector<evaluator::UnsupportedOperator> unsupported;
  std::vector<std::string> warnings;
  std::optional<MemoryFit> memory;
  problems::PlanMemory need;
  std::optional<Bytes> memory_limit;  // --memory-limit
  PlanChoices plans;
};

[[nodiscard]] std::string_view phase_name(evaluator::Phase phase);

// One JSON document, schema 1. Source of the keys: docs/training-graph.md, The report.
// Requires: one pin per candidate.
[[nodiscard]] std::string inspect_json(const InspectReport& report);

}  // namespace paretrain::results
