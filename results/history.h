// Why: how a search went, generation by generation, for plots of progress and for comparing runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/search.h"

namespace paretrain::results {

// `generation,evaluations,front,hypervolume,infeasible,best_…`, one row a generation. `columns` are
// the names after `best_`; `objective_of[c]` is the objective that column c shows. A cell is empty
// where there is no value: nothing feasible, no reference point, or no objective of the search.
struct HistoryColumns {
  std::vector<std::string> names;
  std::vector<std::optional<std::size_t>> objective_of;
};

[[nodiscard]] std::string history_csv(const HistoryColumns& columns,
                                      std::span<const engine::GenerationReport> reports);

}  // namespace paretrain::results
