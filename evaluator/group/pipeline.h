// Why: a group's latency is the makespan of its tiles over cores, links, buses and the off-chip
// memory. This steps tile after tile until nothing changes but the time, and extrapolates from
// there. Formulas: docs/group-cost.md, pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/group/chip.h"

namespace paretrain::evaluator {

// A stage occupies a resource for that long per tile. The last tile may be ragged.
struct StageUse {
  ResourceId resource;
  std::int64_t cycles = 0;
  std::int64_t last_cycles = 0;
};

// Tile t waits for the end of tile min(t + lag, last) of an earlier stage.
struct StageWait {
  std::size_t stage = 0;
  std::int64_t lag = 0;
};

// Tile t reuses the buffer of tile t - slots of a later stage and waits for its end.
struct StageRoom {
  std::size_t stage = 0;
  std::int64_t slots = 2;
};

// A group that runs in blocks does some things with the first or the last of them only.
enum class Occurrence { EveryBlock, FirstBlock, LastBlock };

// Something done once a tile: a fetch, an operator, a transfer, a store. All its uses begin
// together; it ends with the longest.
struct Stage {
  std::int64_t tiles = 1;
  std::int64_t level = 0;  // tile t is taken in step level + t; at least that of what it waits for
  std::vector<StageUse> uses;
  std::vector<StageWait> waits;
  std::vector<StageRoom> rooms;
  Occurrence occurrence = Occurrence::EveryBlock;
};

struct Makespan {
  std::int64_t cycles = 0;
  std::int64_t steps_taken = 0;    // the others were extrapolated
  std::vector<std::int64_t> busy;  // by resource
};

// Shape: stages in an order in which every wait at the same level points backwards;
// `resources` is the number of resources of the chip.
// Cost: stages × steps until the pipeline is periodic, stages × steps at most.
[[nodiscard]] Makespan makespan(std::span<const Stage> stages, std::size_t resources);

// The same, stepping through every tile.
[[nodiscard]] Makespan makespan_by_steps(std::span<const Stage> stages, std::size_t resources);

// Model: a block begins when the one before has ended. Stages that do not occur in a block take no
// time in it. Requires: blocks at least 1.
[[nodiscard]] Makespan makespan_of_blocks(std::span<const Stage> stages,
                                          std::size_t resources,
                                          std::int64_t blocks);

}  // namespace paretrain::evaluator
