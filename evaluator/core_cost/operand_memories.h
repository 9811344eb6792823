// Why: the memories, ports and widths that one operand of a nest meets on a core, read off the
// core's description in one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// Indices into Core::memories that hold the operand, inner to outer.
[[nodiscard]] std::vector<std::size_t> levels_of(const Core& core, MemoryOperand operand);

// The port that carries the operand in a direction; null when the file gives none.
[[nodiscard]] const MemoryPort* port_of(const Memory& memory,
                                        MemoryOperand operand,
                                        Direction direction);

// A register does not serve every array axis.
[[nodiscard]] bool is_register(const Core& core, const Memory& memory);

// Whether results are sums: some loop of more than one step does not index the output directly.
[[nodiscard]] bool reduces(const LoopNest& nest);

// Bits of an element at its widest: partial sums for the output. In the corrected model an output
// that is no sum has none (docs/core-cost.md, differences).
[[nodiscard]] std::int64_t widest_bits(const LoopNest& nest, NestOperand operand, CostModel model);

// Whether the nest has the operand at all: it has axes and its elements have bits.
[[nodiscard]] bool moves_data(const LoopNest& nest, NestOperand operand);

}  // namespace paretrain::evaluator
