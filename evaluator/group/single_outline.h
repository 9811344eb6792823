// Why: an operator on its own has more freedom than a group: it may be cut along several loops, in
// either order, so that one that is far too large for on-chip memory still streams through it.
// Formulas: docs/group-cost.md, single operators.
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

// Empty when the working set does not fit.
// Requires: a group of one member.
[[nodiscard]] std::optional<GroupOutline> single_outline(const Chip& chip,
                                                         const TileCosts& costs,
                                                         const GroupShape& group,
                                                         const SingleWay& way);

}  // namespace paretrain::evaluator
