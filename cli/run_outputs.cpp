#include "cli/run_outputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/text_table.h"
#include "results/axis.h"
#include "results/knee.h"
#include "results/pareto_plot.h"
#include "results/report_page.h"

namespace paretrain::cli {

namespace {

using results::PlanRow;

results::ObjectivePoint point_of(const problems::PlanEvaluation& evaluation) {
  return {static_cast<double>(evaluation.latency),
          evaluation.energy,
          static_cast<double>(evaluation.peak_bytes)};
}

std::vector<results::PlotPoint> plot_points(const std::vector<PlanRow>& rows) {
  std::vector<results::PlotPoint> points;
  for (const PlanRow& row : rows)
    points.push_back({row.name, point_of(row.evaluation)});
  return points;
}

std::string title_of(const PlanRun& run) {
  return run.loaded().title.empty() ? run.plans().name() : run.loaded().title;
}

std::string count_text(std::uint64_t count) {
  return grouped_text(static_cast<std::int64_t>(count));
}

std::string subtitle_of(const results::RunManifest& manifest) {
  std::string text = grouped_text(manifest.front) + " non-dominated plans of " +
                     count_text(manifest.statistics.evaluations) + " evaluated";
  if (manifest.canonical_genomes) {
    text += " · every genome";
  } else {
    text += " · generation " + count_text(manifest.generation);
  }
  if (manifest.hypervolume) {
    text += " · hypervolume " + general_text(manifest.hypervolume->front, 5) + " (baselines " +
            general_text(manifest.hypervolume->baselines, 5) + ")";
  }
  return text;
}

results::ParetoPlot plot_of(const PlanRun& run,
                            const results::RunManifest& manifest,
                            const RunOutcome& outcome) {
  results::ParetoPlot plot;
  plot.title = title_of(run);
  plot.subtitle = subtitle_of(manifest);
  plot.latency_unit = run.plans().units().latency;
  plot.energy_unit = run.plans().units().energy;
  plot.fronts.push_back({"Pareto-optimal plans", plot_points(outcome.front)});
  plot.baselines = plot_points(run.baseline_rows());
  for (const problems::PlanEvaluation& other : outcome.others)
    plot.dominated.push_back(point_of(other));
  if (manifest.knee) plot.knee = static_cast<std::size_t>(*manifest.knee);
  if (run.request().problem.plan.memory_limit)
    plot.memory_limit_bytes =
        static_cast<double>(run.request().problem.plan.memory_limit->number());
  return plot;
}

// Whether the backward phase has begun with this group.
bool is_backward(const evaluator::StepGraph& graph, const evaluator::PlanStep& step) {
  return std::ranges::any_of(step.operators, [&](const evaluator::RunningOperator& running) {
    return running.recompute ||
           graph.operators[running.op.index()].phase != evaluator::StepPhase::Forward;
  });
}

results::ReportPlan report_plan(const PlanRun& run, const PlanRow& row) {
  const problems::PlanProblem& plans = run.plans();
  results::ReportPlan plan{row.name,
                           row.genome,
                           row.evaluation.recomputed,
                           row.evaluation.groups,
                           row.evaluation.offchip_bytes,
                           row.evaluation.recompute_work,
                           {},
                           0};
  const evaluator::PlanExplanation steps = plans.explain(plans.parsed(row.genome, row.name));
  for (const evaluator::PlanStep& step : steps.steps) {
    if (plan.backward_from == plan.alive_bytes.size() && !is_backward(plans.graph(), step))
      ++plan.backward_from;
    plan.alive_bytes.push_back(step.alive_total.number());
  }
  return plan;
}

// A column of the table: a value and its change against the first baseline.
struct Column {
  std::string title;
  double divisor = 1;
  std::size_t objective = 0;
};

std::vector<Column> columns_of(const PlanRun& run) {
  results::ObjectivePoint largest{};
  for (const PlanRow& row : run.baseline_rows()) {
    const results::ObjectivePoint point = point_of(row.evaluation);
    for (std::size_t k = 0; k < point.size(); ++k)
      largest[k] = std::max(largest[k], point[k]);
  }
  const std::array<std::string, 3> names{"latency", "energy", "peak memory"};
  const std::array<std::string, 3> units{
      run.plans().units().latency, run.plans().units().energy, "bytes"};
  std::vector<Column> columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const results::AxisUnit unit = results::axis_unit(units[k], largest[k]);
    columns.push_back({names[k] + " [" + printable(unit.text) + "]", unit.divisor, k});
  }
  const std::optional<double> clock = run.request().problem.accelerator.clock_hz;
  if (clock) columns.push_back({"latency [ms]", *clock / 1e3, 0});
  if (clock && columns[1].divisor != 1e9) columns.push_back({"energy [mJ]", 1e9, 1});
  return columns;
}

std::string change_text(double value, double reference) {
  if (reference == 0) return "";
  const double percent = (value / reference - 1) * 100;
  const std::string text = fixed_text(percent, 1);
  return (percent >= 0 ? "+" : "") + text + " %";
}

// Whole numbers in the problem's own unit stay whole.
std::string value_text(double value, double divisor) {
  if (divisor == 1 && std::trunc(value) == value && std::abs(value) < 0x1p53)
    return number_text(static_cast<std::int64_t>(value));
  return significant_text(value / divisor, 6);
}

void add_row(TextTable& table,
             const std::vector<Column>& columns,
             const std::string& name,
             const PlanRow& row,
             const PlanRow& reference) {
  const results::ObjectivePoint point = point_of(row.evaluation);
  const results::ObjectivePoint base = point_of(reference.evaluation);
  std::vector<std::string> cells{name};
  for (const Column& column : columns) {
    cells.push_back(value_text(point[column.objective], column.divisor));
    if (cells.size() <= 6)
      cells.push_back(change_text(point[column.objective], base[column.objective]));
  }
  cells.push_back(number_text(static_cast<std::int64_t>(row.evaluation.recomputed)));
  cells.push_back(number_text(static_cast<std::int64_t>(row.evaluation.groups)));
  table.add(std::move(cells));
}

// The plans of the front that are best at something, each once, with what they are best at.
std::vector<std::pair<std::size_t, std::string>> chosen_plans(const RunOutcome& outcome,
                                                              std::optional<std::int64_t> knee) {
  const std::array<const char*, 3> names{"fastest", "least energy", "least memory"};
  std::vector<std::pair<std::size_t, std::string>> chosen;
  const auto add = [&](std::size_t index, const std::string& name) {
    const auto found =
        std::ranges::find(chosen, index, &std::pair<std::size_t, std::string>::first);
    if (found == chosen.end()) {
      chosen.emplace_back(index, name);
    } else {
      found->second += ", " + name;
    }
  };
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < outcome.front.size(); ++i)
      if (point_of(outcome.front[i].evaluation)[k] < point_of(outcome.front[best].evaluation)[k])
        best = i;
    add(best, names[k]);
  }
  if (knee) add(static_cast<std::size_t>(*knee), "knee");
  std::ranges::sort(chosen);
  return chosen;
}

