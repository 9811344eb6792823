// The plain evaluator against the fast one on training steps of real networks.
#include <string>

#include "problems/plan_problem.h"
#include "problems/plan_scratch.h"
#include "problems/training_problem.h"
#include "tests/problems/random_plan_problem.h"
#include "tests/problems/slow_plan.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

void check_model(const std::string& model,
                 evaluator::UpdatePlacement update,
                 int genomes,
                 evaluator::Residency residency = evaluator::Residency::Off) {
  INFO(model);
  problems::TrainingProblemOptions options;
  options.accelerator = "edge-tpu-quad";
  options.training.update = update;
  options.residency = residency;
  const problems::TrainingProblem step = problems::training_problem(model, options);
  const problems::PlanProblem& problem = step.problem;
  RandomStream random(1, 0, 0);
  problems::PlanScratch scratch;
  for (int trial = 0; trial < genomes; ++trial) {
    INFO("trial " << trial);
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

}  // namespace

TEST_CASE("evaluate: agrees with the plain evaluator on the built-in training step") {
  check_model("resnet18", evaluator::UpdatePlacement::Search, 3);
}

TEST_CASE("evaluate: agrees with the plain evaluator where tensors are handed over") {
  check_model("mlp", evaluator::UpdatePlacement::Search, 60, evaluator::Residency::On);
  check_model("resnet18", evaluator::UpdatePlacement::End, 1, evaluator::Residency::On);
}

TEST_CASE("evaluate: agrees with the plain evaluator on imported training steps") {
  const auto models = shared_data("models");
  if (!models) return;
  check_model((*models / "mlp_mnist.train.onnx").string(), evaluator::UpdatePlacement::Eager, 60);
  check_model((*models / "mini_gpt_128.train.onnx").string(), evaluator::UpdatePlacement::End, 3);
}

}  // namespace paretrain::tests
