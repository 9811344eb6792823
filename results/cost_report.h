// Why: the cost of one operator on one core as people and scripts read it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::results {

// "K:32 C:2": loops with their sizes, inner to outer.
[[nodiscard]] std::string loops_text(std::span<const evaluator::TemporalLoop> loops);

// The members of a JSON object, without braces: cycles, energy_pj, utilization, mapping
// (docs/formats-hardware.md, cost).
[[nodiscard]] std::string cost_json_members(const evaluator::Core& core,
                                            const evaluator::MappedCost& mapped);

// One more member, "alternatives": cycles, energy_pj and order of each, best first.
[[nodiscard]] std::string alternatives_json_member(std::span<const evaluator::MappedCost> mappings);

// Cycles by cause, energy by memory and operand, and the loops per memory level.
[[nodiscard]] std::string cost_page(const evaluator::Core& core,
                                    const evaluator::MappedCost& mapped);

// One line per mapping, best first, with what each costs more than the first.
[[nodiscard]] std::string alternatives_page(std::span<const evaluator::MappedCost> mappings);

}  // namespace paretrain::results
