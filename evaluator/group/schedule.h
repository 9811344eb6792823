// Why: the ways to run a group (tiles, cuts, splits over cores) are compared by the same measure.
// An outline has everything but the cost of tiles on cores, so most ways can be ruled out before
// any mapping is searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/chip.h"
#include "evaluator/group/group_way.h"
#include "evaluator/group/pipeline.h"
#include "evaluator/group/tile_costs.h"
#include "evaluator/group/transfers.h"

namespace paretrain::evaluator {

// A tile shape that occurs `times` in all tiles and cores together.
struct TileVariant {
  std::vector<LoopCount> counts;
  std::int64_t times = 1;
};

// What the cores do at a time, as indices of variants: the first core's tile and that of the last
// core, which may be smaller and yet, mapped worse, take longer.
struct SharedTile {
  std::size_t first_core = 0;
  std::size_t last_core = 0;
};

struct RepeatedTile {
  SharedTile tile;
  std::int64_t times = 1;
};

// One operator's part of an outline. `full` and `edge` set the time of all and of the last of a
// round, `last_round` and `last` of the last round. Where tiles of many shapes take turns every one
// of them counts as their mean.
struct OperatorRun {
  CostedOperator op;
  CoreId core;
  std::size_t stage = 0;
  std::vector<TileVariant> variants;
  SharedTile full;
  SharedTile edge;
  SharedTile last_round;
  SharedTile last;
  std::vector<RepeatedTile> turns;  // empty: the above say it
};

// What a way of running the group does. Stage times of operators are lower bounds until they are
// costed.
struct GroupOutline {
  std::vector<Stage> stages;
  std::vector<OperatorRun> runs;
  EnergyBreakdown energy;  // of transfers
  std::int64_t offchip_bytes = 0;
  std::int64_t tiles = 1;  // of all blocks
  std::int64_t inner_tiles = 1;
  std::int64_t blocks = 1;
  std::string axis;
  SplitKind split = SplitKind::None;
  GroupWay way;
};

// What a group costs when it runs in the way outlined.
struct ScheduleCost {
  std::int64_t latency = 0;
  EnergyBreakdown energy;
  std::int64_t offchip_bytes = 0;
};

// At most what costed() answers, in latency (the busiest resource) and in energy.
[[nodiscard]] ScheduleCost least_cost(const Chip& chip, const GroupOutline& outline);

// Likewise, with what waits for what; not below least_cost(), and dearer.
// Beyond `limit` some number above it that the latency is not below either.
[[nodiscard]] std::int64_t least_latency(const Chip& chip,
                                         const GroupOutline& outline,
                                         std::int64_t limit = kNoLimit);

// Searches the mapping of one of an operator's tiles and adds what it needs on chip to `energy`.
// Shape: `cycles` by variant, of which that one is set. False when the tile has no mapping.
[[nodiscard]] bool find_tile(TileCosts& costs,
                             const OperatorRun& run,
                             std::size_t variant,
                             std::vector<std::int64_t>& cycles,
                             EnergyBreakdown& energy);

// What costed() answers as energy, to the last bit. Empty when a tile has no mapping.
[[nodiscard]] std::optional<EnergyBreakdown> energy_of_tiles(TileCosts& costs,
                                                             const GroupOutline& outline);

// At most what mappings of the operator's tiles take. Shape: by variant.
[[nodiscard]] std::vector<std::int64_t> least_cycles(const TileCosts& costs,
                                                     const OperatorRun& run);

// The longest latency that is of interest to the caller, from the energy in pJ.
using LatencyLimit = std::function<std::int64_t(double energy)>;

// Searches the tiles' mappings and fills the operator stages in. Empty when a tile has no mapping
// or the latency is beyond the limit.
[[nodiscard]] std::optional<ScheduleCost> costed(const Chip& chip,
                                                 TileCosts& costs,
                                                 GroupOutline& outline,
                                                 const LatencyLimit& limit = {});

// Whether the tiles have mappings. Fills nothing in.
[[nodiscard]] bool has_mappings(TileCosts& costs, const GroupOutline& outline);

// Sets the operator's stage times. Shape: cycles by variant.
void set_operator_cycles(const Chip& chip,
                         Stage& stage,
                         const OperatorRun& run,
                         std::span<const std::int64_t> cycles);

// Adds the energy of a transfer that happens `times`.
void add_energy(EnergyBreakdown& energy, const TransferCost& cost, std::int64_t times);

// What the items of a round move.
struct RoundTransfers {
  TransferCost first;
  TransferCost others;
  TransferCost last;
};

// Uses of a stage from what its items move; all but the last move as much as one another.
[[nodiscard]] std::vector<StageUse> stage_uses(const TransferCost& full, const TransferCost& last);
// The same where the first one differs, too.
[[nodiscard]] std::vector<StageUse> stage_uses(const RoundTransfers& items);
// The same where rounds have several items.
[[nodiscard]] std::vector<StageUse> stage_uses(const RoundTransfers& first_round,
                                               const RoundTransfers& rounds,
                                               const RoundTransfers& last_round);

// A loop shared by identical cores: every core but the last runs `share` iterations.
struct CoreSplit {
  std::optional<Loop> loop;  // empty: one core
  std::int64_t cores = 1;    // in use
  std::int64_t share = 1;
  std::int64_t last_share = 1;
};

// `counts` are the tile's cut loops; `axis` is the loop that counts as rows.
[[nodiscard]] CoreSplit core_split(const Operator& op,
                                   std::span<const LoopCount> counts,
                                   std::optional<Loop> axis,
                                   SplitKind kind,
                                   std::size_t cores);

// The tile of one core.
[[nodiscard]] std::vector<LoopCount> core_counts(std::span<const LoopCount> counts,
                                                 const CoreSplit& split,
                                                 std::int64_t share);

}  // namespace paretrain::evaluator
