// Why: one row of all samples, or of all channels, may be more than a core holds. A group can then
// run block by block (a sample, some channels), each block cut along the group's axis like a group
// of its own. This is that smaller group. Rules: docs/group-cost.md, blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/tile_axis.h"

namespace paretrain::evaluator {

// One block of a group. The members of `shape` point into `operators`, whose nests and accesses
// are those of a block; movable only.
struct BlockedGroup {
  BlockedGroup() = default;
  BlockedGroup(const BlockedGroup&) = delete;
  BlockedGroup& operator=(const BlockedGroup&) = delete;
  BlockedGroup(BlockedGroup&&) noexcept = default;
  BlockedGroup& operator=(BlockedGroup&&) noexcept = default;
  ~BlockedGroup() = default;

  std::vector<Operator> operators;
  GroupShape shape;
};

// Empty when a member's loop or a tensor cannot be parted equally: a window along the loop, a
// remainder, or accesses of one tensor of which some are cut and others are not.
[[nodiscard]] std::optional<BlockedGroup> blocked_group(const GroupShape& group,
                                                        std::span<const BlockCut> cuts);

// The cuts into blocks that are compared, not counting "one block": they do not depend on the
// hardware. Shape: each is a list of cuts, outermost first.
[[nodiscard]] std::vector<std::vector<BlockCut>> block_cuts(const GroupShape& group);

// The axes along which a block can be cut into tiles: those of the block as a group, without those
// by which the blocks are made, and without those that would leave partial sums between blocks.
[[nodiscard]] std::vector<TileAxis> axes_within_blocks(const BlockedGroup& block,
                                                       std::span<const BlockCut> cuts);

// The tile's counts of the whole operator's loops: what a tile does not cut further runs as far as
// the block does.
[[nodiscard]] std::vector<LoopCount> counts_of_whole(const GroupMember& member,
                                                     std::vector<LoopCount> counts);

}  // namespace paretrain::evaluator
