// How fast a search of plans runs once it is warm: unseen offspring after its first 10,000
// evaluations. Every repetition builds its problem anew and runs on a thread of its own, for
// threads remember groups from one problem to an equal one.
#include <algorithm>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "bench/benchmarks.h"
#include "engine/parallel_for.h"
#include "engine/search.h"
#include "problems/named_plans.h"
#include "problems/plan_search_problem.h"
#include "problems/training_problem.h"

namespace paretrain::bench {

namespace {

constexpr std::uint64_t kWarmEvaluations = 10000;
constexpr int kMeasuredGenerations = 100;

using evaluator::Residency;

problems::TrainingProblem built(const std::string& model, Residency residency) {
  problems::TrainingProblemOptions options;
  options.accelerator = "edge-tpu-quad";
  options.residency = residency;
  return problems::training_problem(model, options);
}

// A search of all genes for latency, energy and memory that has done its first evaluations.
class WarmSearch {
 public:
  WarmSearch(const std::string& model, int threads, Residency residency = Residency::Off)
      : training_(built(model, residency)),
        space_(training_.problem, {}),
        problem_(training_.problem,
                 space_,
                 {problems::PlanObjective::Latency,
                  problems::PlanObjective::Energy,
                  problems::PlanObjective::Memory}),
        search_(problem_, {.threads = threads}) {
    std::vector<engine::Genome> warm;
    for (const problems::NamedPlan& plan : problems::baselines(training_.problem, space_))
      warm.push_back(problem_.free_bits(plan.genome));
    search_.start(warm);
    while (evaluations() < kWarmEvaluations)
      search_.step();
    evaluations_before_ = evaluations();
    statistics_before_ = training_.group_costs->statistics();
  }

  [[nodiscard]] engine::Search& search() noexcept { return search_; }

  [[nodiscard]] const problems::PlanSearchProblem& problem() const noexcept { return problem_; }

  // Genomes evaluated since, and what the threads' own memories could not answer of them.
  void report(benchmark::State& state) const {
    const auto genomes = evaluations() - evaluations_before_;
    const evaluator::MemoStatistics statistics = training_.group_costs->statistics();
    state.SetItemsProcessed(static_cast<std::int64_t>(genomes));
    const auto per_genome = [&](std::uint64_t after, std::uint64_t before) {
      return static_cast<double>(after - before) / static_cast<double>(genomes);
    };
    const evaluator::MemoStatistics& before = statistics_before_;
    state.counters["group_misses_ever"] = static_cast<double>(statistics.group_misses);
    state.counters["group_hits_per_genome"] = per_genome(statistics.group_hits, before.group_hits);
    state.counters["group_misses_per_genome"] =
        per_genome(statistics.group_misses, before.group_misses);
    state.counters["tile_misses_per_genome"] =
        per_genome(statistics.tile_misses, before.tile_misses);
  }

 private:
  [[nodiscard]] std::uint64_t evaluations() const { return search_.state().statistics.evaluations; }

