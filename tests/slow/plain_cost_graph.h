// Why: cost graphs are training steps whose groups cost integers; read straight off the format's
// text (COST_GRAPH), so that the plain evaluator and the brute force serve them, too.
#pragma once

#include <cstdint>

#include "problems/cost_graph_file.h"
#include "tests/slow/plain_plan.h"
#include "tests/slow/plain_step.h"

namespace paretrain::tests {

enum class CountGradients { No, Yes };

// Storage 0 is the graph input, storage i + 1 tensor i, then come the gradients.
[[nodiscard]] PlainStep plain_step(const problems::CostGraph& graph, CountGradients count);

// Requires: `graph` and `step` (made from it) outlive the result.
[[nodiscard]] PlainGroups plain_groups(const problems::CostGraph& graph, const PlainStep& step);

}  // namespace paretrain::tests
