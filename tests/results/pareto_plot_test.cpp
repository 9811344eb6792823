#include "results/pareto_plot.h"

#include <algorithm>
#include <string>
#include <vector>

#include "results/png.h"
#include "results/report_page.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

ParetoPlot some_plot() {
  ParetoPlot plot;
  plot.title = "net on chip";
  plot.subtitle = "3 plans";
  plot.fronts = {{"front", {{"0", {1e6, 3e9, 1 << 20}}, {"1", {2e6, 2e9, 1 << 19}}}}};
  plot.baselines = {{"keep-all", {1.5e6, 4e9, 3 << 19}}, {"also", {1.5e6, 4e9, 3 << 19}}};
  plot.dominated = {{3e6, 3e9, 1 << 20}};
  plot.knee = 1;
  plot.memory_limit_bytes = 1 << 20;
  return plot;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// Tags are balanced and attributes quoted: enough of XML to notice a name that broke out.
bool is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (std::ranges::count(tag, '"') % 2 != 0) return false;
    const std::string name = tag.substr(0, tag.find(' '));
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("pareto_svg: draws every plan and baseline in three projections") {
  const std::string svg = pareto_svg(some_plot());
  CHECK(is_well_formed(svg));
  CHECK(count(svg, "data-plan=\"0\"") == 3);
  CHECK(count(svg, "data-plan=\"1\"") == 3);
  CHECK(count(svg, "class=\"dominated\"") == 3 + 1);     // and the key
  CHECK(count(svg, "class=\"baseline\"") == 2 * 3 + 2);  // and the key
  CHECK(count(svg, ">a,b</text>") == 3);                 // two baselines at one place
  CHECK(count(svg, "knee: plan 1") == 3);
  CHECK(count(svg, "class=\"budget\"") == 2);
  CHECK(svg.find("latency [M cycles]") != std::string::npos);
  CHECK(svg.find("energy [mJ]") != std::string::npos);
  CHECK(svg.find("peak memory [MiB]") != std::string::npos);
}

TEST_CASE("pareto_svg: a front squeezed by baselines gets a row of its own") {
  ParetoPlot plot = some_plot();
  CHECK(pareto_svg(plot).find("the front alone") == std::string::npos);
  plot.baselines[1].values[0] = 9e6;
  const std::string svg = pareto_svg(plot);
  CHECK(is_well_formed(svg));
  CHECK(svg.find("the front alone") != std::string::npos);
  CHECK(count(svg, "data-plan=\"0\"") == 6);
}

TEST_CASE("pareto_svg: hostile names stay text") {
  ParetoPlot plot = some_plot();
  const std::string evil = "</text><script>x</script>\"'&\x1b[31m";
  plot.title = evil;
  plot.latency_unit = evil;
  plot.fronts[0].label = evil;
  plot.fronts[0].points[1].label = evil;
  plot.baselines[0].label = evil;
  const std::string svg = pareto_svg(plot);
  CHECK(is_well_formed(svg));
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find('\x1b') == std::string::npos);
}

TEST_CASE("pareto_svg: degenerate fronts") {
  ParetoPlot plot;
  plot.title = "nothing";
  plot.fronts = {{"front", {}}};
  CHECK(is_well_formed(pareto_svg(plot)));
  plot.fronts[0].points = {{"0", {0, 0, 0}}, {"1", {0, 0, 0}}};
  CHECK(is_well_formed(pareto_svg(plot)));
  plot.fronts.push_back({"second", {{"0", {1e18, 1e25, 1e18}}}});
  CHECK(is_well_formed(pareto_svg(plot)));
}

TEST_CASE("report_page: is one page that fetches nothing and cannot be broken out of") {
  ParetoPlot plot = some_plot();
  plot.baselines[0].label = "</script><script>alert(1)</script>";
  ReportPlan plan{"1", "kr:0@1</script>", 1, 2, 3, 4, {5, 6, 7}, 2};
  const std::string page = report_page({plot, {plan}});
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(count(page, "</script>") == 2);
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("href=") == std::string::npos);
  CHECK(page.find("\"a\":[5,6,7]") != std::string::npos);
}

TEST_CASE("png_of_svg: makes a PNG where librsvg is built in") {
  if (!can_write_png()) return;
  CHECK(png_of_svg(pareto_svg(some_plot())).starts_with("\x89PNG\r\n"));
}

}  // namespace paretrain::results
