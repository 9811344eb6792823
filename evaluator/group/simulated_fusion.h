// Why: the tasks of a fused group, row by row; apart from those of a single operator, which is cut
// in other ways.
#pragma once

#include <optional>

#include "evaluator/group/group_simulator.h"

namespace paretrain::evaluator {

[[nodiscard]] std::optional<GroupSimulation> simulated_fusion(const Chip& chip,
                                                              TileCosts& costs,
                                                              const GroupShape& group,
                                                              const DecidedFusedWay& decided);

}  // namespace paretrain::evaluator
