// Why: an operator on its own runs in a way only if a tile, and what arrives meanwhile, fits on
// chip. Formulas: docs/group-cost.md, single operators.
#pragma once

#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/group_way.h"
#include "evaluator/group/single_tiling.h"

namespace paretrain::evaluator {

// Requires: a group of one member. Model: partial sums leave for off-chip memory only, so a way
// that hands them on does not fit.
[[nodiscard]] bool fits_on_chip(const Chip& chip,
                                const GroupShape& group,
                                const SingleTiling& tiling);

[[nodiscard]] bool single_way_fits(const Chip& chip, const GroupShape& group, const SingleWay& way);

}  // namespace paretrain::evaluator
