// Why: the one entrance to the cost of an operator, or of a tile of one, on a core. Everything
// behind it (unrolling, allocation, traffic, stalls) serves these functions.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/core_cost/mapping.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// What a search found: the cost and the mapping that has it.
struct MappedCost {
  CoreCost cost;
  Mapping mapping;
  std::int64_t orders =
      0;  // distinct loop orders of the search space, all spatial mappings together
};

// The search answers one of these.
using CoreCostResult = std::variant<MappedCost, NoMapping>;

// The best mapping of the nest on the core, over all loop orders (and the generated spatial
// mappings where an axis is open). Every level that the core has is part of the mapping: pass a
// core without its DRAM (on_chip_part in evaluator/hardware/offchip.h) to cost a tile whose
// operands wait on chip. An operand without axes, or with 0 bits, moves nothing.
// Pure: depends on the arguments only; safe from several threads.
// Requires: sizes of at least 1, an array with at least one unit.
// Errors: none; a nest that does not fit is a NoMapping.
// Cost: docs/core-cost.md, search. Source: docs/core-cost.md.
[[nodiscard]] CoreCostResult best_core_cost(const Core& core,
                                            const LoopNest& nest,
                                            const Dataflow& dataflow,
                                            const CoreCostOptions& options);
// With the core's own dataflow.
[[nodiscard]] CoreCostResult best_core_cost(const Core& core,
                                            const LoopNest& nest,
                                            const CoreCostOptions& options);

// One given order, inner to outer; no search. An open axis of the dataflow takes the generated
// mapping that is best with this order. Errors: NoMapping as well when the order does not multiply
// up to the nest.
[[nodiscard]] CoreCostResult core_cost_of_order(const Core& core,
                                                const LoopNest& nest,
                                                const Dataflow& dataflow,
                                                std::span<const TemporalLoop> order,
                                                const CoreCostOptions& options);

// The `count` best mappings of different cost in order of the objective (for explanations; not
// pruned, slow).
[[nodiscard]] std::vector<MappedCost> best_core_costs(const Core& core,
                                                      const LoopNest& nest,
                                                      const Dataflow& dataflow,
                                                      const CoreCostOptions& options,
                                                      std::size_t count);

}  // namespace paretrain::evaluator
