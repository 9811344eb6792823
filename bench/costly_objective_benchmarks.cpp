// How well a search uses its threads when an evaluation costs a millisecond of processor time, and
// how much of all processor time is the engine's own, threads that wait included.
#include <algorithm>
#include <atomic>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/hash.h"
#include "bench/benchmarks.h"
#include "engine/search.h"
#include "problems/bench_problem.h"

namespace paretrain::bench {

namespace {

constexpr double kEvaluationSeconds = 1e-3;
constexpr std::size_t kPopulation = 200;
constexpr int kGenerations = 10;

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Work that no compiler leaves out and that needs no memory.
void burn(std::uint64_t rounds) {
  std::uint64_t word = rounds;
  for (std::uint64_t i = 0; i < rounds; ++i)
    word = mixed(word + i);
  benchmark::DoNotOptimize(word);
}

std::uint64_t rounds_of_one_evaluation() {
  constexpr std::uint64_t kRounds = 200000;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 10; ++i) {
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    burn(kRounds);
    least = std::min(least, seconds(CLOCK_THREAD_CPUTIME_ID) - begin);
  }
  return static_cast<std::uint64_t>(static_cast<double>(kRounds) * kEvaluationSeconds / least);
}

// Another problem with evaluations that take longer.
class Costly : public engine::Problem {
 public:
  explicit Costly(const engine::Problem& problem)
      : problem_(problem), rounds_(rounds_of_one_evaluation()) {}

  [[nodiscard]] const engine::GenomeLayout& layout() const override { return problem_.layout(); }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override {
    return problem_.objective_names();
  }

  [[nodiscard]] engine::Evaluation evaluate(engine::GenomeView genome) const override {
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    burn(rounds_);
    const engine::Evaluation result = problem_.evaluate(genome);
    *spent_ += seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
    return result;
  }

  // Processor time of all evaluations so far.
  [[nodiscard]] double spent() const { return *spent_; }

 private:
  const engine::Problem& problem_;
  std::uint64_t rounds_;
  std::unique_ptr<std::atomic<double>> spent_ = std::make_unique<std::atomic<double>>(0);
};

void run(benchmark::State& state, const std::string& name, int threads) {
  const problems::BenchProblem bench = problems::bench_problem(name);
  const Costly problem(*bench.problem);
  engine::SearchOptions options;
  options.population = kPopulation;
  options.threads = threads;
  engine::Search search(problem, options);
  search.start({});
  const double evaluated = problem.spent();
  const double processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double real = seconds(CLOCK_MONOTONIC);
  for (auto _ : state)
    search.step();
  const double work = problem.spent() - evaluated;
  state.counters["engine_share"] = 1 - work / (seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
  state.counters["evaluations_at_a_time"] = work / (seconds(CLOCK_MONOTONIC) - real);
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace

void register_costly_objective_benchmarks() {
  for (const char* const problem : {"lotz:120", "3omm:120"}) {
    for (const int threads : {1, 2}) {
      const std::string name =
          std::string("costly/") + problem + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) { run(state, problem, threads); })
          ->Iterations(kGenerations)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime()
          ->ComputeStatistics("least", least);
    }
  }
}

}  // namespace paretrain::bench
