// Why: one way of running several operators tile by tile: where each runs, what moves between them,
// what has to fit on chip at once, and the pipeline that results. Formulas: docs/group-cost.md,
// groups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/schedule.h"
#include "evaluator/group/tile_axis.h"

namespace paretrain::evaluator {

// How far apart members that run on different cores work: one tile (each core is ahead of the next
// by a whole step, two tiles are held in between) or none (a tile passes through all members before
// the step ends, one is held: less has to be on chip).
enum class PipelineDepth { Stepped, InTurn };

// When weights and other tensors that no tile cuts are fetched again with every tile, in slices
// along an inner loop of their reader.
enum class Streaming { WhenTooLarge, Always };

// Shape: `cores` has one list of identical cores per member; `contents` likewise.
struct FusedWay {
  TileAxis axis;
  std::vector<std::span<const CoreId>> cores;
  std::span<const std::uint32_t> contents;
  SplitKind split = SplitKind::None;
  std::int64_t tiles = 1;
  PipelineDepth depth = PipelineDepth::Stepped;
  Streaming streaming = Streaming::WhenTooLarge;
};

// Empty when the working set does not fit.
// Requires: at least two members, the axis one of tile_axes(group), tiles at least 1.
[[nodiscard]] std::optional<GroupOutline> fused_outline(const Chip& chip,
                                                        const TileCosts& costs,
                                                        const GroupShape& group,
                                                        const FusedWay& way);

// Whether the working set fits, which is all that legality asks.
[[nodiscard]] bool fits_on_chip(const Chip& chip, const GroupShape& group, const FusedWay& way);

}  // namespace paretrain::evaluator
