// Why: how the members of a group are cut into tiles and shared out over cores is asked both by the
// working set and by the pipeline, and must be the same answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/fused_outline.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/schedule.h"
#include "evaluator/group/tile.h"
#include "evaluator/group/tile_pace.h"

namespace paretrain::evaluator {

// A member cut along the group's axis.
struct MemberTiling {
  Loop axis = Loop::B;
  std::int64_t rows = 1;  // iterations of the axis a tile
  std::int64_t last_rows = 1;
  std::int64_t tiles = 1;
  CoreSplit split;
  std::vector<CoreId> cores;        // in use
  std::vector<LoopCount> tile;      // of all cores together
  std::vector<LoopCount> per_core;  // of the first core
  std::int64_t level = 1;           // steps behind the first fetch
  // Iterations of an inner loop in a slice, when something is streamed through the member.
  std::optional<LoopCount> slice;
  std::int64_t slices = 1;
};

// From a member that makes a tensor, or adds to it, to one that reads it or adds to it later.
struct InnerEdge {
  std::size_t tensor = 0;
  std::size_t from = 0;
  std::size_t to = 0;
  const Access* made = nullptr;
  const Access* used = nullptr;
  std::int64_t lag = 0;         // the largest over all tiles
  TilePace pace;                // which of the maker's tiles each tile waits for
  bool moves = false;           // some core needs bytes that another core's memory holds
  std::int64_t halo_bytes = 0;  // of a neighbour's, when only those move
  bool same_cores = false;      // runs on the maker's cores, one after another
};

// Shape: one tiling per member; edges in order of `to`, then tensor.
struct TiledGroup {
  std::vector<MemberTiling> members;
  std::vector<InnerEdge> edges;
  // Tiles of a buffer between members on different cores: two when stepped, one in turn.
  std::int64_t buffers = 2;
};

[[nodiscard]] TiledGroup tiled_group(const Chip& chip,
                                     const GroupShape& group,
                                     const FusedWay& way);

// The memory of an access on a core: that of its operand; of an unnamed one that of I when it is
// read and that of O when it is written.
[[nodiscard]] NestOperand operand_of_read(const Access& access);
[[nodiscard]] NestOperand operand_of_write(const Access& access);

}  // namespace paretrain::evaluator
