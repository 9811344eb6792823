// How fast genomes are decoded, repaired and evaluated once a search is warm: unseen offspring
// after its first 10,000 evaluations.
#include <algorithm>
#include <iostream>

#include "bench/bench.h"
#include "engine/parallel_for.h"
#include "engine/search.h"
#include "problems/named_plans.h"
#include "problems/plan_search_problem.h"
#include "problems/training_problem.h"

namespace paretrain::bench {

namespace {

constexpr std::size_t kWarmEvaluations = 10000;
constexpr std::size_t kMeasuredEvaluations = 10000;
constexpr int kRepetitions = 5;

evaluator::UpdatePlacement placement(const std::string& name) {
  if (name == "eager") return evaluator::UpdatePlacement::Eager;
  if (name == "search") return evaluator::UpdatePlacement::Search;
  return evaluator::UpdatePlacement::End;
}

struct Timed {
  double evaluate_seconds = 0;
  double canonicalize_seconds = 0;
  std::uint64_t model_calls = 0;  // groups that no thread remembered
  std::vector<engine::Genome> genomes;
};

std::vector<engine::Evaluation> evaluations(const problems::PlanSearchProblem& problem,
                                            const engine::Individuals& batch) {
  std::vector<engine::Evaluation> result;
  for (std::size_t i = 0; i < batch.size(); ++i)
    result.push_back(problem.evaluate(batch.genome(i)));
  return result;
}

// As an offspring before repair: a few genes changed.
double canonicalize_seconds(const problems::PlanSearchProblem& problem,
                            const engine::Individuals& batch,
                            RandomStream& random) {
  std::vector<engine::Genome> changed;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    changed.emplace_back(batch.genome(i).begin(), batch.genome(i).end());
    for (int k = 0; k < 3; ++k)
      engine::flip_bit(changed.back(), random.below(problem.layout().bits));
  }
  const double begin = thread_seconds();
  for (engine::Genome& genome : changed)
    problem.canonicalize(genome);
  return thread_seconds() - begin;
}

std::uint64_t model_calls(const problems::TrainingProblem& training) {
  const evaluator::MemoStatistics statistics = training.group_costs->statistics();
  return statistics.group_hits + statistics.group_misses;
}

Timed timed_search(const problems::TrainingProblem& training,
                   const problems::PlanSearchProblem& problem,
                   std::span<const engine::Genome> warm) {
  engine::SearchOptions options;
  options.threads = 1;
  engine::Search search(problem, options);
  search.prepare(warm);
  Timed result;
  RandomStream random(1, 0, 0);
  for (std::size_t done = 0; result.genomes.size() < kMeasuredEvaluations;) {
    const engine::Individuals& batch = search.ask();
    const std::uint64_t calls = model_calls(training);
    const double begin = thread_seconds();
    const std::vector<engine::Evaluation> found = evaluations(problem, batch);
    if (done >= kWarmEvaluations) {
      result.evaluate_seconds += thread_seconds() - begin;
      result.model_calls += model_calls(training) - calls;
      result.canonicalize_seconds += canonicalize_seconds(problem, batch, random);
      for (std::size_t i = 0; i < batch.size(); ++i)
        result.genomes.emplace_back(batch.genome(i).begin(), batch.genome(i).end());
    }
    done += batch.size();
    search.tell(found);
  }
  return result;
}

// The best of some repetitions, so that what else the machine does counts little.
double parallel_seconds(const problems::PlanSearchProblem& problem,
                        std::span<const engine::Genome> genomes,
                        int threads) {
  double best = 0;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double begin = elapsed_seconds();
    engine::parallel_for(genomes.size(), threads, [&](std::size_t i) {
      static_cast<void>(problem.evaluate(genomes[i]));
    });
    const double seconds = elapsed_seconds() - begin;
    best = repetition == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

}  // namespace

int plan_bench(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return 2;
  problems::TrainingProblemOptions options;
  options.accelerator = arguments.size() > 1 ? arguments[1] : "edge-tpu-quad";
  options.training.update = placement(arguments.size() > 2 ? arguments[2] : "end");
  const double begin = elapsed_seconds();
  const problems::TrainingProblem training = problems::training_problem(arguments[0], options);
  const problems::PlanProblem& plans = training.problem;
  const double built = elapsed_seconds();
  static_cast<void>(plans.evaluate(plans.keep_all()));
  std::cout << arguments[0] << " on " << options.accelerator << ": "
            << plans.graph().operators.size() << " operators, " << plans.keep_gene_count()
            << " keep genes, " << plans.fusion_gene_count() << " fusion genes\n"
            << "set-up " << built - begin << " s, first evaluation " << elapsed_seconds() - built
            << " s\n";
  const problems::SearchSpace space(plans, {});
  const problems::PlanSearchProblem problem(plans,
                                            space,
                                            {problems::PlanObjective::Latency,
                                             problems::PlanObjective::Energy,
                                             problems::PlanObjective::Memory});
  std::vector<engine::Genome> warm;
  for (const problems::NamedPlan& plan : problems::baselines(plans, space))
    warm.push_back(problem.free_bits(plan.genome));
  const Timed timed = timed_search(training, problem, warm);
  const auto count = static_cast<double>(timed.genomes.size());
  const double seconds = timed.evaluate_seconds + timed.canonicalize_seconds;
  std::cout << "unseen offspring, one thread: canonicalise "
            << timed.canonicalize_seconds / count * 1e6 << " us, evaluate "
            << timed.evaluate_seconds / count * 1e6 << " us, together " << count / seconds
            << " genomes/s; groups asked of the model "
            << static_cast<double>(timed.model_calls) / count << " a genome\n";
  const double one = parallel_seconds(problem, timed.genomes, 1);
  const double two = parallel_seconds(problem, timed.genomes, 2);
  std::cout << "evaluate again, best of " << kRepetitions << ": one thread " << count / one
            << " genomes/s, two threads " << count / two << " genomes/s, ratio " << one / two
            << "\n";
  return 0;
}

}  // namespace paretrain::bench
