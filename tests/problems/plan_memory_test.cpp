#include "problems/plan_memory.h"

#include "evaluator/graph/training_step.h"
#include "problems/cost_graph_problem.h"
#include "problems/model_step.h"
#include "problems/training_problem.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using namespace paretrain::problems;

namespace {

// The step on an accelerator and without one.
void check_same_memory(const TrainingProblemOptions& options) {
  const TrainingProblem priced = training_problem("mlp", options);
  const MicroBatchedModel step = micro_batched_model("mlp", options.import, options.micro_batch);
  const evaluator::TrainingGraph graph = model_step(step.model, options.training);
  const PlanProblem unpriced =
      unpriced_problem("mlp", graph, {options.training.update, step.repetitions});
  REQUIRE(unpriced.keep_gene_count() == priced.problem.keep_gene_count());
  CHECK(unpriced.fusion_gene_count() == 0);
  const PlanMemory memory = plan_memory(unpriced);
  const std::int64_t peak = priced.problem.evaluate(priced.problem.keep_all()).peak_bytes;
  CHECK(memory.keep_all_peak.number() == peak);
  CHECK(unpriced.evaluate(unpriced.recompute_all()).peak_bytes ==
        priced.problem.evaluate(priced.problem.recompute_all()).peak_bytes);
  CHECK(plan_memory(priced.problem).resident == memory.resident);
  const evaluator::StepSummary summary = evaluator::step_summary(graph);
  CHECK(memory.resident == summary.parameter_bytes + summary.optimizer_state_bytes +
                               summary.input_bytes + summary.buffer_bytes);
  for (std::size_t k = 0; k < summary.candidates.size(); ++k)
    CHECK(unpriced.gene_name(unpriced.keep_gene_positions()[k]) == summary.candidates[k].name);
}

}  // namespace

TEST_CASE("plan_memory: a step has the memory that it has on an accelerator") {
  TrainingProblemOptions options;
  options.accelerator = "edge-tpu-quad";
  options.import.batch = 8;
  check_same_memory(options);
  options.training.precision = evaluator::Precision::Mixed;
  options.training.update = evaluator::UpdatePlacement::Search;
  check_same_memory(options);
  // Gradients of the other micro-batches are there from the start.
  options.micro_batch = 2;
  check_same_memory(options);
}

TEST_CASE("plan_memory: of a cost graph the input and the static bytes are resident") {
  CostGraph graph;
  graph.input_bytes = 12;
  graph.static_bytes = 100;
  graph.nodes.resize(1);
  graph.nodes[0].inputs = {-1};
  graph.nodes[0].output_bytes = 16;
  graph.nodes[0].gradient_bytes = 4;
  const PlanMemory memory = plan_memory(cost_graph_problem(graph, {}));
  CHECK(memory.resident.number() == 112);
  CHECK(memory.keep_all_peak.number() == 128);
}
