#include "cli/compare.h"

#include <cmath>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "cli/front_argument.h"
#include "cli/text_table.h"
#include "results/front_comparison.h"
#include "results/json_text.h"
#include "results/plan_table.h"

namespace paretrain::cli {

namespace {

using results::json_number;
using results::json_string;

constexpr std::size_t kLevels = 5;

struct Comparison {
  std::vector<FrontArgument> fronts;
  std::vector<results::ObjectiveSet> points;
  results::ObjectivePoint reference{};
  std::vector<double> hypervolumes;
  std::vector<double> levels;  // bytes
};

Comparison compared(std::vector<FrontArgument> fronts) {
  Comparison comparison;
  for (const FrontArgument& front : fronts)
    comparison.points.push_back(front.points);
  comparison.fronts = std::move(fronts);
  comparison.reference = results::common_reference(comparison.points);
  for (const results::ObjectiveSet& points : comparison.points)
    comparison.hypervolumes.push_back(results::hypervolume_share(points, comparison.reference));
  comparison.levels = results::memory_levels(comparison.points, kLevels);
  return comparison;
}

std::string change_text(double value, double reference) {
  if (reference == 0) return "";
  const double percent = (value / reference - 1) * 100;
  return (percent >= 0 ? "+" : "") + fixed_text(percent, 2) + " %";
}

std::string hypervolume_text(const Comparison& comparison) {
  TextTable table;
  table.add({"front", "plans", "hypervolume", "against the first"});
  for (std::size_t i = 0; i < comparison.fronts.size(); ++i) {
    table.add({printable(comparison.fronts[i].label),
               grouped_text(static_cast<std::int64_t>(comparison.points[i].size())),
               significant_text(comparison.hypervolumes[i], 6),
               change_text(comparison.hypervolumes[i], comparison.hypervolumes[0])});
  }
  std::string text = table.text() + "reference point:";
  for (const double value : comparison.reference)
    text += " " + results::energy_text(value);
  return text + "\n";
}

std::string coverage_text(const Comparison& comparison) {
  TextTable table;
  std::vector<std::string> header{"covers"};
  for (const FrontArgument& front : comparison.fronts)
    header.push_back(printable(front.label));
  table.add(std::move(header));
  for (std::size_t i = 0; i < comparison.fronts.size(); ++i) {
    std::vector<std::string> cells{printable(comparison.fronts[i].label)};
    for (std::size_t j = 0; j < comparison.fronts.size(); ++j) {
      const double share = results::coverage(comparison.points[i], comparison.points[j]);
      cells.push_back(fixed_text(100 * share, 1) + " %");
    }
    table.add(std::move(cells));
  }
  return "share of the column's plans that a plan of the row is at least as good as:\n" +
         table.text();
}

void add_cells(std::vector<std::string>& cells,
               std::optional<double> value,
               std::optional<double> first) {
  const bool is_whole = value && std::trunc(*value) == *value;
  cells.push_back(!value     ? "-"
                  : is_whole ? results::energy_text(*value)
                             : significant_text(*value, 8));
  cells.push_back(value && first ? change_text(*value, *first) : "");
}

std::string levels_text(const Comparison& comparison) {
  TextTable table;
  table.add({"memory [bytes]",
             "front",
             "least latency [" + printable(comparison.fronts[0].front.latency_unit) + "]",
             "",
             "least energy [" + printable(comparison.fronts[0].front.energy_unit) + "]",
             ""});
  for (const double level : comparison.levels) {
    const results::BestWithin first = results::best_within(comparison.points[0], level);
    for (std::size_t i = 0; i < comparison.fronts.size(); ++i) {
      const results::BestWithin best = results::best_within(comparison.points[i], level);
      std::vector<std::string> cells{i == 0 ? results::energy_text(level) : "",
                                     printable(comparison.fronts[i].label)};
      add_cells(cells, best.latency, first.latency);
      add_cells(cells, best.energy, first.energy);
      table.add(std::move(cells));
    }
  }
  return "at equal memory:\n" + table.text();
}

std::string optional_json(std::optional<double> value) {
  return value ? json_number(*value) : "null";
}

std::string front_json(const Comparison& comparison, std::size_t index) {
  const FrontArgument& front = comparison.fronts[index];
  std::string text =
      "{\"label\": " + json_string(front.label) + ", \"file\": " + json_string(front.file) +
      ", \"plans\": " + std::to_string(front.points.size()) +
      ", \"hypervolume\": " + json_number(comparison.hypervolumes[index]) + ", \"covers\": [";
  for (std::size_t j = 0; j < comparison.fronts.size(); ++j) {
    if (j != 0) text += ", ";
    text += json_number(results::coverage(comparison.points[index], comparison.points[j]));
  }
  text += "], \"at_memory\": [";
  for (std::size_t i = 0; i < comparison.levels.size(); ++i) {
    const results::BestWithin best =
        results::best_within(comparison.points[index], comparison.levels[i]);
    if (i != 0) text += ", ";
    text += "{\"memory_bytes\": " + json_number(comparison.levels[i]) +
            ", \"least_latency\": " + optional_json(best.latency) +
            ", \"least_energy\": " + optional_json(best.energy) + "}";
  }
  return text + "]}";
}

std::string comparison_json(const Comparison& comparison) {
  const results::FrontFile& first = comparison.fronts[0].front;
  std::string text = "{\"schema\": \"paretrain-compare-1\",\n \"latency_unit\": " +
                     json_string(first.latency_unit) +
                     ", \"energy_unit\": " + json_string(first.energy_unit) +
                     ",\n \"reference_point\": [" + json_number(comparison.reference[0]) + ", " +
                     json_number(comparison.reference[1]) + ", " +
                     json_number(comparison.reference[2]) + "],\n \"fronts\": [";
  for (std::size_t i = 0; i < comparison.fronts.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + front_json(comparison, i);
  return text + "]}\n";
}

}  // namespace

CommandSyntax compare_syntax() {
  return {.name = "compare",
          .usage = "compare DIR DIR …",
          .description =
              "Compares fronts under a common reference point (per objective the worst of all "
              "+ 1): hypervolume as a share of the product of the reference, the share of each "
              "front that another covers, and the least latency and energy at equal memory.",
          .positionals = {{"FRONT",
                           "folders of runs, or fronts as CSV; the first is what the others "
                           "are held against",
                           true,
                           true}},
          .groups = {output_option_group()},
          .examples = {"paretrain compare runs/adam runs/sgd",
                       "paretrain compare truth/front.csv runs/first --json"}};
}

int run_compare(const Options& options, Terminal& terminal) {
  std::vector<FrontArgument> fronts;
  for (const std::string& name : options.positionals("FRONT")) {
    fronts.push_back(front_argument(name, terminal));
    check_same_units(fronts.front(), fronts.back());
  }
  if (fronts.size() < 2)
    throw InputError(Problem{"paretrain compare", "one front given; expected two or more", ""});
  const Comparison comparison = compared(std::move(fronts));
  if (options.flag("json")) {
    terminal.data(comparison_json(comparison));
  } else {
    terminal.data(hypervolume_text(comparison) + "\n" + coverage_text(comparison) + "\n" +
                  levels_text(comparison));
  }
  return kDone;
}

}  // namespace paretrain::cli
