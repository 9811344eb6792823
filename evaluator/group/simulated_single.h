// Why: the tasks of one operator that is cut along several loops, in the order in which those run.
#pragma once

#include <optional>

#include "evaluator/group/group_simulator.h"

namespace paretrain::evaluator {

[[nodiscard]] std::optional<GroupSimulation> simulated_single(const Chip& chip,
                                                              TileCosts& costs,
                                                              const GroupShape& group,
                                                              const SingleWay& way);

}  // namespace paretrain::evaluator
