#include "results/report_page.h"

#include <map>

#include "results/axis.h"
#include "results/json_text.h"
#include "results/plan_table.h"
#include "results/report_script.h"
#include "results/svg_text.h"

namespace paretrain::results {

namespace {

std::string point_json(const PlotPoint& point, const ReportPlan* plan) {
  std::string text =
      "{\"p\":" + json_string(point.label) + ",\"l\":" + json_number(point.values[0]) +
      ",\"e\":" + json_number(point.values[1]) + ",\"m\":" + json_number(point.values[2]);
  if (plan != nullptr) {
    text +=
        ",\"r\":" + std::to_string(plan->recomputed) + ",\"g\":" + std::to_string(plan->groups) +
        ",\"o\":" + std::to_string(plan->offchip_bytes) +
        ",\"w\":" + std::to_string(plan->recompute_work) + ",\"t\":" + json_string(plan->genome) +
        ",\"b\":" + std::to_string(plan->backward_from) + ",\"a\":[";
    for (std::size_t i = 0; i < plan->alive_bytes.size(); ++i) {
      if (i != 0) text += ',';
      text += std::to_string(plan->alive_bytes[i]);
    }
    text += ']';
  }
  return text + '}';
}

std::string points_json(const std::vector<PlotPoint>& points,
                        const std::map<std::string, const ReportPlan*>& plans) {
  std::string text = "[";
  for (const PlotPoint& point : points) {
    if (text.size() > 1) text += ",\n";
    const auto found = plans.find(point.label);
    text += point_json(point, found == plans.end() ? nullptr : found->second);
  }
  return text + ']';
}

std::string unit_json(const std::string& unit, double largest) {
  const AxisUnit scaled = axis_unit(unit, largest);
  return "{\"d\":" + json_number(scaled.divisor) + ",\"u\":" + json_string(scaled.text) + '}';
}

double largest(const std::vector<PlotPoint>& points, std::size_t objective) {
  double result = 0;
  for (const PlotPoint& point : points)
    result = std::max(result, point.values[objective]);
  return result;
}

// Several fronts keep apart by their label in front of the plan's.
std::vector<PlotPoint> all_plans(const ParetoPlot& plot) {
  std::vector<PlotPoint> points;
  for (const PlotSeries& front : plot.fronts) {
    for (PlotPoint point : front.points) {
      if (plot.fronts.size() > 1) point.label = front.label + ": " + point.label;
      points.push_back(std::move(point));
    }
  }
  return points;
}

std::string page_json(const ReportPage& page) {
  std::map<std::string, const ReportPlan*> plans;
  for (const ReportPlan& plan : page.plans)
    plans.emplace(plan.plan, &plan);
  const ParetoPlot& plot = page.plot;
  const std::vector<PlotPoint> points = all_plans(plot);
  std::vector<PlotPoint> known = points;
  known.insert(known.end(), plot.baselines.begin(), plot.baselines.end());
  std::string text = "{\"plans\":" + points_json(points, plans) +
                     ",\n\"baselines\":" + points_json(plot.baselines, {});
  text += ",\n\"units\":[" + unit_json(plot.latency_unit, largest(known, 0)) + ',' +
          unit_json(plot.energy_unit, largest(known, 1)) + ',' +
          unit_json("bytes", largest(known, 2)) + ']';
  text += ",\"knee\":" + (plot.knee ? std::to_string(*plot.knee) : std::string("null"));
  text += ",\"limit\":" +
          (plot.memory_limit_bytes ? json_number(*plot.memory_limit_bytes) : std::string("null"));
  return text + '}';
}

}  // namespace

std::string report_page(const ReportPage& page) {
  const std::string title = markup_text(shortened(page.plot.title, 200));
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>" +
         title + "</title>\n<style>" + std::string(kReportStyle) + "</style>\n</head>\n<body>\n" +
         std::string(kReportControls) + "<div id=\"picture\">\n" + pareto_svg(page.plot) +
         "</div>\n" + std::string(kReportBody) +
         "<script type=\"application/json\" id=\"data\">\n" + page_json(page) +
         "\n</script>\n<script>" + std::string(kReportScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace paretrain::results
