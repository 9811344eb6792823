#include <algorithm>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/hypervolume.hpp>
#include <pagmo/utils/multi_objective.hpp>

#include "bench/benchmarks.h"
#include "bench/point_set.h"

namespace paretrain::bench {

namespace {

using Rows = std::vector<std::vector<double>>;

// Fewer than for hypervolumes: the time of ranks grows with the square of the points.
std::int64_t rank_ring_size(const PointSet& set) {
  return std::max<std::int64_t>(1, ring_size(set) / 20);
}

Rows rows_of(const PointSet& set, const std::vector<double>& values) {
  Rows rows;
  for (auto row = values.begin(); row != values.end();) {
    const auto end = row + static_cast<std::ptrdiff_t>(set.objectives);
    rows.emplace_back(row, end);
    row = end;
  }
  return rows;
}

std::vector<Rows> ring(const PointSet& set, std::int64_t size, std::uint64_t seed) {
  std::vector<Rows> sets;
  for (std::int64_t i = 0; i < size; ++i)
    sets.push_back(rows_of(set, random_points(set, seed, static_cast<std::uint64_t>(i))));
  return sets;
}

void register_rank(const PointSet& set) {
  const auto run = [set, repetition = std::uint64_t{0}](benchmark::State& state) mutable {
    const std::vector<Rows> sets = ring(set, rank_ring_size(set), ++repetition);
    std::size_t fronts = 0;  // of the first points
    std::size_t next = 0;
    for (auto _ : state) {
      const auto found = pagmo::fast_non_dominated_sorting(sets[next]);
      if (next++ == 0) fronts = std::get<0>(found).size();
    }
    state.counters["fronts"] = static_cast<double>(fronts);
  };
  benchmark::RegisterBenchmark(("rank/pagmo/" + name(set)).c_str(), run)
      ->Iterations(rank_ring_size(set))
      ->Unit(benchmark::kMicrosecond);
}

void register_hypervolume(const PointSet& set) {
  const auto run = [set, repetition = std::uint64_t{0}](benchmark::State& state) mutable {
    const std::vector<Rows> sets = ring(set, ring_size(set), ++repetition);
    const std::vector<double> reference(set.objectives, kReference);
    std::size_t next = 0;
    for (auto _ : state)
      benchmark::DoNotOptimize(pagmo::hypervolume(sets[next++]).compute(reference));
    state.counters["volume"] = pagmo::hypervolume(sets.front()).compute(reference);
  };
  benchmark::RegisterBenchmark(("hypervolume/pagmo/" + name(set)).c_str(), run)
      ->Iterations(ring_size(set))
      ->Unit(benchmark::kMicrosecond);
}

constexpr std::size_t kGenes = 120;

// The number of ones in each of `objectives` parts of the genome, ones and zeros by turns.
struct PartCounts {
  std::size_t objectives = 2;

  [[nodiscard]] std::vector<double> fitness(const std::vector<double>& genes) const {
    std::vector<double> values(objectives, 0);
    for (std::size_t i = 0; i < genes.size(); ++i)
      values[i % objectives] += i % 2 == 0 ? genes[i] : 1 - genes[i];
    return values;
  }

  [[nodiscard]] std::size_t get_nobj() const { return objectives; }

  [[nodiscard]] std::size_t get_nix() const { return kGenes; }

  [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> get_bounds() const {
    return {std::vector<double>(kGenes, 0), std::vector<double>(kGenes, 1)};
  }
};

// Ten generations a call, so that what a call costs beside them hardly counts.
void register_generation(std::size_t objectives, std::size_t population) {
  const auto run = [objectives, population, repetition = 0U](benchmark::State& state) mutable {
    constexpr unsigned kPerCall = 10;
    static_assert(kGenerations % kPerCall == 0);
    const unsigned seed = ++repetition;
    const pagmo::algorithm algorithm(pagmo::nsga2(kPerCall, 0.95, 10., 1. / kGenes, 50., seed));
    pagmo::population members(pagmo::problem(PartCounts{objectives}), population, seed);
    while (state.KeepRunningBatch(kPerCall))
      members = algorithm.evolve(members);
  };
  const std::string full = "generation/pagmo/parts" + std::to_string(objectives) +
                           ":120/N:" + std::to_string(population);
  benchmark::RegisterBenchmark(full.c_str(), run)
      ->Iterations(kGenerations)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

void register_pagmo_benchmarks() {
  for (const PointSet& set : point_sets(kRankSizes))
    register_rank(set);
  for (const PointSet& set : point_sets(kHypervolumeSizes))
    register_hypervolume(set);
  for (const std::size_t population : kPopulations) {
    register_generation(2, population);
    register_generation(3, population);
  }
}

}  // namespace paretrain::bench
