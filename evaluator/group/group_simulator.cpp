#include "evaluator/group/group_simulator.h"

#include "base/check.h"
#include "evaluator/group/blocked_group.h"
#include "evaluator/group/simulated_fusion.h"
#include "evaluator/group/simulated_single.h"

namespace paretrain::evaluator {
namespace {

// What is played after all that has been played so far.
void append(GroupSimulation& whole, const GroupSimulation& block) {
  const std::size_t tasks = whole.tasks.size();
  for (SimulatedUse use : block.uses) {
    use.task += tasks;
    use.start += whole.latency;
    use.end += whole.latency;
    whole.uses.push_back(use);
  }
  whole.tasks.insert(whole.tasks.end(), block.tasks.begin(), block.tasks.end());
  whole.busy.resize(block.busy.size(), 0);
  for (std::size_t r = 0; r < block.busy.size(); ++r)
    whole.busy[r] += block.busy[r];
  whole.latency += block.latency;
  whole.offchip_bytes += block.offchip_bytes;
  whole.energy.compute += block.energy.compute;
  whole.energy.on_chip += block.energy.on_chip;
  whole.energy.off_chip += block.energy.off_chip;
  whole.energy.links += block.energy.links;
}

// Block after block, each when the one before has ended.
std::optional<GroupSimulation> simulated_blocks(const Chip& chip,
                                                TileCosts& costs,
                                                const GroupShape& group,
                                                const DecidedFusedWay& decided) {
  const auto block = blocked_group(group, decided.way.blocks);
  CHECK(block.has_value(), "a chosen cut into blocks is none");
  GroupSimulation whole;
  for (std::int64_t b = 0; b < block->shape.blocks; ++b) {
    const PlayedBlock place{b == 0, b + 1 == block->shape.blocks};
    const auto played = simulated_fusion(chip, costs, block->shape, decided, place);
    if (!played) return std::nullopt;
    append(whole, *played);
  }
  return whole;
}

}  // namespace

std::optional<GroupSimulation> simulated_group(const Chip& chip,
                                               TileCosts& costs,
                                               const GroupShape& group,
                                               const GroupWay& way) {
  if (const auto* single = std::get_if<SingleWay>(&way))
    return simulated_single(chip, costs, group, *single);
  const auto& fused = std::get<DecidedFusedWay>(way);
  if (!fused.way.blocks.empty()) return simulated_blocks(chip, costs, group, fused);
  return simulated_fusion(chip, costs, group, fused, {});
}

}  // namespace paretrain::evaluator
