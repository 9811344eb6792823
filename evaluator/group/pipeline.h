// Why: a group's latency is the makespan of its tiles over cores, links, buses and the off-chip
// memory, which serve whoever asks first. This plays tile after tile until nothing changes but the
// time, and extrapolates from there. Rules: docs/group-cost.md, pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/tile_pace.h"

namespace paretrain::evaluator {

// Items of a round that take as long as one another: all but the first and the last.
struct RoundCycles {
  std::int64_t first = 0;
  std::int64_t others = 0;
  std::int64_t last = 0;
  friend bool operator==(const RoundCycles&, const RoundCycles&) = default;
};

// A stage occupies a resource for that long per item. The last item may be ragged. Where rounds
// have several items, `rounds` and `last_round` say how long they take, and the rest is not used.
struct StageUse {
  ResourceId resource;
  std::int64_t cycles = 0;
  std::int64_t last_cycles = 0;
  RoundCycles rounds = {};
  RoundCycles last_round = {};
  // What the first of several items, or of several rounds, takes more than the others; may be less.
  std::int64_t first_more = 0;
  RoundCycles first_round_more = {};
  friend bool operator==(const StageUse&, const StageUse&) = default;
};

// Item t waits for the end of item min(pace.tile(t / per) × times + lag, last) of another stage, or
// of an earlier item of its own; when that is negative for nothing.
struct StageWait {
  std::size_t stage = 0;
  std::int64_t lag = 0;
  std::int64_t per = 1;
  std::int64_t times = 1;
  TilePace pace = {};
};

// Item t takes the buffer of item t / per × times - slots of a later stage and waits for its end.
struct StageRoom {
  std::size_t stage = 0;
  std::int64_t slots = 2;
  std::int64_t per = 1;
  std::int64_t times = 1;
};

// A group that runs in blocks does some things with the first or the last of them only.
enum class Occurrence { EveryBlock, FirstBlock, LastBlock };

// Something done again and again: a fetch, an operator, a transfer, a store, once a tile or in
// pieces of a tile. All uses of an item begin together; it ends with the longest.
struct Stage {
  std::int64_t tiles = 1;  // items
  std::int64_t level = 0;  // of items that ask at once, that of the smaller level + tile goes first
  std::vector<StageUse> uses;
  std::vector<StageWait> waits;
  std::vector<StageRoom> rooms;
  Occurrence occurrence = Occurrence::EveryBlock;
  std::int64_t round = 1;      // items in a round: the pieces of a tile
  std::int64_t order_per = 1;  // item t belongs to tile t / order_per × order_times
  std::int64_t order_times = 1;
};

// Cycles that nothing exceeds.
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

struct Makespan {
  std::int64_t cycles = 0;
  std::int64_t items_taken = 0;    // the others were extrapolated
  std::vector<std::int64_t> busy;  // by resource
};

// First come, first served: of the items that have all they wait for, the one that has had it
// longest is next (ties by tile, then by order of the stages); it begins when its resources are
// free.
// Shape: `resources` is the number of resources of the chip. Requires: no cycle of waits.
// Cost: stages × items until the pipeline is periodic, stages × items at most.
// Beyond `limit` the cycles are some number above it.
[[nodiscard]] Makespan makespan(std::span<const Stage> stages,
                                std::size_t resources,
                                std::int64_t limit = kNoLimit);

// The same, taking every item.
[[nodiscard]] Makespan makespan_by_items(std::span<const Stage> stages, std::size_t resources);

// Never more than makespan(), and never less when a stage takes longer: stages do not get in each
// other's way. Beyond `limit` some number above it that the makespan is not below either.
[[nodiscard]] std::int64_t least_makespan(std::span<const Stage> stages,
                                          std::size_t resources,
                                          std::int64_t limit = kNoLimit);

// Model: a block begins when the one before has ended. Stages that do not occur in a block take no
// time in it. Requires: blocks at least 1. Beyond `limit` the cycles are some number above it.
[[nodiscard]] Makespan makespan_of_blocks(std::span<const Stage> stages,
                                          std::size_t resources,
                                          std::int64_t blocks,
                                          std::int64_t limit = kNoLimit);

// Beyond `limit` some number above it that the makespan is not below either.
[[nodiscard]] std::int64_t least_makespan_of_blocks(std::span<const Stage> stages,
                                                    std::size_t resources,
                                                    std::int64_t blocks,
                                                    std::int64_t limit = kNoLimit);

// What the busiest resource of every block is occupied for: never more than the above.
[[nodiscard]] std::int64_t busiest_cycles_of_blocks(std::span<const Stage> stages,
                                                    std::size_t resources,
                                                    std::int64_t blocks);

}  // namespace paretrain::evaluator