std::string hypervolume_text(const results::HypervolumeSummary& hypervolume) {
  std::string text = "hypervolume: front " + general_text(hypervolume.front, 5) +
                     ", baselines alone " + general_text(hypervolume.baselines, 5);
  if (hypervolume.baselines > 0)
    text += " (" + change_text(hypervolume.front, hypervolume.baselines) + ")";
  return text + "\n";
}

std::string memory_text(std::int64_t bytes) {
  const results::AxisUnit unit = results::axis_unit("bytes", static_cast<double>(bytes));
  const std::string exact = grouped_text(bytes) + " bytes";
  if (unit.divisor == 1) return exact;
  return exact + " (" + significant_text(static_cast<double>(bytes) / unit.divisor, 5) + " " +
         unit.text + ")";
}

}  // namespace

std::vector<PlanRow> feasible_rows(const std::vector<PlanRow>& rows) {
  std::vector<PlanRow> feasible;
  for (const PlanRow& row : rows)
    if (row.evaluation.violation_bytes == 0) feasible.push_back(row);
  return feasible;
}

void complete_manifest(results::RunManifest& manifest,
                       const PlanRun& run,
                       const RunOutcome& outcome) {
  manifest.front = static_cast<std::int64_t>(outcome.front.size());
  manifest.hypervolume = results::HypervolumeSummary{
      run.reference(), run.hypervolume(outcome.front), run.hypervolume(run.baseline_rows())};
  std::vector<results::ObjectivePoint> points;
  manifest.smallest_memory_bytes = outcome.least_infeasible_bytes;
  for (const PlanRow& row : outcome.front) {
    points.push_back(point_of(row.evaluation));
    const std::int64_t bytes = row.evaluation.peak_bytes;
    manifest.smallest_memory_bytes =
        points.size() == 1 ? bytes : std::min(bytes, *manifest.smallest_memory_bytes);
  }
  if (const auto knee = results::knee(points)) manifest.knee = static_cast<std::int64_t>(*knee);
}

