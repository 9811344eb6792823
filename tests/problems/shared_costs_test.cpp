// Groups are worked out by several threads together: who does what must not show.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/parallel_for.h"
#include "engine/thread_team.h"
#include "problems/training_problem.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using namespace paretrain::problems;

namespace {

std::uint64_t test_seed() {
  const char* const given = std::getenv("TEST_SEED");
  return given == nullptr ? 1 : std::stoull(given);
}

TrainingProblem fresh_problem(evaluator::Objective objective) {
  TrainingProblemOptions options;
  options.accelerator = "edge-tpu-quad";
  options.import.batch = 8;
  options.tile_objective = objective;
  return training_problem("mlp", options);
}

std::vector<Genome> random_genomes(const PlanProblem& plans, std::size_t count) {
  std::vector<Genome> genomes;
  for (std::size_t g = 0; g < count; ++g) {
    RandomStream random(test_seed(), 0, g);
    Genome genome(plans.word_count(), 0);
    for (std::size_t gene = 0; gene < plans.gene_count(); ++gene)
      if (random.below(3) != 0) genome[gene / 64] |= std::uint64_t{1} << (gene % 64);
    genomes.push_back(std::move(genome));
  }
  return genomes;
}

// Nothing is known to the problem, so that the plans' groups are worked out now.
std::vector<PlanEvaluation> evaluations(evaluator::Objective objective, int threads) {
  const TrainingProblem training = fresh_problem(objective);
  const std::vector<Genome> genomes = random_genomes(training.problem, 6);
  std::vector<PlanEvaluation> found(genomes.size());
  engine::ThreadTeam team(threads);
  engine::parallel_for(genomes.size(), team, [&](std::size_t g) {
    found[g] = training.problem.evaluate(genomes[g]);
  });
  return found;
}

}  // namespace

TEST_CASE("group costs: are the same for any number of threads that work them out together") {
  const auto serial = evaluations(evaluator::Objective::Latency, 1);
  for (const int threads : {2, 4, 16}) {
    INFO("TEST_SEED=" << test_seed() << " threads " << threads);
    CHECK(evaluations(evaluator::Objective::Latency, threads) == serial);
  }
}

TEST_CASE("group costs: are the same for all objectives of tilings") {
  for (const auto objective : {evaluator::Objective::Energy, evaluator::Objective::Edp}) {
    INFO("TEST_SEED=" << test_seed());
    CHECK(evaluations(objective, 4) == evaluations(objective, 1));
  }
}
