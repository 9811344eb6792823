// Why: how an operator on its own is cut and shared out over cores is asked both by its working set
// and by its pipeline, and must be the same answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/group/group_way.h"
#include "evaluator/group/schedule.h"
#include "evaluator/group/single_visits.h"

namespace paretrain::evaluator {

struct SingleTiling {
  std::vector<LoopCut> cuts;  // outermost first
  std::vector<LoopCount> tile;
  std::vector<LoopCount> per_core;  // of the first core
  CoreSplit split;
  std::vector<CoreId> cores;  // in use
  std::int64_t steps = 1;     // tiles of all cuts together
  bool partial = false;       // a cut loop is summed over
  double growth = 1;          // partial sums are so much wider than results

  // The loop that counts as rows.
  [[nodiscard]] std::optional<Loop> axis() const;
};

[[nodiscard]] SingleTiling single_tiling(const Operator& op, const SingleWay& way);

[[nodiscard]] std::int64_t widened_sums(std::int64_t bytes, double growth);

}  // namespace paretrain::evaluator
