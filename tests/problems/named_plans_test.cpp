#include "problems/named_plans.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "problems/cost_graph_problem.h"
#include "problems/search_space.h"
#include "problems/warm_plans.h"
#include "tests/problems/random_cost_graph.h"
#include "tests/problems/random_plan_problem.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::Genome;
using problems::PlanEvaluation;
using problems::PlanProblem;

// A chain in which every backward reads its input; sizes and latencies as given.
problems::CostGraph chain(const std::vector<std::int64_t>& bytes,
                          const std::vector<std::int64_t>& latency) {
  problems::CostGraph graph;
  graph.input_bytes = 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    problems::CostGraphNode node;
    node.name = "layer" + std::to_string(i);
    node.inputs = {static_cast<std::int64_t>(i) - 1};
    node.backward_reads = node.inputs;
    node.forward_latency = latency[i];
    node.output_bytes = bytes[i];
    graph.nodes.push_back(node);
  }
  return graph;
}

PlanProblem chain_problem(const std::vector<std::int64_t>& bytes,
                          const std::vector<std::int64_t>& latency) {
  return problems::cost_graph_problem(
      chain(bytes, latency),
      {.count_gradients = false, .max_group_length = {}, .memory_limit_bytes = {}});
}

std::string keep_text(const PlanProblem& problem, const Genome& genome) {
  const std::string text = problem.text(genome);
  return text.substr(0, text.find(':'));
}

std::string named(const PlanProblem& problem, const std::string& name) {
  return keep_text(problem, *problems::named_plan(problem, name));
}

}  // namespace

TEST_CASE("named_plan: keeps what its name says") {
  const PlanProblem problem = chain_problem({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1});
  CHECK(named(problem, "keep-all") == "kkkkk");
  CHECK(named(problem, "recompute-all") == "rrrrr");
  CHECK(named(problem, "every-1") == "kkkkk");
  CHECK(named(problem, "every-2") == "krkrk");
  CHECK(named(problem, "every-3") == "krrkr");
  CHECK(named(problem, "every-99") == "krrrr");
  CHECK_FALSE(problems::named_plan(problem, "keep-some"));
  CHECK_FALSE(problems::named_plan(problem, "keep-some+greedy"));
  CHECK_THROWS_AS(static_cast<void>(problems::named_plan(problem, "every-0")), InputError);
  CHECK_THROWS_AS(static_cast<void>(problems::named_plan(problem, "every-two")), InputError);
}

TEST_CASE("greedy_memory: drops what frees most per latency first and stops at the lowest peak") {
  // Everything kept: F3 runs with all four tensors and the input, 18 bytes.
  // First round: without tensor 0 the peak is 13, at F1, for a recompute of 100; without tensor 1
  // it is 17, at F2, for a recompute of 1; tensors 2 and 3 are needed at F3. So tensor 1 goes.
  // Second round: without tensor 0 as well the peak is 13, at F1 and at R1, for 100 more.
  // Third round: no drop lowers that.
  const PlanProblem problem = chain_problem({8, 4, 4, 1}, {100, 1, 1, 1});
  CHECK(problem.evaluate(problem.keep_all()).peak_bytes == 18);
  const Genome genome = problems::greedy_memory(problem);
  CHECK(keep_text(problem, genome) == "rrkk");
  CHECK(problem.evaluate(genome).peak_bytes == 13);
  // With room for 17 bytes only the cheap drop is needed.
  Genome cheap = problem.keep_all();
  problems::set_gene(cheap, problem.keep_gene_positions()[1], 0);
  CHECK(problem.evaluate(cheap).peak_bytes == 17);
  CHECK(problem.evaluate(cheap).latency == problem.evaluate(problem.keep_all()).latency + 1);
}

TEST_CASE("greedy_memory: every drop lowers the peak and no further one would") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(1, round, 0);
    const PlanProblem problem =
        problems::cost_graph_problem(random_cost_graph(1 + random.below(9), random), {});
    const Genome genome = problems::greedy_memory(problem);
    const std::int64_t peak = problem.evaluate(genome).peak_bytes;
    CHECK(peak <= problem.evaluate(problem.keep_all()).peak_bytes);
    for (const std::uint32_t gene : problem.keep_gene_positions()) {
      if (!problems::gene_is_set(genome, gene)) continue;
      Genome dropped = genome;
      problems::set_gene(dropped, gene, 0);
      CHECK(problem.evaluate(dropped).peak_bytes >= peak);
    }
  }
}

