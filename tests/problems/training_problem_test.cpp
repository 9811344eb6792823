#include "problems/training_problem.h"

#include <fstream>
#include <numeric>
#include <string>

#include "base/error.h"
#include "problems/accelerator_file.h"
#include "problems/named_plans.h"
#include "results/evaluation_json.h"
#include "results/evaluation_report.h"
#include "results/evaluation_text.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

using namespace paretrain;
using namespace paretrain::problems;

namespace {

TrainingProblemOptions on(const std::string& accelerator) {
  TrainingProblemOptions options;
  options.accelerator = accelerator;
  options.import.batch = 8;
  return options;
}

results::EvaluationReport report_of(const TrainingProblem& problem, const std::string& plan) {
  results::EvaluationSubject subject;
  subject.problem = &problem.problem;
  subject.group_costs = problem.group_costs;
  subject.plan = plan;
  return results::evaluation_report(subject, *named_plan(problem.problem, plan));
}

}  // namespace

TEST_CASE("training_problem: keeping everything unfused costs the sum of the operators") {
  const TrainingProblem mlp = training_problem("mlp", on("edge-tpu-quad"));
  const PlanEvaluation whole = mlp.problem.evaluate(mlp.problem.keep_all());
  CHECK(whole.groups == mlp.graph->operators.size());
  std::int64_t latency = 0;
  double energy = 0;
  for (const evaluator::PlanStep& step : mlp.problem.explain(mlp.problem.keep_all()).steps) {
    REQUIRE(step.operators.size() == 1);
    latency += step.cost.latency;
    energy += step.cost.energy;
  }
  CHECK(whole.latency == latency);
  CHECK(whole.energy == doctest::Approx(energy));
}

TEST_CASE("evaluation_report: totals equal the sums of their parts") {
  const TrainingProblem mlp = training_problem("mlp", on("edge-tpu-quad"));
  for (const char* const plan : {"keep-all", "recompute-all+greedy", "greedy-memory"}) {
    const results::EvaluationReport report = report_of(mlp, plan);
    std::int64_t latency = 0;
    std::int64_t bytes = 0;
    for (const results::EvaluatedGroup& group : report.groups) {
      latency += group.cost.latency;
      bytes += group.cost.offchip_bytes;
      CHECK(group.detail->cost.latency == group.cost.latency);
    }
    CHECK(report.totals.latency == latency);
    CHECK(report.totals.offchip_bytes == bytes);
    CHECK(report.totals.energy == doctest::Approx(report.energy->total()));
    CHECK(std::accumulate(report.peak_by_role.begin(),
                          report.peak_by_role.end(),
                          std::int64_t{0}) == report.totals.peak_bytes);
    CHECK(report.recomputed.size() == report.totals.recomputed);
  }
}

TEST_CASE("evaluation_report: works out the largest recomputed tensors where all take too long") {
  const TrainingProblem mlp = training_problem("mlp", on("edge-tpu-quad"));
  const results::EvaluationReport all = report_of(mlp, "recompute-all");
  REQUIRE(all.recomputed.size() > 1);
  CHECK(all.recomputed_left_out == 0);
  results::EvaluationSubject subject;
  subject.problem = &mlp.problem;
  subject.group_costs = mlp.group_costs;
  subject.most_explained_operands = 0;
  const results::EvaluationReport some =
      results::evaluation_report(subject, *named_plan(mlp.problem, "recompute-all"));
  REQUIRE(some.recomputed.size() == 1);
  CHECK(some.recomputed_left_out == all.recomputed.size() - 1);
  for (const results::RecomputedTensor& tensor : all.recomputed) {
    CHECK(tensor.bytes <= some.recomputed.front().bytes);
    if (tensor.name == some.recomputed.front().name)
      CHECK(tensor.latency_paid == some.recomputed.front().latency_paid);
  }
  CHECK(results::evaluation_page(some).find("smaller ones that were not worked out") !=
        std::string::npos);
  CHECK(results::evaluation_json(some).find("\"recomputed_tensors_left_out\": " +
                                            std::to_string(some.recomputed_left_out)) !=
        std::string::npos);
}

