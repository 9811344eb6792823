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

// What all three panels share: an axis and a unit per objective.
struct PlotScales {
  std::array<AxisUnit, 3> units;
  std::array<Axis, 3> axes;
  std::array<std::string, 3> titles;  // "latency [M cycles]"
};

[[nodiscard]] PlotScales plot_scales(const ParetoPlot& plot);

// Baselines at one place share one letter group in the picture: "a", "b, c".
[[nodiscard]] std::string baseline_letter(std::size_t index);

struct Projection {
  std::size_t x = 0;
  std::size_t y = 2;
  std::size_t colour = 1;
};

// SVG elements of one panel whose plot area starts at (left, top).
[[nodiscard]] std::string panel_svg(const ParetoPlot& plot,
                                    const PlotScales& scales,
                                    const Projection& projection,
                                    double left,
                                    double top);

}  // namespace paretrain::results
