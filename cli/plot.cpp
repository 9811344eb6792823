#include "cli/plot.h"

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/command.h"
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

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(name, ignored);
}

std::string label_of(const std::string& name) {
  fs::path path = fs::path(name).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return is_folder(name) ? path.filename().string() : path.stem().string();
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

void read_one(ParetoPlot& plot, const std::string& name, Terminal& terminal) {
  const fs::path file = is_folder(name) ? fs::path(name) / "front.csv" : fs::path(name);
  const FrontFile front = results::read_front(file);
  for (const std::string& warning : front.warnings)
    terminal.warning(warning);
  if (plot.fronts.empty()) {
    plot.latency_unit = front.latency_unit;
    plot.energy_unit = front.energy_unit;
  } else if (front.latency_unit != plot.latency_unit || front.energy_unit != plot.energy_unit) {
    throw InputError(
        Problem{file.string(),
                "has units " + printable(front.latency_unit) + " and " +
                    printable(front.energy_unit) + "; expected those of the first front, " +
                    printable(plot.latency_unit) + " and " + printable(plot.energy_unit),
                ""});
  }
  add_front(plot, front, label_of(name));
  std::error_code ignored;
  const fs::path baselines = fs::path(name) / "baselines.csv";
  if (is_folder(name) && plot.fronts.size() == 1 && fs::exists(baselines, ignored))
    plot.baselines = plot_points(results::read_front(baselines));
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
  ParetoPlot plot;
  std::string names;
  for (const std::string& name : options.positionals("FRONT")) {
    read_one(plot, name, terminal);
    if (!names.empty()) names += ", ";
    names += plot.fronts.back().label;
  }
  plot.title = options.optional_text("title").value_or(names);
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