  problems::TrainingProblem training_;
  problems::SearchSpace space_;
  problems::PlanSearchProblem problem_;
  engine::Search search_;
  std::uint64_t evaluations_before_ = 0;
  evaluator::MemoStatistics statistics_before_;
};

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Model, training graph and group costs from nothing, and one plan on them.
void first_plan(benchmark::State& state, const std::string& model, Residency residency) {
  for (auto _ : state) {
    const problems::TrainingProblem training = built(model, residency);
    const problems::PlanProblem& plans = training.problem;
    const double begin = thread_seconds();
    benchmark::DoNotOptimize(plans.evaluate(plans.keep_all()));
    state.counters["evaluation_s"] = thread_seconds() - begin;
    state.counters["operators"] = static_cast<double>(plans.graph().operators.size());
    state.counters["keep_genes"] = static_cast<double>(plans.keep_gene_count());
    state.counters["fusion_genes"] = static_cast<double>(plans.fusion_gene_count());
  }
}

// Whole generations: the engine's share, canonical forms and evaluations.
void run_search(benchmark::State& state,
                const std::string& model,
                int threads,
                Residency residency = Residency::Off) {
  WarmSearch warm(model, threads, residency);
  for (auto _ : state)
    warm.search().step();
  warm.report(state);
}

// The evaluations of whole generations and nothing else.
void evaluate_offspring(benchmark::State& state, const std::string& model) {
  WarmSearch warm(model, 1);
  std::vector<engine::Evaluation> found;
  for (auto _ : state) {
    const engine::Individuals& batch = warm.search().ask();
    found.clear();
    const double begin = thread_seconds();
    for (std::size_t i = 0; i < batch.size(); ++i)
      found.push_back(warm.problem().evaluate(batch.genome(i)));
    state.SetIterationTime(thread_seconds() - begin);
    warm.search().tell(found);
  }
  warm.report(state);
}

// The canonical forms of genomes that are like offspring before repair: three genes changed.
void canonicalize_offspring(benchmark::State& state, const std::string& model) {
  WarmSearch warm(model, 1);
  RandomStream random(1, 0, 0);
  std::vector<engine::Genome> changed;
  for (auto _ : state) {
    warm.search().step();
    const engine::Individuals& population = warm.search().state().population;
    changed.clear();
    for (std::size_t i = 0; i < population.size(); ++i) {
      changed.emplace_back(population.genome(i).begin(), population.genome(i).end());
      for (int change = 0; change < 3; ++change)
        engine::flip_bit(changed.back(), random.below(warm.problem().layout().bits));
    }
    const double begin = thread_seconds();
    for (engine::Genome& genome : changed)
      warm.problem().canonicalize(genome);
    state.SetIterationTime(thread_seconds() - begin);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(changed.size()));
}

// The offspring of all these generations once more, in one loop without a search around it.
void evaluate_again(benchmark::State& state, const std::string& model, int threads) {
  WarmSearch warm(model, 1);
  std::vector<engine::Genome> genomes;
  std::vector<engine::Evaluation> found;
  for (int generation = 0; generation < kMeasuredGenerations; ++generation) {
    const engine::Individuals& batch = warm.search().ask();
    found.clear();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      genomes.emplace_back(batch.genome(i).begin(), batch.genome(i).end());
      found.push_back(warm.problem().evaluate(batch.genome(i)));
    }
    warm.search().tell(found);
  }
  engine::ThreadTeam team(threads);
  for (auto _ : state) {
    engine::parallel_for(genomes.size(), team, [&](std::size_t i) {
      benchmark::DoNotOptimize(warm.problem().evaluate(genomes[i]));
    });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(genomes.size()));
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

template <class Run>
benchmark::internal::Benchmark* add(const std::string& name, Run run) {
  return benchmark::RegisterBenchmark(
             name.c_str(),
             [run](benchmark::State& state) { std::thread([&] { run(state); }).join(); })
      ->Iterations(kMeasuredGenerations)
      ->Unit(benchmark::kMillisecond);
}

// Two threads against one: the least of some repetitions, whatever else the machine does, and the
// processor time of all threads.
void register_threads(const std::string& model, int threads) {
  const std::string which = model + "/threads:" + std::to_string(threads);
  add("parallel_search/" + which,
      [=](benchmark::State& state) { run_search(state, model, threads); })
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->ComputeStatistics("least", least);
  add("parallel_evaluate/" + which,
      [=](benchmark::State& state) { evaluate_again(state, model, threads); })
      ->Iterations(1)
      ->MeasureProcessCPUTime()
      ->UseRealTime()
      ->ComputeStatistics("least", least);
}

void register_model(const std::string& model) {
  add("first_plan/" + model, [=](benchmark::State& state) {
    first_plan(state, model, Residency::Off);
  })->Iterations(1);
  add("first_plan_residency/" + model, [=](benchmark::State& state) {
    first_plan(state, model, Residency::On);
  })->Iterations(1);
  add("search/" + model, [=](benchmark::State& state) { run_search(state, model, 1); });
  add("search_residency/" + model,
      [=](benchmark::State& state) { run_search(state, model, 1, Residency::On); });
  add("evaluate/" + model, [=](benchmark::State& state) {
    evaluate_offspring(state, model);
  })->UseManualTime();
  add("canonicalize/" + model, [=](benchmark::State& state) {
    canonicalize_offspring(state, model);
  })->UseManualTime();
  for (const int threads : {1, 2})
    register_threads(model, threads);
}

}  // namespace

void register_plan_benchmarks() {
  for (const char* const model : {"resnet18", "resnet50", "gpt2-small"})
    register_model(model);
}

}  // namespace paretrain::bench
