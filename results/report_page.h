// Why: a front is best explored by pointing at it; one page that needs no network and no library
// can be kept beside the run or mailed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/pareto_plot.h"

namespace paretrain::results {

// What the page tells about one plan besides its three objectives.
struct ReportPlan {
  std::string plan;  // label of the point in the plot
  std::string genome;
  std::uint32_t recomputed = 0;
  std::uint32_t groups = 0;
  std::int64_t offchip_bytes = 0;
  std::int64_t recompute_work = 0;
  // Off-chip bytes alive during each group, in order, and the first group of the backward phase;
  // empty when not worked out.
  std::vector<std::int64_t> alive_bytes;
  std::size_t backward_from = 0;
};

struct ReportPage {
  ParetoPlot plot;
  std::vector<ReportPlan> plans;
};

// A whole HTML document: the picture, a table of the plans that sorts and filters by memory, and
// what is known of the plan pointed at. All names are escaped.
[[nodiscard]] std::string report_page(const ReportPage& page);

}  // namespace paretrain::results
