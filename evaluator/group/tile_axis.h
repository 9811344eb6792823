// Why: operators can share tiles only when one axis of the tensors that pass between them can be
// cut for all of them. Which loop of each operator that is, is found by following dimensions
// through the tensors. Rules: docs/group-cost.md, tile axis.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/tile.h"
#include "evaluator/group/tile_pace.h"

namespace paretrain::evaluator {

// Shape: one loop per member of the group.
struct TileAxis {
  std::vector<Loop> loops;
  friend bool operator==(const TileAxis&, const TileAxis&) = default;
};

// A group cut along an axis of all its members into equal parts that run one after another.
struct BlockCut {
  TileAxis axis;
  std::int64_t parts = 1;
  friend bool operator==(const BlockCut&, const BlockCut&) = default;
};

// All axes along which every member can be cut, in order of the first member's loops. Batch, rows
// and tokens, heads; output channels (K) when a member is an update. Empty: not a legal group.
// Requires: at least two members.
[[nodiscard]] std::vector<TileAxis> tile_axes(const GroupShape& group);

// The axes along which a group may be cut into blocks: those of batch, heads, groups and channels.
[[nodiscard]] std::vector<TileAxis> block_axes(const GroupShape& group);

// Whether two accesses of one storage, each cut along a loop of its own operator, mean the same
// slabs of it.
[[nodiscard]] bool are_cut_alike(const Access& a,
                                 const std::optional<Slide>& along_a,
                                 const Access& b,
                                 const std::optional<Slide>& along_b);

// How many tiles later than the consumer's the producer's tile must be done, at most over all
// tiles, when the producer runs `producer_rows` and the consumer `consumer_rows` iterations a tile.
// Shape: the accesses of one tensor by its maker and by a reader, and the loops that cut them.
struct TileDependence {
  const Access* made = nullptr;
  const LoopNest* maker = nullptr;
  Loop maker_loop = Loop::B;
  const Access* read = nullptr;
  const LoopNest* reader = nullptr;
  Loop reader_loop = Loop::B;
};

// Which of the producer's tiles each of the consumer's needs; those beyond the last mean the last.
[[nodiscard]] TilePace tile_pace(const TileDependence& dependence,
                                 std::int64_t producer_rows,
                                 std::int64_t consumer_rows);

[[nodiscard]] std::int64_t tile_lag(const TileDependence& dependence,
                                    std::int64_t producer_rows,
                                    std::int64_t consumer_rows);

}  // namespace paretrain::evaluator
