#include "tests/results/some_snapshot.h"

#include <cstdint>
#include <limits>

namespace paretrain::tests {

namespace {

engine::Individuals some_individuals() {
  engine::Individuals rows;
  rows.words_per_genome = 2;
  rows.objective_count = 2;
  rows.words = {1, ~std::uint64_t{0}, 3, 4};
  rows.objectives = {0.1, 1e-300, 1.0 / 3.0, -0.0};
  rows.violations = {0, 2.5};
  return rows;
}

}  // namespace

results::RunSnapshot some_snapshot() {
  results::RunSnapshot snapshot;
  snapshot.identity.command = "optimize";
  snapshot.identity.program_version = "1.2.3";
  snapshot.identity.options = {{"seed", {"7"}}, {"keep", {"a*", "b c"}}};
  snapshot.identity.inputs = {{"model", "net.onnx", "/far/net.onnx", "00ff"}};
  snapshot.identity.problem_fingerprint = 0xfedcba9876543210;
  snapshot.identity.space_fingerprint = 5;
  snapshot.identity.objectives = {"latency_cycles", "peak_memory_bytes"};
  snapshot.state.generation = 1;
  snapshot.state.population = some_individuals();
  snapshot.state.archive = some_individuals();
  snapshot.state.ranks = {0, 1};
  snapshot.state.crowding = {std::numeric_limits<double>::infinity(), 0.25};
  snapshot.state.seen.recent = {9, 8, 7};
  snapshot.state.statistics.evaluations = 40;
  snapshot.state.best_hypervolume = 0.7;
  snapshot.state.last_progress = 1;
  snapshot.state.walked = 77;
  engine::GenerationReport report;
  report.evaluations = 20;
  snapshot.history.push_back(report);
  report.generation = 1;
  report.hypervolume = 0.1;
  report.least_violation = 3;
  report.best = {0.1, 64};
  snapshot.history.push_back(report);
  return snapshot;
}

}  // namespace paretrain::tests
