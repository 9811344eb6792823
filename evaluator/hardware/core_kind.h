// Why: which operators a core runs follows from its array and dataflows, never from its name.
#pragma once

#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// Memory: no array units. Pooling: the dataflows unroll both FX and FY and not C. Vector: the array
// has one axis. Array: everything else. `core.kind` is not looked at.
// Source: docs/core-cost.md, core kinds.
[[nodiscard]] CoreKind core_kind(const Core& core);

}  // namespace paretrain::evaluator
