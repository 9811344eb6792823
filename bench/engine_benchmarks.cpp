#include <algorithm>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/benchmarks.h"
#include "bench/point_set.h"
#include "engine/hypervolume.h"
#include "engine/non_dominated_ranks.h"
#include "engine/search.h"
#include "problems/bench_problem.h"

namespace paretrain::bench {

namespace {

using Points = std::vector<double>;

std::vector<Points> ring(const PointSet& set, std::uint64_t seed) {
  std::vector<Points> sets;
  for (std::int64_t i = 0; i < ring_size(set); ++i)
    sets.push_back(random_points(set, seed, static_cast<std::uint64_t>(i)));
  return sets;
}

void register_rank(const PointSet& set) {
  const auto run = [set, repetition = std::uint64_t{0}](benchmark::State& state) mutable {
    const std::vector<Points> sets = ring(set, ++repetition);
    engine::NonDominatedRanks sorter;
    std::size_t next = 0;
    for (auto _ : state)
      benchmark::DoNotOptimize(sorter.ranks(sets[next++], set.objectives).data());
    const auto ranks = sorter.ranks(sets.front(), set.objectives);
    state.counters["fronts"] = 1 + *std::max_element(ranks.begin(), ranks.end());
  };
  benchmark::RegisterBenchmark(("rank/own/" + name(set)).c_str(), run)
      ->Iterations(ring_size(set))
      ->Unit(benchmark::kMicrosecond);
}

void register_hypervolume(const PointSet& set) {
  const auto run = [set, repetition = std::uint64_t{0}](benchmark::State& state) mutable {
    const std::vector<Points> sets = ring(set, ++repetition);
    const std::vector<double> reference(set.objectives, kReference);
    engine::Hypervolume hypervolume;
    std::size_t next = 0;
    for (auto _ : state)
      benchmark::DoNotOptimize(hypervolume.volume(sets[next++], reference));
    state.counters["volume"] = hypervolume.volume(sets.front(), reference);
  };
  benchmark::RegisterBenchmark(("hypervolume/own/" + name(set)).c_str(), run)
      ->Iterations(ring_size(set))
      ->Unit(benchmark::kMicrosecond);
}

void register_generation(const std::string& problem, std::size_t population) {
  const auto run =
      [problem, population, repetition = std::uint64_t{0}](benchmark::State& state) mutable {
        const problems::BenchProblem bench = problems::bench_problem(problem);
        engine::SearchOptions options;
        options.population = population;
        options.seed = ++repetition;
        options.threads = 1;
        options.local_search = 0;
        engine::Search search(*bench.problem, options);
        search.start({});
        for (auto _ : state)
          search.step();
      };
  const std::string full = "generation/own/" + problem + "/N:" + std::to_string(population);
  benchmark::RegisterBenchmark(full.c_str(), run)
      ->Iterations(kGenerations)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

void register_engine_benchmarks() {
  for (const PointSet& set : point_sets(kRankSizes))
    register_rank(set);
  for (const PointSet& set : point_sets(kHypervolumeSizes))
    register_hypervolume(set);
  for (const std::size_t population : kPopulations) {
    for (const char* const problem : {"ominmax:120", "lotz:120", "cocz:120", "3omm:120"})
      register_generation(problem, population);
  }
}

}  // namespace paretrain::bench
