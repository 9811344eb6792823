#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "problems/named_plans.h"
#include "problems/plan_scratch.h"
#include "problems/training_problem.h"
#include "results/evaluation_json.h"
#include "results/evaluation_report.h"
#include "results/evaluation_text.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using namespace paretrain::problems;

namespace {

TrainingProblem problem_with(const std::string& model,
                             evaluator::Residency residency,
                             evaluator::Objective objective = evaluator::Objective::Latency) {
  TrainingProblemOptions options;
  options.accelerator = "edge-tpu-quad";
  options.import.batch = 8;
  options.residency = residency;
  options.tile_objective = objective;
  return training_problem(model, options);
}

Genome random_genome(const PlanProblem& problem, RandomStream& random) {
  Genome genome(problem.word_count(), 0);
  for (std::size_t gene = 0; gene < problem.gene_count(); ++gene)
    set_gene(genome, gene, random.below(2));
  return genome;
}

// The sum over groups of what their tilings minimise.
double minimised(const PlanProblem& problem, GenomeView genome, evaluator::Objective objective) {
  double sum = 0;
  for (const evaluator::PlanStep& step : problem.explain(genome).steps) {
    const auto latency = static_cast<double>(step.cost.latency);
    switch (objective) {
      case evaluator::Objective::Latency:
        sum += latency;
        break;
      case evaluator::Objective::Energy:
        sum += step.cost.energy;
        break;
      case evaluator::Objective::Edp:
        sum += latency * step.cost.energy;
        break;
    }
  }
  return sum;
}

results::EvaluationReport report_of(const TrainingProblem& problem, GenomeView genome) {
  results::EvaluationSubject subject;
  subject.problem = &problem.problem;
  subject.group_costs = problem.group_costs;
  subject.simulation = results::Simulation::On;
  return results::evaluation_report(subject, genome);
}

constexpr double kRounding = 1e-9;

}  // namespace

TEST_CASE("hand-overs: a plan is never worse for them and moves fewer bytes") {
  for (const auto objective :
       {evaluator::Objective::Latency, evaluator::Objective::Energy, evaluator::Objective::Edp}) {
    const TrainingProblem with = problem_with("mlp", evaluator::Residency::On, objective);
    const TrainingProblem without = problem_with("mlp", evaluator::Residency::Off, objective);
    PlanScratch scratch;
    for (std::uint64_t round = 0; round < 15; ++round) {
      RandomStream random(1, round, 0);
      const Genome genome = random_genome(with.problem, random);
      INFO("objective " << static_cast<int>(objective) << " round " << round);
      REQUIRE(with.problem.canonical(genome) == without.problem.canonical(genome));
      const PlanEvaluation on = with.problem.evaluate(genome, scratch);
      const PlanEvaluation off = without.problem.evaluate(genome);
      CHECK(minimised(with.problem, genome, objective) <=
            minimised(without.problem, genome, objective) * (1 + kRounding));
      CHECK(on.offchip_bytes < off.offchip_bytes);
      CHECK(on.peak_bytes <= off.peak_bytes);
      // Whatever a thread remembers.
      CHECK(with.problem.evaluate(genome) == on);
    }
  }
}

TEST_CASE("hand-overs: what the report says they saved is the difference to the plan without") {
  const TrainingProblem with = problem_with("monet-resnet18-32", evaluator::Residency::On);
  const TrainingProblem without = problem_with("monet-resnet18-32", evaluator::Residency::Off);
  for (std::uint64_t round = 0; round < 3; ++round) {
    RandomStream random(1, round, 1);
    const Genome genome = random_genome(with.problem, random);
    INFO("round " << round);
    const results::EvaluationReport report = report_of(with, genome);
    const PlanEvaluation off = without.problem.evaluate(genome);
    results::GroupSaving saved;
    std::size_t tensors = 0;
    for (const results::EvaluatedGroup& group : report.groups) {
      REQUIRE(group.handed_over.has_value());
      tensors += group.handed_over->tensors.size();
      saved.latency += group.handed_over->saving.latency;
      saved.energy += group.handed_over->saving.energy;
      saved.offchip_bytes += group.handed_over->saving.offchip_bytes;
      CHECK(group.simulation->offchip_bytes == group.cost.offchip_bytes);
    }
    CHECK(tensors > 0);
    CHECK(report.totals.latency + saved.latency == off.latency);
    CHECK(report.totals.offchip_bytes + saved.offchip_bytes == off.offchip_bytes);
    CHECK(report.totals.energy + saved.energy == doctest::Approx(off.energy));
    CHECK(report.peak_without_hand_overs_bytes == off.peak_bytes);
  }
}

TEST_CASE("hand-overs: the report names them where the option is on and nowhere else") {
  const TrainingProblem with = problem_with("mlp", evaluator::Residency::On);
  const TrainingProblem without = problem_with("mlp", evaluator::Residency::Off);
  const Genome genome = with.problem.keep_all();
  const std::string json = results::evaluation_json(report_of(with, genome));
  CHECK(json.find("\"handed_over\": {\"tensors\": [{\"name\": ") != std::string::npos);
  CHECK(json.find("\"saved_peak_memory_bytes\": ") != std::string::npos);
  CHECK(results::evaluation_page(report_of(with, genome)).find("Handed to the next group") !=
        std::string::npos);
  CHECK(results::evaluation_json(report_of(without, genome)).find("handed_over") ==
        std::string::npos);
}

TEST_CASE("hand-overs: are part of the fingerprint and with it of every genome's text") {
  CHECK(problem_with("mlp", evaluator::Residency::On).problem.fingerprint() !=
        problem_with("mlp", evaluator::Residency::Off).problem.fingerprint());
}

TEST_CASE("hand-overs: an operator that cannot run is refused as without them") {
  TrainingProblemOptions options;
  options.accelerator = "edge-tpu-quad";
  options.cost_model = evaluator::CostModel::Zigzag;
  for (const auto residency : {evaluator::Residency::Off, evaluator::Residency::On}) {
    options.residency = residency;
    const auto refused = [&] {
      const TrainingProblem training = training_problem("mlp", options);
      static_cast<void>(training.problem.evaluate(training.problem.keep_all()));
    };
    CHECK_THROWS_WITH_AS(
        refused(), doctest::Contains("cannot run on this accelerator"), InputError);
  }
}
