#include "cli/plot.h"

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "cli/front_argument.h"
#include "results/atomic_file.h"
#include "results/front_file.h"
#include "results/pareto_plot.h"
#include "results/png.h"
#include "results/report_page.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;
using results::FrontFile;
using results::ObjectivePoint;
using results::ParetoPlot;

enum class Format { Svg, Png, Html };

Format format_of(const std::string& file) {
  if (file.ends_with(".svg")) return Format::Svg;
  if (file.ends_with(".html")) return Format::Html;
  if (file.ends_with(".png")) {
    if (results::can_write_png()) return Format::Png;
    throw InputError(Problem{
        file, "this build writes no PNG: it has no librsvg", "write .svg or .html instead"});
  }
  throw InputError(Problem{file, "unknown kind of picture; expected .svg, .png or .html", ""});
}

std::vector<results::PlotPoint> plot_points(const FrontFile& front) {
  std::vector<results::PlotPoint> points;
  for (const results::FrontPoint& point : front.points)
    points.push_back({point.plan, {point.latency, point.energy, point.memory_bytes}});
  return points;
}

// Splits what a file lists into the plans that no other dominates and the rest.
void add_front(ParetoPlot& plot, const FrontFile& front, const std::string& label) {
  results::PlotSeries series{label, {}};
  std::vector<results::PlotPoint> points = plot_points(front);
  std::vector<ObjectivePoint> values;
  for (const results::PlotPoint& point : points)
    values.push_back(point.values);
  const std::vector<results::Standing> standing = results::standings(values);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (standing[i] == results::Standing::Dominated) {
      plot.dominated.push_back(values[i]);
    } else {
      series.points.push_back(std::move(points[i]));
    }
  }
  plot.fronts.push_back(std::move(series));
}

void add_baselines(ParetoPlot& plot, const std::string& folder) {
  std::error_code ignored;
  const fs::path file = fs::path(folder) / "baselines.csv";
  if (is_folder(folder) && fs::exists(file, ignored))
    plot.baselines = plot_points(results::read_front(file));
}

std::optional<std::size_t> knee_of(const ParetoPlot& plot) {
  if (plot.fronts.size() != 1) return std::nullopt;
  std::vector<ObjectivePoint> values;
  for (const results::PlotPoint& point : plot.fronts.front().points)
    values.push_back(point.values);
  return results::knee(values);
}

}  // namespace

CommandSyntax plot_syntax() {
  return {
      .name = "plot",
      .usage = "plot DIR|front.csv … [-o FILE.svg|.png|.html]",
      .description =
          "Plots one or several fronts: latency, energy and peak memory in three projections. One "
          "front is coloured by the third objective, several by front. A folder of a run adds its "
          "baselines.",
      .positionals = {{"FRONT",
                       "folders of runs, or CSV files with the columns plan, latency_<unit>, "
                       "energy_<unit>, peak_memory_bytes",
                       true,
                       true}},
      .groups = {{"Picture",
                  {{"output",
                    "FILE",
                    AnyText{},
                    "picture to write: .svg, .png or .html",
                    "pareto.svg",
                    false,
                    "o"},
                   {"title", "TEXT", AnyText{}, "heading of the picture"},
                   {"memory-limit", "SIZE", SizeRange{0, INT64_MAX}, "draws a memory budget"}}},
                 {"Output", {{"quiet", "", Flag{}, "no messages, only warnings and errors"}}}},
      .examples = {"paretrain plot runs/first -o front.png",
                   "paretrain plot runs/adam runs/sgd -o optimizers.svg"}};
}

int run_plot(const Options& options, Terminal& terminal) {
  const std::string output = options.text("output");
  const Format format = format_of(output);
  const std::vector<std::string> names = options.positionals("FRONT");
  ParetoPlot plot;
  std::string labels;
  std::optional<FrontArgument> first;
  for (const std::string& name : names) {
    const FrontArgument argument = front_argument(name, terminal);
    if (!first) first = argument;
    check_same_units(*first, argument);
    add_front(plot, argument.front, argument.label);
    labels += (labels.empty() ? "" : ", ") + argument.label;
  }
  plot.latency_unit = first->front.latency_unit;
  plot.energy_unit = first->front.energy_unit;
  if (names.size() == 1) add_baselines(plot, names.front());
  plot.title = options.optional_text("title").value_or(labels);
  std::size_t count = 0;
  for (const results::PlotSeries& front : plot.fronts)
    count += front.points.size();
  plot.subtitle = grouped_text(static_cast<std::int64_t>(count)) + " non-dominated plans";
  if (options.has("memory-limit"))
    plot.memory_limit_bytes = static_cast<double>(options.bytes("memory-limit"));
  plot.knee = knee_of(plot);
  switch (format) {
    case Format::Svg:
      results::write_atomically(output, results::pareto_svg(plot));
      break;
    case Format::Png:
      results::write_atomically(output, results::png_of_svg(results::pareto_svg(plot)));
      break;
    case Format::Html:
      results::write_atomically(output, results::report_page({plot, {}}));
      break;
  }
  terminal.message("wrote " + output);
  return kDone;
}

}  // namespace paretrain::cli
