// Why: a tile's cost on a core is asked for by many groups and is the only expensive number in
// them; it is searched once per content. Formulas: docs/group-cost.md, tiles on cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/mapping.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/group/chip.h"
#include "evaluator/group/memo.h"
#include "evaluator/group/tile.h"

namespace paretrain::evaluator {

// Units: cycles (real) and picojoules, of one tile on one core.
struct TileCost {
  double cycles = 0;
  double compute_pj = 0;
  double on_chip_pj = 0;
};

// An operator and its content number.
struct CostedOperator {
  const Operator* op = nullptr;
  std::uint32_t content = 0;
};

class TileCosts {
 public:
  TileCosts(const Chip& chip, const CoreCostOptions& options, std::size_t remembered);

  // Empty when the tile has no mapping on the core.
  [[nodiscard]] std::optional<TileCost> cost(const CostedOperator& op,
                                             CoreId core,
                                             std::span<const LoopCount> counts);

  // Never more than cost(…): the temporal loops that the dataflow leaves, and every input read
  // once.
  [[nodiscard]] double least_cycles(const Operator& op,
                                    CoreId core,
                                    std::span<const LoopCount> counts) const;

  [[nodiscard]] std::uint64_t hits() const { return memo_.hits(); }

  [[nodiscard]] std::uint64_t misses() const { return memo_.misses(); }

 private:
  struct Answer {
    TileCost cost;
    bool possible = false;
  };

  [[nodiscard]] Answer searched(const Operator& op,
                                const ChipCore& core,
                                std::span<const LoopCount> counts) const;

  const Chip& chip_;
  CoreCostOptions options_;
  Memo<Answer> memo_;
};

// Loops over which every operand moves alike become one, so that lanes take elements and not
// channels; for nests that only add, compare or move.
// Model: the loop that a core's lanes unroll (K) is the merged loop that fills them best.
[[nodiscard]] LoopNest merged_elementwise_nest(const LoopNest& nest, std::int64_t lanes);

// How the operator class is laid over the core: its own dataflow, or one lane per element where an
// array stands in for a vector core.
[[nodiscard]] Dataflow dataflow_of(const Core& core, OperatorClass operator_class);

}  // namespace paretrain::evaluator
