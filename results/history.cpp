#include "results/history.h"

#include "base/check.h"
#include "base/number_text.h"
#include "results/csv.h"
#include "results/plan_table.h"

namespace paretrain::results {

namespace {

template <class Count>
std::string count_text(Count count) {
  return number_text(static_cast<std::int64_t>(count));
}

std::string best_text(const engine::GenerationReport& report,
                      std::optional<std::size_t> objective) {
  if (!objective || report.best.empty()) return "";
  CHECK(*objective < report.best.size(), "a column of an objective that the search has not");
  return energy_text(report.best[*objective]);
}

}  // namespace

std::string history_csv(const HistoryColumns& columns,
                        std::span<const engine::GenerationReport> reports) {
  CHECK(columns.names.size() == columns.objective_of.size(), "one objective per column");
  std::vector<std::string> header{
      "generation", "evaluations", "front", "hypervolume", "infeasible"};
  for (const std::string& name : columns.names)
    header.push_back("best_" + name);
  std::string text = csv_row(header);
  for (const engine::GenerationReport& report : reports) {
    std::vector<std::string> cells{count_text(report.generation),
                                   count_text(report.evaluations),
                                   count_text(report.front),
                                   report.hypervolume ? number_text(*report.hypervolume) : "",
                                   count_text(report.infeasible)};
    for (const auto& objective : columns.objective_of)
      cells.push_back(best_text(report, objective));
    text += csv_row(cells);
  }
  return text;
}

}  // namespace paretrain::results