TEST_CASE("greedy_memory: keeps everything where dropping one by one would take minutes") {
  constexpr std::int64_t kNodes = 400;
  problems::CostGraph graph =
      chain(std::vector<std::int64_t>(kNodes, 1), std::vector<std::int64_t>(kNodes, 1));
  for (std::int64_t i = 0; i < kNodes; ++i) {
    std::vector<std::int64_t> all;
    for (std::int64_t input = -1; input < i; ++input)
      all.push_back(input);
    graph.nodes[static_cast<std::size_t>(i)].inputs = all;
    graph.nodes[static_cast<std::size_t>(i)].backward_reads = all;
  }
  const PlanProblem problem = problems::cost_graph_problem(
      graph, {.count_gradients = false, .max_group_length = {}, .memory_limit_bytes = {}});
  CHECK(problems::is_too_large_to_try_each(problem));
  CHECK(problems::greedy_memory(problem) == problem.keep_all());
  CHECK(problems::start_plans(problem, problems::SearchSpace(problem, {})).others.empty());
}

TEST_CASE("greedily_fused: is canonical and never slower than unfused") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    RandomStream random(1, round, 1);
    const PlanProblem problem =
        problems::cost_graph_problem(random_cost_graph(1 + random.below(9), random), {});
    Genome unfused = random_genome(problem, random);
    for (const std::uint32_t gene : problem.fusion_gene_positions())
      problems::set_gene(unfused, gene, 0);
    const Genome fused = problems::greedily_fused(problem, unfused);
    CHECK(problem.canonical(fused) == fused);
    CHECK(problem.evaluate(fused).latency <= problem.evaluate(unfused).latency);
    for (const std::uint32_t gene : problem.keep_gene_positions())
      CHECK(problems::gene_is_set(fused, gene) == problems::gene_is_set(unfused, gene));
  }
}

TEST_CASE("greedily_fused: takes the edge that saves most bytes first") {
  // Both edges F0-F1 and F1-F2 fit alone, both together do not; tensor 1 is the larger one.
  problems::CostGraph graph = chain({2, 5, 1}, {0, 0, 0});
  for (problems::CostGraphNode& node : graph.nodes) {
    node.needs_gradient = false;
    node.backward_reads = {};
    node.tile_bytes = 1;
  }
  graph.fusion = problems::CostGraphFusion{2, 9, 1, 0};
  const PlanProblem problem = problems::cost_graph_problem(graph, {});
  const Genome fused = problems::greedily_fused(problem, problem.keep_all());
  std::string set;
  for (const std::uint32_t gene : problem.fusion_gene_positions()) {
    if (problems::gene_is_set(fused, gene)) set += problem.gene_name(gene) + " ";
  }
  CHECK(set == "F1-F2 ");
}

TEST_CASE("baselines: are the published ones in order") {
  RandomStream random(1, 0, 2);
  const PlanProblem problem = problems::cost_graph_problem(random_cost_graph(10, random), {});
  const problems::SearchSpace space(problem, {});
  std::string names;
  for (const problems::NamedPlan& plan : problems::baselines(problem, space)) {
    names += plan.name + " ";
    CHECK(problem.canonical(plan.genome) == plan.genome);
  }
  CHECK(names ==
        "keep-all recompute-all every-3 every-4 keep-all+greedy recompute-all+greedy "
        "every-3+greedy every-4+greedy greedy-memory ");
  const problems::SearchSpace unfused(problem,
                                      {.checkpointing = {},
                                       .fusion = problems::Fusion::None,
                                       .fusion_plan = {},
                                       .keep = {},
                                       .recompute = {}});
  CHECK(problems::baselines(problem, unfused).size() == 5);
}

TEST_CASE("baselines: a square number of candidates gives one every-K") {
  const PlanProblem problem = chain_problem({1, 1, 1, 1}, {1, 1, 1, 1});
  const problems::SearchSpace space(problem, {});
  std::string names;
  for (const problems::NamedPlan& plan : problems::baselines(problem, space))
    names += plan.name + " ";
  CHECK(names == "keep-all recompute-all every-2 greedy-memory ");
}

}  // namespace paretrain::tests