TEST_CASE("evaluation_json: has the keys that scripts rely on") {
  const TrainingProblem mlp = training_problem("mlp", on("fusemax"));
  const std::string json = results::evaluation_json(report_of(mlp, "recompute-all"));
  for (const char* const key : {"latency_cycles",
                                "energy_pj",
                                "peak_memory_bytes",
                                "by_role",
                                "optimizer_state",
                                "tensors",
                                "compute",
                                "on_chip",
                                "off_chip",
                                "links",
                                "offchip_bytes",
                                "recompute_macs",
                                "groups",
                                "tiles"})
    CHECK(json.find("\"" + std::string(key) + "\"") != std::string::npos);
}

TEST_CASE("training_problem: the text of a genome reads back to the same numbers") {
  const TrainingProblem mlp = training_problem("mlp", on("edge-tpu-quad"));
  const Genome genome = *named_plan(mlp.problem, "recompute-all+greedy");
  const Genome again = mlp.problem.parsed(mlp.problem.text(genome), "text");
  CHECK(mlp.problem.evaluate(genome) == mlp.problem.evaluate(again));
}

TEST_CASE("training_problem: the fingerprint tells accelerators and objectives apart") {
  TrainingProblemOptions energy = on("edge-tpu-quad");
  energy.tile_objective = evaluator::Objective::Energy;
  const auto quad = training_problem("mlp", on("edge-tpu-quad")).problem.fingerprint();
  CHECK(quad == training_problem("mlp", on("edge-tpu-quad")).problem.fingerprint());
  CHECK(quad != training_problem("mlp", on("fusemax")).problem.fingerprint());
  CHECK(quad != training_problem("mlp", energy).problem.fingerprint());
}

TEST_CASE("training_problem: micro-batches run forward and backward several times") {
  TrainingProblemOptions parts = on("edge-tpu-quad");
  parts.micro_batch = 2;
  const TrainingProblem whole = training_problem("mlp", on("edge-tpu-quad"));
  const TrainingProblem cut = training_problem("mlp", parts);
  CHECK(cut.problem.evaluate(cut.problem.keep_all()).latency >
        whole.problem.evaluate(whole.problem.keep_all()).latency);
  parts.micro_batch = 3;
  CHECK_THROWS_WITH_AS(static_cast<void>(training_problem("mlp", parts)),
                       "--micro-batch: 3 was given; expected a divisor of the batch, 8",
                       InputError);
}

namespace {

results::EvaluationReport simulated(const TrainingProblem& training) {
  results::EvaluationSubject subject;
  subject.problem = &training.problem;
  subject.group_costs = training.group_costs;
  subject.simulation = results::Simulation::On;
  return results::evaluation_report(subject, *named_plan(training.problem, "keep-all+greedy"));
}

}  // namespace

TEST_CASE("training_problem: simulated plans agree in traffic and energy") {
  for (const results::EvaluatedGroup& group :
       simulated(training_problem("mlp", on("edge-tpu-quad"))).groups) {
    CHECK(group.simulation->offchip_bytes == group.cost.offchip_bytes);
    CHECK(group.simulation->energy.total() == doctest::Approx(group.cost.energy).epsilon(1e-9));
  }
}

// A U-Net has groups that a fixed order of transfers within a step puts 6 to 9 % off.
TEST_CASE("training_problem: simulated groups of a U-Net agree in latency") {
  for (const char* accelerator : {"edge-tpu-quad", "fusemax", "edge-tpu-4x4"}) {
    TrainingProblemOptions options;
    options.accelerator = accelerator;
    for (const results::EvaluatedGroup& group :
         simulated(training_problem("unet-small", options)).groups) {
      INFO(accelerator << " " << group.operators.front());
      CHECK(static_cast<double>(group.cost.latency) ==
            doctest::Approx(static_cast<double>(group.simulation->latency)).epsilon(0.05));
      CHECK(group.simulation->offchip_bytes == group.cost.offchip_bytes);
    }
  }
}
