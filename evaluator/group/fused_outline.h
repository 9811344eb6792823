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
#include "evaluator/group/group_way.h"
#include "evaluator/group/schedule.h"

namespace paretrain::evaluator {

// Of a group, or of one block of it; then of all blocks together.
// Empty when the working set does not fit.
// Requires: at least two members, the axis one of tile_axes(group), tiles at least 1.
[[nodiscard]] std::optional<GroupOutline> fused_outline(const Chip& chip,
                                                        const TileCosts& costs,
                                                        const GroupShape& group,
                                                        const FusedWay& way);

}  // namespace paretrain::evaluator
