// Why: front.csv and baselines.csv have one layout, which scripts rely on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problems/plan_problem.h"

namespace paretrain::results {

// One plan as a row of a table.
struct PlanRow {
  std::string name;  // of a baseline or of a plan: "keep-all", "17"
  problems::PlanEvaluation evaluation;
  std::string genome;  // text form
};

// "latency_cycles", "energy_pj", "peak_memory_bytes".
struct ObjectiveColumns {
  std::string latency;
  std::string energy;
  std::string memory = "peak_memory_bytes";
};

[[nodiscard]] ObjectiveColumns objective_columns(const problems::PlanUnits& units);

// Energy in decimal notation: whole numbers below 2^53 without an exponent, others by the shortest
// text that reads back the same.
[[nodiscard]] std::string energy_text(double energy);

// `plan,latency_…,energy_…,peak_memory_bytes,recomputed,groups,offchip_bytes,recompute_macs,genome`;
// `plan` counts from 0 in the order of the rows.
[[nodiscard]] std::string front_csv(const problems::PlanUnits& units,
                                    std::span<const PlanRow> rows);

// The same columns after `name` in place of `plan`.
[[nodiscard]] std::string baselines_csv(const problems::PlanUnits& units,
                                        std::span<const PlanRow> rows);

}  // namespace paretrain::results
