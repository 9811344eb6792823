// Why: a group is legal only if everything that must be on chip at once fits there.
// Formulas: docs/group-cost.md, working set.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/member_tiling.h"

namespace paretrain::evaluator {

// Which tensors that no tile cuts stay on chip for the whole group, and which are fetched again
// with every tile because they do not fit. Shape: by tensor of the group.
struct Residents {
  std::vector<bool> streamed;
};

// Empty when the working set does not fit even with everything streamed that can be.
// Model: the largest tensors are streamed first, ties by their order in the group.
[[nodiscard]] std::optional<Residents> fitted_residents(const Chip& chip,
                                                        const GroupShape& group,
                                                        const TiledGroup& tiling);

// Whether a member cuts its access along the axis; others need the tensor whole.
[[nodiscard]] bool is_tiled(const GroupShape& group, const TiledGroup& tiling, std::size_t tensor);

}  // namespace paretrain::evaluator
