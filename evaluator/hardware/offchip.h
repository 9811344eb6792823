// Why: the same core is costed with its off-chip memory as a level of the mapping (a whole operator
// that starts and ends in DRAM) and without (a tile of a group).
#pragma once

#include <optional>

#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// The off-chip memory: that of the off-chip core, else the outermost memory named or typed dram of
// the first core that has one.
[[nodiscard]] std::optional<Memory> offchip_memory(const Accelerator& accelerator);

// The core without memories that are DRAM.
[[nodiscard]] Core on_chip_part(const Core& core);

// The core with the accelerator's off-chip memory as outermost level of all operands, serving all
// array axes. A core that has a DRAM of its own is returned as it is.
[[nodiscard]] Core with_offchip_level(const Accelerator& accelerator, CoreId core);

}  // namespace paretrain::evaluator
