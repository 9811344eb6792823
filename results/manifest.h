// Why: a run folder says by itself what was computed, from which inputs, with which program, and
// how far it came; time and machine appear here and in no other file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/search_state.h"
#include "results/run_snapshot.h"

namespace paretrain::results {

enum class RunStatus { Running, Done, Interrupted, Infeasible };

struct CountedWarning {
  std::string text;
  std::int64_t count = 1;
};

// Collects equal warnings under one text, in order of first appearance.
void add_warning(std::vector<CountedWarning>& warnings, const std::string& text);

// How good a front is against what one would do by hand.
struct HypervolumeSummary {
  std::vector<double> reference_point;  // in the order of the objectives
  double front = 0;                     // shares of the product of the reference point
  double baselines = 0;
};

struct MachineSummary {
  std::string host;
  std::string started;   // UTC, ISO 8601
  std::string finished;  // empty while running
  double seconds = 0;    // of this program run
  std::int64_t threads = 0;
  std::int64_t processors = 0;
};

struct ProblemSummary {
  std::string name;
  std::int64_t genes = 0;
  std::int64_t keep_genes = 0;
  std::int64_t fusion_genes = 0;
  std::int64_t free_genes = 0;
};

struct RunManifest {
  RunIdentity identity;
  RunStatus status = RunStatus::Running;
  std::string stop;  // why it ended, for people; empty while running
  ProblemSummary problem;
  std::uint64_t generation = 0;
  std::uint64_t resumptions = 0;
  engine::SearchStatistics statistics;
  std::int64_t front = 0;  // plans in front.csv
  std::optional<HypervolumeSummary> hypervolume;
  std::optional<std::int64_t> smallest_memory_bytes;  // of a feasible plan, or that would do
  std::optional<std::int64_t> knee;                   // its number in front.csv
  std::optional<std::uint64_t> genomes;               // of `enumerate`
  std::optional<std::uint64_t> canonical_genomes;
  std::vector<CountedWarning> warnings;
  MachineSummary machine;
};

// 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

// One JSON document, keys in a fixed order (docs/formats.md). 64-bit fingerprints are texts.
[[nodiscard]] std::string manifest_json(const RunManifest& manifest);

}  // namespace paretrain::results
