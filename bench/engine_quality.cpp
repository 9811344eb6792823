#include <algorithm>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/hypervolume.h"
#include "engine/search.h"
#include "problems/bench_problem.h"

namespace paretrain::bench {

namespace {

struct Line {
  std::string problem;
  std::size_t population = 100;
};

struct Found {
  std::vector<std::size_t> points;
  std::vector<double> volumes;
};

// The problems of the comparison with pagmo and pymoo, whose figures docs/engine.md cites.
std::vector<Line> all_lines() {
  return {{"ominmax:30"},
          {"lotz:30"},
          {"cocz:30"},
          {"ojzj:30:3"},
          {"zdt5"},
          {"ominmax:100"},
          {"lotz:60"},
          {"3omm:20", 200},
          {"4lotz:20", 200},
          {"zdt1"},
          {"zdt2"},
          {"zdt3"},
          {"zdt4"},
          {"zdt6:30"},
          {"dtlz1"},
          {"dtlz2"},
          {"dtlz7"}};
}

void add_run(const Line& line, std::uint64_t seed, double local_search, Found& found) {
  const problems::BenchProblem bench = problems::bench_problem(line.problem);
  engine::SearchOptions options;
  options.population = line.population;
  options.seed = seed;
  options.local_search = local_search;
  options.stop.generations = 250;
  engine::Search search(*bench.problem, options);
  search.start({});
  while (!search.stop_reason())
    search.step();
  // The population alone is what other engines give; the archive belongs to the local search.
  const engine::Individuals& result =
      local_search > 0 ? search.state().archive : search.state().population;
  std::set<std::vector<double>> points;
  for (std::size_t row = 0; row < result.size(); ++row) {
    const std::span<const double> point = result.objectives_of(row);
    if (bench.front && bench.front->contains(point)) points.emplace(point.begin(), point.end());
  }
  found.points.push_back(points.size());
  engine::Hypervolume hypervolume;
  found.volumes.push_back(hypervolume.volume(result.objectives, bench.reference));
}

void print(const Line& line, Found found) {
  std::sort(found.points.begin(), found.points.end());
  std::sort(found.volumes.begin(), found.volumes.end());
  const std::size_t middle = found.points.size() / 2;
  const double sum = std::accumulate(found.volumes.begin(), found.volumes.end(), 0.0);
  std::printf("%-12s pop %3zu  found %3zu [%zu..%zu]  hypervolume %.6g [%.6g..%.6g] mean %.6g\n",
              line.problem.c_str(),
              line.population,
              found.points[middle],
              found.points.front(),
              found.points.back(),
              found.volumes[middle],
              found.volumes.front(),
              found.volumes.back(),
              sum / static_cast<double>(found.volumes.size()));
  std::fflush(stdout);
}

}  // namespace

}  // namespace paretrain::bench

// What a search finds of known fronts, which is not a matter of time and so not a benchmark:
// paretrain_engine_quality [population|archive] [SEEDS] [PROBLEM].
int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const double local_search = !arguments.empty() && arguments[0] == "archive" ? 0.2 : 0;
  const std::uint64_t seeds = arguments.size() > 1 ? std::stoul(arguments[1]) : 11;
  for (const paretrain::bench::Line& line : paretrain::bench::all_lines()) {
    if (arguments.size() > 2 && line.problem != arguments[2]) continue;
    paretrain::bench::Found found;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      paretrain::bench::add_run(line, seed, local_search, found);
    paretrain::bench::print(line, std::move(found));
  }
  return 0;
}
