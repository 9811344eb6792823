// Why: each projection of a front is drawn by the same rules, in a rectangle of its own.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "results/axis.h"
#include "results/pareto_plot.h"

namespace paretrain::results {

inline constexpr double kPanelSize = 330;     // the plot area is a square. Units: px
inline constexpr double kPanelLeft = 78;      // room for tick labels and the axis name
inline constexpr double kPanelAdvance = 496;  // from one panel to the next

// What a row of panels shares: an axis and a unit per objective.
struct PlotScales {
  std::array<AxisUnit, 3> units;
  std::array<Axis, 3> axes;
  std::array<Axis, 3> colours;        // over the fronts alone, so that their plans differ
  std::array<std::string, 3> titles;  // "latency [M cycles]"
};

enum class PlotRange { Everything, FrontsOnly };

[[nodiscard]] PlotScales plot_scales(const ParetoPlot& plot, PlotRange range);

// Whether baselines or dominated plans squeeze the fronts so much that they want a row of their
// own.
[[nodiscard]] bool wants_close_up(const ParetoPlot& plot);

// Baselines at one place share one letter group in the picture: "a", "b, c".
[[nodiscard]] std::string baseline_letter(std::size_t index);

struct Projection {
  std::size_t x = 0;
  std::size_t y = 2;
  std::size_t colour = 1;
};

// SVG elements of one panel whose plot area starts at (left, top). What lies outside the axes is
// left out.
[[nodiscard]] std::string panel_svg(const ParetoPlot& plot,
                                    const PlotScales& scales,
                                    const Projection& projection,
                                    double left,
                                    double top);

}  // namespace paretrain::results
