// Why: the tiles of a fused group's members are tasks before anything moves between them; who waits
// for whom, and what is moved when, is another question.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/group_way.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/simulated_tasks.h"
#include "evaluator/group/tile_costs.h"

namespace paretrain::evaluator {

// The tasks of one tile of a member: one, or one per slice.
struct TileTasks {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t slices = 0;
};

struct SimulatedMember {
  std::vector<TileTasks> tiles;
  std::vector<std::size_t> pieces;  // slices of all tiles, in order

  // The last task of every tile.
  [[nodiscard]] std::vector<std::size_t> ends() const;
};

// Adds the tasks of all members, each waiting for the one before, and their energy.
// Empty when a tile has no mapping.
[[nodiscard]] std::optional<std::vector<SimulatedMember>> simulated_members(
    const Chip& chip,
    TileCosts& costs,
    const GroupShape& group,
    const DecidedFusedWay& decided,
    const TiledGroup& tiling,
    TaskList& tasks);

// A member's access along the group's axis, in elements of the storage.
struct Sweep {
  Slide slide;
  std::int64_t stride = 1;
  std::int64_t rows = 1;
  std::int64_t size = 1;

  // Everything before this offset is touched once the tile has run.
  [[nodiscard]] std::int64_t read_until(std::int64_t tile) const;
  // Everything before this offset is complete once the tile has run.
  [[nodiscard]] std::int64_t made_until(std::int64_t tile) const;
};

// Empty when the axis does not index the tensor.
[[nodiscard]] std::optional<Sweep> sweep_of(const Access& access,
                                            const LoopNest& nest,
                                            const MemberTiling& tiling);

}  // namespace paretrain::evaluator
