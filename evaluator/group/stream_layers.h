// Why: Stream names the axes of a tensor by their place, whatever they mean, and by these names
// lanes and splits over cores are chosen; a comparison with it needs the same layers.
// Rules: docs/group-cost.md, zigzag mode. Source: cost_model_notes (b.1); the names follow from the
// counts of tiles and genes in stream_runs.csv.
#pragma once

#include <vector>

#include "evaluator/graph/training_graph.h"

namespace paretrain::evaluator {

// Operators that Stream does not cost: they move data or are not modelled there.
[[nodiscard]] bool is_free_in_stream(const Operator& op);

// The layers that Stream costs for an operator, or for the tile of it that `nest` is, one after
// another. Requires: the nest is the operator's with smaller loops.
[[nodiscard]] std::vector<LoopNest> stream_layers(const Operator& op, const LoopNest& nest);

}  // namespace paretrain::evaluator
