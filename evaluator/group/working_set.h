// Why: a group is legal only if everything that must be on chip at once fits there.
// Formulas: docs/group-cost.md, working set.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/member_tiling.h"

namespace paretrain::evaluator {

// Cuts members into slices until the working set fits: tensors that no tile cuts either stay on
// chip for the whole group or pass through it in slices with every tile. Model: the largest is
// sliced first, ties by order in the group; slices are halved until all fits. Shape: the answer has
// one entry per tensor, true for those that are streamed. Empty: it does not fit even so.
[[nodiscard]] std::vector<bool> sliced_to_fit(const Chip& chip,
                                              const GroupShape& group,
                                              Streaming streaming,
                                              TiledGroup& tiling);

// Whether every member cuts its accesses along the axis; others need the tensor whole.
[[nodiscard]] bool is_tiled(const GroupShape& group, const TiledGroup& tiling, std::size_t tensor);

}  // namespace paretrain::evaluator
