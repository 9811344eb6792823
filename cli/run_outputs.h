// Why: all commands that search end alike: the files of the folder, the table against the
// baselines, and the smallest memory that would do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/plan_run.h"
#include "engine/search.h"
#include "results/manifest.h"
#include "results/plan_table.h"

namespace paretrain::cli {

// What a search found.
struct RunOutcome {
  std::vector<results::PlanRow> front;
  std::vector<problems::PlanEvaluation> others;  // plans of the last population, for the picture
  std::vector<engine::GenerationReport> history;
  // Peak of the plan that missed the limit by least, when nothing is feasible.
  std::optional<std::int64_t> least_infeasible_bytes;
};

[[nodiscard]] std::vector<results::PlanRow> feasible_rows(
    const std::vector<results::PlanRow>& rows);

// Fills in what the outcome says.
void complete_manifest(results::RunManifest& manifest,
                       const PlanRun& run,
                       const RunOutcome& outcome);

// Warns, in the manifest too, of a --reference that says nothing about the front.
// Requires: complete_manifest() before.
void warn_of_reference(results::RunManifest& manifest, const PlanRun& run, Terminal& terminal);

// front.csv, baselines.csv and history.csv. Errors: IoError.
void write_tables(const results::RunFolder& folder, const PlanRun& run, const RunOutcome& outcome);

// pareto.svg and report.html. Errors: IoError.
void write_pictures(const results::RunFolder& folder,
                    const PlanRun& run,
                    const results::RunManifest& manifest,
                    const RunOutcome& outcome);

// For people: the chosen plans of the front and the baselines, relative to keep-all, then
// hypervolumes and the smallest memory.
[[nodiscard]] std::string outcome_text(const PlanRun& run,
                                       const results::RunManifest& manifest,
                                       const RunOutcome& outcome);

}  // namespace paretrain::cli
