// Why: a tensor that passes from a member to one on other cores moves from memory to memory, all of
// it or only the halo. Formulas: docs/group-cost.md, transfers.
#pragma once

#include <cstdint>

#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/transfers.h"

namespace paretrain::evaluator {

// Of `bytes` of the tensor that passes along the edge. Requires: edge.moves.
[[nodiscard]] TransferCost inner_move(const Chip& chip,
                                      const GroupShape& group,
                                      const TiledGroup& tiling,
                                      const InnerEdge& edge,
                                      std::int64_t bytes);

}  // namespace paretrain::evaluator
