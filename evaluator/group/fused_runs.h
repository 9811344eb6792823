// Why: which tiles a member of a group runs on which core, and how often, is known before any of
// them is mapped. Formulas: docs/group-cost.md, tile axis and splits.
#pragma once

#include <cstddef>

#include "evaluator/group/group_shape.h"
#include "evaluator/group/group_way.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/schedule.h"

namespace paretrain::evaluator {

// Of member `m` and its stage, which has the same number. Tiles are those of the whole operator, of
// all blocks together.
[[nodiscard]] OperatorRun fused_run(const GroupShape& group,
                                    const FusedWay& way,
                                    const TiledGroup& tiling,
                                    std::size_t m);

}  // namespace paretrain::evaluator
