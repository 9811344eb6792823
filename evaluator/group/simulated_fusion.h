// Why: the tasks of a fused group, row by row; apart from those of a single operator, which is cut
// in other ways.
#pragma once

#include <optional>

#include "evaluator/group/group_simulator.h"

namespace paretrain::evaluator {

// Which of the group's blocks is played: what no block has a part of its own of is fetched before
// the first and stored after the last.
struct PlayedBlock {
  bool first = true;
  bool last = true;
};

// `group` is the group, or the block of it that is played.
[[nodiscard]] std::optional<GroupSimulation> simulated_fusion(const Chip& chip,
                                                              TileCosts& costs,
                                                              const GroupShape& group,
                                                              const DecidedFusedWay& decided,
                                                              const PlayedBlock& block);

}  // namespace paretrain::evaluator
