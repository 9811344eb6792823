#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/hypervolume.hpp>
#include <pagmo/utils/multi_objective.hpp>

#include "base/random.h"
#include "bench/bench.h"
#include "engine/hypervolume.h"
#include "engine/non_dominated_ranks.h"
#include "engine/search.h"
#include "problems/bench_problem.h"

namespace paretrain::bench {

namespace {

using Rows = std::vector<std::vector<double>>;

double cpu_ms() {
  return thread_seconds() * 1e3;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Points of the unit cube, or of the sphere's part in it (one front).
Rows random_rows(bool front, std::size_t count, std::size_t objectives, RandomStream& random) {
  Rows rows(count, std::vector<double>(objectives));
  for (std::vector<double>& row : rows) {
    double squares = 0;
    for (double& value : row) {
      // Box and Muller's method makes the sphere even.
      const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
      value =
          front ? std::abs(radius * std::cos(6.283185307179586 * random.unit())) : random.unit();
      squares += value * value;
    }
    for (double& value : row)
      value /= front ? std::sqrt(squares) : 1;
  }
  return rows;
}

std::vector<double> flat(const Rows& rows) {
  std::vector<double> values;
  for (const std::vector<double>& row : rows)
    values.insert(values.end(), row.begin(), row.end());
  return values;
}

struct Times {
  double own_ms = 0;
  double pagmo_ms = 0;
};

void print(const std::string& what, const Times& times) {
  std::printf("%-34s own %9.4f ms  pagmo %9.3f ms  ratio %7.1f\n",
              what.c_str(),
              times.own_ms,
              times.pagmo_ms,
              times.pagmo_ms / times.own_ms);
  std::fflush(stdout);
}

// Medians of `calls` pairs of calls on the same fresh rows.
Times compared(std::size_t calls,
               const std::function<Rows(RandomStream&)>& rows_of,
               const std::function<double(const std::vector<double>&)>& own,
               const std::function<double(const Rows&)>& pagmo) {
  std::vector<double> own_times;
  std::vector<double> pagmo_times;
  double difference = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    RandomStream random(1, calls, call);
    const Rows rows = rows_of(random);
    const std::vector<double> values = flat(rows);
    const double begin = cpu_ms();
    const double mine = own(values);
    const double middle = cpu_ms();
    const double theirs = pagmo(rows);
    pagmo_times.push_back(cpu_ms() - middle);
    own_times.push_back(middle - begin);
    difference = std::max(difference, std::abs(mine - theirs) / std::max(1.0, std::abs(theirs)));
  }
  if (difference > 1e-9) std::printf("results differ by %g\n", difference);
  return {median(own_times), median(pagmo_times)};
}

void compare_ranks(std::size_t calls) {
  engine::NonDominatedRanks sorter;
  for (const bool front : {false, true}) {
    for (const std::size_t objectives : {2U, 3U, 4U}) {
      for (const std::size_t count : {200U, 400U, 1000U, 2000U, 5000U}) {
        const auto own = [&](const std::vector<double>& values) {
          const auto ranks = sorter.ranks(values, objectives);
          double sum = 0;
          for (std::size_t i = 0; i < ranks.size(); ++i)
            sum += ranks[i] * static_cast<double>(i % 97);
          return sum;
        };
        const auto theirs = [](const Rows& rows) {
          const auto ranks = std::get<3>(pagmo::fast_non_dominated_sorting(rows));
          double sum = 0;
          for (std::size_t i = 0; i < ranks.size(); ++i)
            sum += static_cast<double>(ranks[i]) * static_cast<double>(i % 97);
          return sum;
        };
        print(
            "rank M=" + std::to_string(objectives) + " N=" + std::to_string(count) +
                (front ? " front" : " uniform"),
            compared(
                calls,
                [&](RandomStream& random) { return random_rows(front, count, objectives, random); },
                own,
                theirs));
      }
    }
  }
}

void compare_volumes(std::size_t calls) {
  engine::Hypervolume hypervolume;
  for (const bool front : {true, false}) {
    for (const std::size_t objectives : {2U, 3U, 4U}) {
      for (const std::size_t count : {100U, 300U, 1000U}) {
        const std::vector<double> reference(objectives, 1.1);
        print(
            "hypervolume M=" + std::to_string(objectives) + " N=" + std::to_string(count) +
                (front ? " front" : " uniform"),
            compared(
                calls,
                [&](RandomStream& random) { return random_rows(front, count, objectives, random); },
                [&](const std::vector<double>& values) {
                  return hypervolume.volume(values, reference);
                },
                [&](const Rows& rows) { return pagmo::hypervolume(rows).compute(reference); }));
      }
    }
  }
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

double own_generation_ms(const std::string& name, std::size_t population, std::size_t runs) {
  const problems::BenchProblem bench = problems::bench_problem(name);
  std::vector<double> times;
  for (std::size_t run = 0; run < runs; ++run) {
    engine::SearchOptions options;
    options.population = population;
    options.seed = run + 1;
    options.threads = 1;
    options.local_search = 0;
    engine::Search search(*bench.problem, options);
    search.start({});
    for (int generation = 0; generation < 30; ++generation) {
      const double begin = cpu_ms();
      search.step();
      times.push_back(cpu_ms() - begin);
    }
  }
  return median(times);
}

double pagmo_generation_ms(std::size_t objectives, std::size_t population, std::size_t runs) {
  std::vector<double> times;
  for (std::size_t run = 0; run < runs; ++run) {
    constexpr unsigned kGenerations = 10;
    const auto seed = static_cast<unsigned>(run + 1);
    pagmo::algorithm algorithm(pagmo::nsga2(kGenerations, 0.95, 10., 1. / kGenes, 50., seed));
    pagmo::population start(pagmo::problem(PartCounts{objectives}), population, seed);
    const double begin = cpu_ms();
    static_cast<void>(algorithm.evolve(start));
    times.push_back((cpu_ms() - begin) / kGenerations);
  }
  return median(times);
}

void compare_generations(std::size_t runs) {
  for (const std::size_t population : {200U, 1000U}) {
    const double two = pagmo_generation_ms(2, population, runs);
    for (const char* const name : {"ominmax:120", "lotz:120", "cocz:120"})
      print("generation " + std::string(name) + " pop " + std::to_string(population),
            {own_generation_ms(name, population, runs), two});
    print("generation 3omm:120 pop " + std::to_string(population),
          {own_generation_ms("3omm:120", population, runs),
           pagmo_generation_ms(3, population, runs)});
  }
}

}  // namespace

// Both sides in one process, processor time, fresh data on every call, medians.
int engine_ratio_bench(const std::vector<std::string>& arguments) {
  const std::size_t calls = arguments.size() > 1 ? std::stoul(arguments[1]) : 51;
  const std::string what = arguments.empty() ? "" : arguments[0];
  if (what.empty() || what == "generation")
    compare_generations(std::max<std::size_t>(3, calls / 5));
  if (what.empty() || what == "hypervolume") compare_volumes(calls);
  if (what.empty() || what == "rank") compare_ranks(calls);
  return 0;
}

}  // namespace paretrain::bench
