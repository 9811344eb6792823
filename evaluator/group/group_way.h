// Why: how a group is run is a handful of decisions. They are all that the cost of a group and the
// simulator that checks it have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "evaluator/group/tile.h"
#include "evaluator/group/tile_axis.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// How identical cores share an operator. Model: one kind for all operators of a group; an operator
// that lacks the loop takes the next kind that it has (docs/group-cost.md, splits).
enum class SplitKind { None, Columns, Rows };

// How far apart members that run on different cores work: one tile (each core is ahead of the next
// by a whole step, two tiles are held in between) or none (a tile passes through all members before
// the step ends, one is held: less has to be on chip).
enum class PipelineDepth { Stepped, InTurn };

// When weights and other tensors that no tile cuts are fetched again with every tile, in slices
// along an inner loop of their reader.
enum class Streaming { WhenTooLarge, Always };

// `tiles` and all that follows are those of one block. Shape: `cores` has one list of identical
// cores per member; `contents` likewise.
struct FusedWay {
  TileAxis axis;
  std::vector<std::span<const CoreId>> cores;
  std::vector<std::uint32_t> contents;
  std::vector<BlockCut> blocks;  // outermost first; empty: the group runs once
  SplitKind split = SplitKind::None;
  std::int64_t tiles = 1;
  PipelineDepth depth = PipelineDepth::Stepped;
  Streaming streaming = Streaming::WhenTooLarge;
};

// The operator's loops that are cut, outermost first; a tile runs `count` iterations of each.
struct SingleWay {
  std::vector<LoopCount> cuts;
  std::span<const CoreId> cores;
  std::uint32_t content = 0;
  SplitKind split = SplitKind::None;
};

// A fused way with what the working set made of it. Shape: by member; a slice is what a streamed
// tensor's reader runs at a time. `streamed` is by tensor of the group.
struct DecidedFusedWay {
  FusedWay way;
  std::vector<std::optional<LoopCount>> slices;
  std::vector<bool> streamed;
};

using GroupWay = std::variant<SingleWay, DecidedFusedWay>;

}  // namespace paretrain::evaluator
