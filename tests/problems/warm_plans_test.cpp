#include "problems/warm_plans.h"

#include <algorithm>
#include <set>

#include "problems/cost_graph_problem.h"
#include "tests/problems/random_cost_graph.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::PlanProblem;

PlanProblem uniform_chain(std::int64_t nodes) {
  problems::CostGraph graph;
  graph.input_bytes = 1;
  for (std::int64_t i = 0; i < nodes; ++i) {
    problems::CostGraphNode node;
    node.inputs = {i - 1};
    node.backward_reads = node.inputs;
    node.forward_latency = 1;
    node.output_bytes = 1;
    graph.nodes.push_back(node);
  }
  return problems::cost_graph_problem(
      graph, {.count_gradients = false, .max_group_length = {}, .memory_limit_bytes = {}});
}

}  // namespace

TEST_CASE("start_plans: reach the lowest peaks of uniform chains") {
  const std::vector<std::int64_t> nodes = {8, 12, 16, 32, 64, 128};
  const std::vector<std::int64_t> published = {4, 5, 6, 8, 11, 16};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const PlanProblem problem = uniform_chain(nodes[i]);
    std::int64_t least = 1000;
    for (const problems::Genome& genome :
         problems::start_plans(problem, problems::SearchSpace(problem, {})).others)
      least = std::min(least, problem.evaluate(genome).peak_bytes);
    INFO("n = " << nodes[i]);
    CHECK(least == published[i]);
  }
}

TEST_CASE("start_plans: distinct, canonical, obeying what is fixed; the baselines are as before") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(1, round, 1);
    INFO("round " << round);
    const PlanProblem problem =
        problems::cost_graph_problem(random_cost_graph(1 + random.below(9), random), {});
    problems::SearchSpaceOptions options;
    if (random.below(2) == 0) options.fusion = problems::Fusion::None;
    const problems::SearchSpace space(problem, options);
    const problems::StartPlans start = problems::start_plans(problem, space);
    const std::vector<problems::NamedPlan> baselines = problems::baselines(problem, space);
    REQUIRE(start.baselines.size() == baselines.size());
    std::set<problems::Genome> seen;
    for (std::size_t i = 0; i < baselines.size(); ++i) {
      CHECK(start.baselines[i].name == baselines[i].name);
      CHECK(start.baselines[i].genome == baselines[i].genome);
      seen.insert(baselines[i].genome);
    }
    for (const problems::Genome& genome : start.others) {
      CHECK(problem.canonical(space.projected(genome)) == genome);
      CHECK(seen.insert(genome).second);
    }
  }
}

}  // namespace paretrain::tests
