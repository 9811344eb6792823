#include "results/plan_table.h"

#include <cmath>

#include "base/number_text.h"
#include "results/csv.h"

namespace paretrain::results {

namespace {

std::vector<std::string> header(std::string first, const problems::PlanUnits& units) {
  const ObjectiveColumns columns = objective_columns(units);
  return {std::move(first),
          columns.latency,
          columns.energy,
          columns.memory,
          "recomputed",
          "groups",
          "offchip_bytes",
          "recompute_macs",
          "genome"};
}

std::string row_text(std::string first, const PlanRow& row) {
  const problems::PlanEvaluation& evaluation = row.evaluation;
  return csv_row({std::move(first),
                  number_text(evaluation.latency),
                  energy_text(evaluation.energy),
                  number_text(evaluation.peak_bytes),
                  number_text(static_cast<std::int64_t>(evaluation.recomputed)),
                  number_text(static_cast<std::int64_t>(evaluation.groups)),
                  number_text(evaluation.offchip_bytes),
                  number_text(evaluation.recompute_work),
                  row.genome});
}

}  // namespace

ObjectiveColumns objective_columns(const problems::PlanUnits& units) {
  return {"latency_" + units.latency, "energy_" + units.energy};
}

std::string energy_text(double energy) {
  constexpr double kExactIntegers = 0x1p53;
  if (std::abs(energy) < kExactIntegers && std::trunc(energy) == energy)
    return number_text(static_cast<std::int64_t>(energy));
  return number_text(energy);
}

std::string front_csv(const problems::PlanUnits& units, std::span<const PlanRow> rows) {
  std::string text = csv_row(header("plan", units));
  std::int64_t plan = 0;
  for (const PlanRow& row : rows)
    text += row_text(number_text(plan++), row);
  return text;
}

std::string baselines_csv(const problems::PlanUnits& units, std::span<const PlanRow> rows) {
  std::string text = csv_row(header("name", units));
  for (const PlanRow& row : rows)
    text += row_text(row.name, row);
  return text;
}

}  // namespace paretrain::results
