// Why: which loops run side by side on the array, in how many units each; all temporal loops and
// all replication of memories follow from it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/core_cost/mapping.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// A dataflow fitted to a nest and an array. Loops with factor 1 are left out of `loops`.
struct SpatialMapping {
  Dataflow requested;  // after reduction, every axis present
  std::vector<SpatialLoop> loops;
  std::array<std::int64_t, kLoopCount> temporal{};  // what is left of each loop
};

// Fits each factor to the loop, to the axis, and to ports and capacity of the innermost memories;
// then rounds so that temporal times spatial covers the loop. Open axes get the generated factors
// that use the array best, several candidates where equal or near.
// Shape: at least one mapping, or the reason why there is none.
// Source: docs/core-cost.md, spatial mapping.
[[nodiscard]] std::variant<std::vector<SpatialMapping>, NoMapping> spatial_mappings(
    const Core& core,
    const LoopNest& nest,
    const Dataflow& dataflow,
    const CoreCostOptions& options);

// The dataflow with which a core runs a nest when nothing is prescribed: its own; in the corrected
// model the lanes of a vector core that its own dataflow would leave idle run the innermost loops
// of the streamed operand. Source: docs/core-cost.md, lanes.
[[nodiscard]] Dataflow default_dataflow(const Core& core, const LoopNest& nest, CostModel model);

// One lane per element of the innermost loops of the streamed operand, on every axis of any core:
// how an elementwise operator runs on an array core.
[[nodiscard]] Dataflow lane_dataflow(const Core& core, const LoopNest& nest);

}  // namespace paretrain::evaluator
