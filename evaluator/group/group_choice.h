// Why: of all ways to run a group, the one that the tile objective prefers is the group's cost.
// Source: docs/group-cost.md, choices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/group/chip.h"
#include "evaluator/group/group_shape.h"
#include "evaluator/group/schedule.h"

namespace paretrain::evaluator {

// Sets of identical cores that may run an operator; more than one set when different kinds qualify.
using CoreSets = std::vector<std::vector<CoreId>>;

// Everything a choice depends on besides the group. Shape: core_sets, contents and `unsplit` (1: on
// one core, and with it its group; empty: none) by operator of the training graph.
struct ChoiceContext {
  const Chip* chip = nullptr;
  const Chip* single_instances = nullptr;  // the chip with one instance of every replicated memory
  TileCosts* costs = nullptr;
  std::span<const CoreSets> core_sets;
  std::span<const std::uint32_t> contents;
  std::span<const std::uint8_t> unsplit;
  Objective objective = Objective::Latency;
};

struct GroupChoice {
  GroupOutline outline;  // costed
  ScheduleCost cost;
};

// The best way by the objective; ties by energy (by latency when energy is the objective), then
// by fewer tiles, then by order of enumeration. Ways whose lower bound is worse than the best so
// far are not searched, which never changes the answer.
// Empty when no way fits or maps.
[[nodiscard]] std::optional<GroupChoice> best_choice(const ChoiceContext& context,
                                                     const GroupShape& group);

// Whether several operators have an axis and a tile that fits and maps.
[[nodiscard]] bool has_way(const ChoiceContext& context, const GroupShape& group);

}  // namespace paretrain::evaluator
