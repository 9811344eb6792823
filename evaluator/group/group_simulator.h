// Why: the pipeline model that gives a group its latency makes assumptions: a fixed order within
// each step, tiles of equal size, transfers spread evenly. This plays the same decisions tile by
// tile and transfer by transfer, first come first served, and is what the model is measured
// against. It shares nothing with the model but the decisions, the cost of tiles on cores and of
// single transfers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/group_way.h"
#include "evaluator/group/tile_costs.h"

namespace paretrain::evaluator {

// Something that occupied a resource.
struct SimulatedUse {
  std::size_t task = 0;  // index into GroupSimulation::tasks
  ResourceId resource;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct GroupSimulation {
  std::int64_t latency = 0;
  EnergyBreakdown energy;
  std::int64_t offchip_bytes = 0;
  std::vector<std::int64_t> busy;  // cycles by resource
  std::vector<std::string> tasks;  // names, in order of creation
  std::vector<SimulatedUse> uses;  // in order of start
};

// Requires: a way that fits, as the group's choice gives it.
// Empty when a tile has no mapping.
[[nodiscard]] std::optional<GroupSimulation> simulated_group(const Chip& chip,
                                                             TileCosts& costs,
                                                             const GroupShape& group,
                                                             const GroupWay& way);

}  // namespace paretrain::evaluator