void warn_of_reference(results::RunManifest& manifest, const PlanRun& run, Terminal& terminal) {
  if (run.request().search.reference.empty() || manifest.front == 0 ||
      manifest.hypervolume->front > 0)
    return;
  const std::string text =
      "--reference: no plan of the front is below the reference point in every objective, so the "
      "hypervolume is 0";
  results::add_warning(manifest.warnings, text);
  terminal.warning(text);
}

void write_tables(const results::RunFolder& folder, const PlanRun& run, const RunOutcome& outcome) {
  const problems::PlanUnits& units = run.plans().units();
  folder.write("history.csv", results::history_csv(run.history_columns(), outcome.history));
  folder.write("baselines.csv", results::baselines_csv(units, run.baseline_rows()));
  folder.write("front.csv", results::front_csv(units, outcome.front));
}

void write_pictures(const results::RunFolder& folder,
                    const PlanRun& run,
                    const results::RunManifest& manifest,
                    const RunOutcome& outcome) {
  results::ReportPage page{plot_of(run, manifest, outcome), {}};
  folder.write("pareto.svg", results::pareto_svg(page.plot));
  constexpr std::size_t kMostExplained = 400;  // a page of more would be large and slow
  for (std::size_t i = 0; i < std::min(outcome.front.size(), kMostExplained); ++i)
    page.plans.push_back(report_plan(run, outcome.front[i]));
  folder.write("report.html", results::report_page(page));
}

std::string outcome_text(const PlanRun& run,
                         const results::RunManifest& manifest,
                         const RunOutcome& outcome) {
  const std::vector<Column> columns = columns_of(run);
  TextTable table;
  std::vector<std::string> header{"plan"};
  for (const Column& column : columns) {
    header.push_back(column.title);
    if (header.size() <= 6) header.emplace_back("");
  }
  header.emplace_back("recomputed");
  header.emplace_back("groups");
  table.add(std::move(header));
  const PlanRow& reference = run.baseline_rows().front();
  for (const PlanRow& row : run.baseline_rows())
    add_row(table,
            columns,
            row.name + (row.evaluation.violation_bytes > 0 ? " (too large)" : ""),
            row,
            reference);
  if (!outcome.front.empty()) {
    table.add_rule();
    for (const auto& [index, name] : chosen_plans(outcome, manifest.knee))
      add_row(table,
              columns,
              outcome.front[index].name + " (" + name + ")",
              outcome.front[index],
              reference);
  }
  std::string text = printable(title_of(run)) + ": " + subtitle_of(manifest) + "\n\n" +
                     table.text() + "\nchanges are against " + reference.name + "\n";
  if (manifest.hypervolume) text += hypervolume_text(*manifest.hypervolume);
  if (!outcome.front.empty())
    text += "smallest feasible memory: " + memory_text(*manifest.smallest_memory_bytes) + "\n";
  return text;
}

}  // namespace paretrain::cli
