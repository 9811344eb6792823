// Why: which tilings of a single operator are worth comparing is a question of its own, apart from
// what each of them does. Source: docs/group-cost.md, single operators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/group/single_outline.h"

namespace paretrain::evaluator {

// All ways that are compared: T tiles (powers of two) along each loop that may be an axis, then the
// least further cut (K, G, then others) with which a tile fits, and up to twice finer; either loop
// outermost.
[[nodiscard]] std::vector<SingleWay> single_ways(const Chip& chip,
                                                 const GroupShape& group,
                                                 std::span<const CoreId> cores,
                                                 std::uint32_t content);

}  // namespace paretrain::evaluator
