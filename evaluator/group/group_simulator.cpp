#include "evaluator/group/group_simulator.h"

#include "evaluator/group/simulated_fusion.h"
#include "evaluator/group/simulated_single.h"

namespace paretrain::evaluator {

std::optional<GroupSimulation> simulated_group(const Chip& chip,
                                               TileCosts& costs,
                                               const GroupShape& group,
                                               const GroupWay& way) {
  if (const auto* single = std::get_if<SingleWay>(&way))
    return simulated_single(chip, costs, group, *single);
  return simulated_fusion(chip, costs, group, std::get<DecidedFusedWay>(way));
}

}  // namespace paretrain::evaluator
