// Why: Stream costs a layer that is alone in its stack as ZigZag does, with the off-chip memory as
// outermost level of the core, and so must an evaluation that is compared with it.
// Formulas: docs/group-cost.md, zigzag mode. Source: cost_model_notes (b.1, b.3, b.5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/schedule.h"

namespace paretrain::evaluator {

// Shape: `level` is a core of `cores` with the off-chip memory as its outermost level.
struct ZigzagOperator {
  const Operator* op = nullptr;
  const Core* level = nullptr;
  std::int64_t parts = 1;      // cores that share the operator
  std::optional<Loop> split;   // along this loop; empty: along none
  std::int64_t link_bits = 1;  // per cycle, to off-chip memory
};

// Cost of the whole operator; all parts run at once.
// Empty when it has no mapping.
[[nodiscard]] std::optional<ScheduleCost> zigzag_operator_cost(const ZigzagOperator& request,
                                                               const CoreCostOptions& options);

}  // namespace paretrain::evaluator
