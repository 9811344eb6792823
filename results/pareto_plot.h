// Why: the picture of a run and of `plot` is the same, whatever the numbers come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/knee.h"

namespace paretrain::results {

struct PlotPoint {
  std::string label;  // number of a plan, or name of a baseline
  ObjectivePoint values{};
};

struct PlotSeries {
  std::string label;
  std::vector<PlotPoint> points;
};

// Shape: values are latency, energy, memory in the given units, memory in bytes.
struct ParetoPlot {
  std::string title;
  std::string subtitle;
  std::string latency_unit = "cycles";
  std::string energy_unit = "pj";
  std::vector<PlotSeries> fronts;  // one: coloured by the third objective; several: by front
  std::vector<PlotPoint> baselines;
  std::vector<ObjectivePoint> dominated;  // drawn pale
  std::optional<std::size_t> knee;        // of the first front
  std::optional<double> memory_limit_bytes;
};

// One SVG document with three projections: latency/memory, latency/energy, energy/memory. Names
// are escaped; labels do not overlap (one without room is left out; the key below has all).
[[nodiscard]] std::string pareto_svg(const ParetoPlot& plot);

}  // namespace paretrain::results
