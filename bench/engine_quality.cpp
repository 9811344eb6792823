#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "engine/hypervolume.h"
#include "engine/search.h"
#include "problems/bench_problem.h"

namespace paretrain::bench {

namespace {

// What a search returns: its last population, without local search, or its archive, as by default.
enum class Mode { Population, Archive };

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

void add_run(const Line& line, std::uint64_t seed, Mode mode, Found& found) {
  const problems::BenchProblem bench = problems::bench_problem(line.problem);
  engine::SearchOptions options;
  options.population = line.population;
  options.seed = seed;
  if (mode == Mode::Population) options.local_search = 0;
  options.stop.generations = 250;
  engine::Search search(*bench.problem, options);
  search.start({});
  while (!search.stop_reason())
    search.step();
  // The population alone is what other engines give; the archive belongs to the local search.
  const engine::Individuals& result =
      mode == Mode::Archive ? search.state().archive : search.state().population;
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

constexpr std::string_view kUsage =
    "usage: paretrain_engine_quality [population|archive] [SEEDS] [PROBLEM]\n"
    "PROBLEM is how its name begins: zdt6 is zdt6:30, zdt all of the family.\n";

struct Arguments {
  Mode mode = Mode::Population;
  std::uint64_t seeds = 11;
  std::string problem;
};

// Empty when they are wrong.
std::optional<Arguments> parsed(const std::vector<std::string>& words) {
  constexpr std::int64_t kMostSeeds = 1'000'000;
  Arguments arguments;
  if (words.size() > 3) return std::nullopt;
  if (!words.empty()) {
    if (words[0] != "population" && words[0] != "archive") return std::nullopt;
    if (words[0] == "archive") arguments.mode = Mode::Archive;
  }
  if (words.size() > 1) {
    const std::optional<std::int64_t> seeds = parsed_integer(words[1]);
    if (!seeds || *seeds < 1 || *seeds > kMostSeeds) return std::nullopt;
    arguments.seeds = static_cast<std::uint64_t>(*seeds);
  }
  if (words.size() > 2) arguments.problem = words[2];
  return arguments;
}

std::vector<Line> lines_of(const std::string& beginning) {
  std::vector<Line> lines = all_lines();
  std::erase_if(lines, [&](const Line& line) { return !line.problem.starts_with(beginning); });
  return lines;
}

int run(const std::vector<std::string>& words) {
  const std::optional<Arguments> arguments = parsed(words);
  if (!arguments) {
    std::cerr << kUsage;
    return 2;
  }
  const std::vector<Line> lines = lines_of(arguments->problem);
  if (lines.empty()) {
    std::cerr << "error: no problem begins with '" << arguments->problem << "'; there are:";
    for (const Line& line : all_lines())
      std::cerr << ' ' << line.problem;
    std::cerr << '\n';
    return 2;
  }
  for (const Line& line : lines) {
    Found found;
    for (std::uint64_t seed = 1; seed <= arguments->seeds; ++seed)
      add_run(line, seed, arguments->mode, found);
    print(line, std::move(found));
  }
  return 0;
}

}  // namespace

}  // namespace paretrain::bench

// What a search finds of known fronts, which is not a matter of time and so not a benchmark.
int main(int count, char** words) {
  return paretrain::bench::run({words + 1, words + count});
}
