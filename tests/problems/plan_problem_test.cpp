#include "problems/plan_problem.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/number_text.h"
#include "problems/plan_scratch.h"
#include "tests/problems/random_plan_problem.h"
#include "tests/problems/slow_plan.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

std::uint64_t test_seed() {
  const char* given = std::getenv("TEST_SEED");
  if (given == nullptr) return 1;
  return static_cast<std::uint64_t>(parsed_integer(given).value_or(1));
}

void check_against_plain_evaluator(HandOvers hand_overs) {
  const std::uint64_t seed = test_seed();
  problems::PlanScratch scratch;  // shared by all problems on purpose
  for (std::uint64_t round = 0; round < 400; ++round) {
    RandomStream random(seed, round, 0);
    const problems::PlanProblem problem = random_plan_problem(random, hand_overs);
    for (int trial = 0; trial < 5; ++trial) {
      INFO("TEST_SEED=" << seed << " round " << round << " trial " << trial);
      const problems::Genome genome = random_genome(problem, random);
      const SlowEvaluation slow = slow_evaluation(problem, genome);
      const problems::PlanEvaluation fast = problem.evaluate(genome, scratch);
      REQUIRE(problem.canonical(genome) == slow.canonical);
      CHECK(fast.latency == slow.latency);
      CHECK(fast.energy == slow.energy);
      CHECK(fast.offchip_bytes == slow.offchip_bytes);
      CHECK(fast.peak_bytes == slow.peak_bytes);
      CHECK(fast.groups == slow.groups);
      CHECK(problem.evaluate_canonical(slow.canonical, scratch) == fast);
    }
  }
}

}  // namespace

TEST_CASE("evaluate: agrees with the plain evaluator on random step graphs and genomes") {
  check_against_plain_evaluator(HandOvers::None);
}

TEST_CASE("evaluate: agrees with the plain evaluator where groups hand values over") {
  check_against_plain_evaluator(HandOvers::Some);
}

TEST_CASE("explain: adds up to the evaluation on random step graphs") {
  std::size_t handed_over = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    RandomStream random(test_seed(), round, 1);
    const problems::PlanProblem problem =
        random_plan_problem(random, round % 2 == 0 ? HandOvers::None : HandOvers::Some);
    const problems::Genome genome = random_genome(problem, random);
    const problems::PlanEvaluation evaluation = problem.evaluate(genome);
    const evaluator::PlanExplanation plan = problem.explain(genome);
    INFO("TEST_SEED=" << test_seed() << " round " << round);
    std::int64_t latency = 0;
    double energy = 0;
    for (const evaluator::PlanStep& step : plan.steps) {
      latency += step.cost.latency;
      energy += step.cost.energy;
      Bytes sum;
      for (const Bytes bytes : step.alive)
        sum += bytes;
      CHECK(sum == step.alive_total);
      CHECK(step.alive_total <= plan.peak);
    }
    CHECK(latency == evaluation.latency);
    CHECK(energy == evaluation.energy);
    CHECK(plan.peak.number() == evaluation.peak_bytes);
    CHECK(plan.steps[plan.peak_step].alive_total == plan.peak);
    CHECK(plan.recomputed.size() == evaluation.recomputed);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const evaluator::PlanStep& step = plan.steps[i];
      const bool last = i + 1 == plan.steps.size();
      CHECK(step.carried_out ==
            (last ? std::vector<evaluator::CarriedValue>{} : plan.steps[i + 1].carried_in));
      handed_over += step.carried_out.size();
      for (const evaluator::CarriedValue& carried : step.carried_out)
        for (const auto* const copies : {&step.writes, &step.internal})
          CHECK(std::ranges::find(*copies, carried.value, &evaluator::ValueCopy::value) ==
                copies->end());
    }
    Bytes held = problem.graph().static_bytes;
    for (const evaluator::ValueCopy& copy : plan.alive_at_peak)
      held += copy.bytes;
    for (const evaluator::ValueCopy& copy : plan.resident)
      held += copy.bytes;
    CHECK(held == plan.peak);
  }
  CHECK(handed_over > 50);
}

TEST_CASE("text: reads back to the canonical genome") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(test_seed(), round, 2);
    const problems::PlanProblem problem = random_plan_problem(random);
    const problems::Genome genome = random_genome(problem, random);
    const problems::Genome canonical = problem.canonical(genome);
    CHECK(problem.parsed(problem.text(genome), "plan") == canonical);
    CHECK(problem.text(canonical) == problem.text(genome));
  }
}

TEST_CASE("fingerprint: tells problems apart and is the same for the same") {
  RandomStream first(1, 0, 3);
  RandomStream again(1, 0, 3);
  RandomStream other(1, 1, 3);
  const std::uint64_t fingerprint = random_plan_problem(first).fingerprint();
  CHECK(random_plan_problem(again).fingerprint() == fingerprint);
  const problems::PlanProblem another = random_plan_problem(other);
  CHECK(another.fingerprint() != fingerprint);
  RandomStream third(1, 0, 3);
  const problems::PlanProblem problem = random_plan_problem(third);
  CHECK_THROWS_AS(static_cast<void>(another.parsed(problem.text(problem.keep_all()), "plan")),
                  InputError);
}

}  // namespace paretrain::tests
