// Why: handing a tensor to the next group on chip saves its way off chip and back, but takes room
// from both groups. Which tensors are worth it, and where they lie, is settled here. Source:
// docs/group-cost.md, hand-overs between groups.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/group/holding_place.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::evaluator {

// What a group costs with what it carries; empty when no way of it fits.
using CostOfGroup = std::function<std::optional<GroupCost>(const GroupContent&)>;

// One candidate after another: it is held at the place where both groups together are best by the
// objective (ties by the second figure, then by order of places), provided that they are not worse
// than without it and move no more bytes off chip.
// Cost: two questions per candidate and place that could hold it.
[[nodiscard]] CarryAnswer carry_choice(const TrainingGraph& graph,
                                       std::span<const HoldingPlace> places,
                                       Objective objective,
                                       const CarryQuestion& question,
                                       const CostOfGroup& cost);

}  // namespace paretrain::evaluator
