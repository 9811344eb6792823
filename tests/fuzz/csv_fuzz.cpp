// Any bytes as a front give a front or an InputError, and what is read can be drawn.
#include <string>
#include <vector>

#include "base/error.h"
#include "results/front_file.h"
#include "results/knee.h"
#include "results/report_page.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace results = paretrain::results;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  try {
    const results::FrontFile front = results::parsed_front(text, "front.csv");
    results::ReportPage page;
    page.plot.latency_unit = front.latency_unit;
    page.plot.energy_unit = front.energy_unit;
    page.plot.fronts.resize(1);
    std::vector<results::ObjectivePoint> points;
    for (const results::FrontPoint& point : front.points) {
      points.push_back({point.latency, point.energy, point.memory_bytes});
      page.plot.fronts.front().points.push_back({point.plan, points.back()});
    }
    page.plot.knee = results::knee(points);
    if (results::standings(points).size() != points.size()) return 1;
    const std::string html = results::report_page(page);
    if (html.empty()) return 1;
  } catch (const paretrain::InputError& error) {
    if (error.problems().empty()) return 1;
  }
  return 0;
}
