// Why: which operators run under the keep genes of a genome, in which order they would run unfused,
// and what must come before what: the plain evaluator and the brute force over groupings both start
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/plan/group_model.h"
#include "tests/slow/plain_step.h"

namespace paretrain::tests {

// Copy 2 s is storage s as it is made first, 2 s + 1 what a recompute makes of it.
struct PlainRuns {
  std::vector<PlainRun> runs;                     // by original position
  std::vector<std::vector<std::size_t>> reads;    // copies, per run
  std::vector<std::vector<std::size_t>> makes;    // copies, per run
  std::vector<std::vector<std::size_t>> readers;  // runs, per copy
  std::vector<std::vector<std::size_t>> makers;
  // Per run what must come before it, and one name more: a barrier behind all forward operators and
  // before all others.
  std::vector<std::vector<std::size_t>> before;

  [[nodiscard]] std::size_t barrier() const { return runs.size(); }

  [[nodiscard]] std::optional<std::size_t> place(const PlainRun& run) const;
};

// Shape: one 0 or 1 per gene; only keep genes matter.
[[nodiscard]] PlainRuns plain_runs(const PlainStep& step, std::span<const std::uint8_t> genes);

// Both ends of a fusion gene run, and of a recompute the consumer reads something.
[[nodiscard]] bool is_active(const PlainRuns& plan, const PlainGene& gene);

// Shape: group[r] names the group of run r, and of the barrier, by its first run.
// Whether groups wait for each other in a circle.
[[nodiscard]] bool is_cyclic(const PlainRuns& plan, const std::vector<std::size_t>& group);

// What the group model sees of a run.
[[nodiscard]] evaluator::RunningOperator running_operator(const PlainStep& step,
                                                          const PlainRuns& plan,
                                                          std::size_t run);

}  // namespace paretrain::tests
