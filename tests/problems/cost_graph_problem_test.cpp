#include "problems/cost_graph_problem.h"

#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/number_text.h"
#include "problems/plan_scratch.h"
#include "tests/problems/random_cost_graph.h"
#include "tests/problems/slow_cost_graph.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::CostGraph;
using problems::CostGraphNode;
using problems::Genome;
using problems::PlanEvaluation;
using problems::PlanProblem;

CostGraphNode node(std::int64_t id, std::int64_t read, std::int64_t latency, std::int64_t energy) {
  CostGraphNode result;
  result.inputs = {id - 1};
  result.backward_reads = {read};
  result.forward_latency = latency;
  result.forward_energy = energy;
  result.backward_energy = 2 * energy;
  return result;
}

// The example of the cost-graph format: three nodes in a chain.
CostGraph example() {
  CostGraph graph;
  graph.input_bytes = 4;
  graph.fusion = problems::CostGraphFusion{3, 9, 1, 2};
  graph.nodes = {node(0, -1, 5, 7), node(1, 1, 1, 2), node(2, 1, 4, 6)};
  const std::vector<std::int64_t> backward_latency = {10, 1, 8};
  const std::vector<std::int64_t> bytes = {6, 6, 2};
  const std::vector<std::int64_t> tiles = {3, 2, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    graph.nodes[i].backward_latency = backward_latency[i];
    graph.nodes[i].output_bytes = bytes[i];
    graph.nodes[i].gradient_bytes = bytes[i];
    graph.nodes[i].tile_bytes = tiles[i];
  }
  return graph;
}

CostGraph uniform_chain(std::size_t nodes) {
  CostGraph graph;
  graph.input_bytes = 1;
  for (std::size_t i = 0; i < nodes; ++i) {
    CostGraphNode step = node(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) - 1, 1, 1);
    step.backward_latency = 1;
    step.output_bytes = 1;
    step.gradient_bytes = 1;
    graph.nodes.push_back(step);
  }
  return graph;
}

PlanProblem problem_of(const CostGraph& graph, bool count_gradients) {
  return problems::cost_graph_problem(
      graph,
      {.count_gradients = count_gradients, .max_group_length = {}, .memory_limit_bytes = {}});
}

// Bits as texts of 0 and 1, in gene order.
Genome genome_of(const PlanProblem& problem, const std::string& keep, const std::string& fusion) {
  Genome genome = problem.recompute_all();
  for (std::size_t k = 0; k < keep.size(); ++k)
    problems::set_gene(genome, problem.keep_gene_positions()[k], keep[k] == '1' ? 1 : 0);
  for (std::size_t f = 0; f < fusion.size(); ++f)
    problems::set_gene(genome, problem.fusion_gene_positions()[f], fusion[f] == '1' ? 1 : 0);
  return genome;
}

std::string fusion_text(const PlanProblem& problem, const Genome& genome) {
  std::string text;
  for (const std::uint32_t gene : problem.fusion_gene_positions())
    text += problems::gene_is_set(genome, gene) ? '1' : '0';
  return text;
}

std::string value_text(const PlanProblem& problem, const evaluator::ValueCopy& copy) {
  return problem.graph().values[copy.value.index()].name + (copy.recomputed ? "'" : "");
}

std::string values_text(const PlanProblem& problem,
                        const std::vector<evaluator::ValueCopy>& copies) {
  std::string text;
  for (const evaluator::ValueCopy& copy : copies) {
    if (!text.empty()) text += ' ';
    text += value_text(problem, copy);
  }
  return text;
}

std::uint64_t test_seed() {
  const char* given = std::getenv("TEST_SEED");
  if (given == nullptr) return 1;
  return static_cast<std::uint64_t>(parsed_integer(given).value_or(1));
}

std::vector<bool> random_bits(std::size_t count, RandomStream& random) {
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i)
    bits[i] = random.below(2) == 0;
  return bits;
}

std::string bits_text(const std::vector<bool>& bits) {
  std::string text;
  for (const bool bit : bits)
    text += bit ? '1' : '0';
  return text;
}

}  // namespace

TEST_CASE("cost_graph_problem: genes stand in the published order") {
  const PlanProblem problem = problem_of(example(), true);
  std::string names;
  for (std::size_t gene = 0; gene < problem.gene_count(); ++gene)
    names += problem.gene_name(gene) + " ";
  CHECK(names == "node0 B1-B0 node1 F0-F1 R0-R1 R1-B1 B2-B1 node2 F1-F2 R1-R2 R1-B2 ");
}

TEST_CASE("cost_graph_problem: everything kept and nothing fused costs what was worked by hand") {
  for (const bool gradients : {false, true}) {
    const PlanProblem problem = problem_of(example(), gradients);
    const PlanEvaluation found = problem.evaluate(problem.keep_all());
    CHECK(found.latency == 72);
    CHECK(found.energy == 189);
    CHECK(found.peak_bytes == (gradients ? 22 : 16));
    CHECK(found.groups == 6);
    CHECK(found.recomputed == 0);
  }
}

TEST_CASE("cost_graph_problem: plan A is what was worked by hand") {
  for (const bool gradients : {false, true}) {
    const PlanProblem problem = problem_of(example(), gradients);
    const Genome genome = genome_of(problem, "111", "11000000");
    CHECK(problem.canonical(genome) == genome);
    const PlanEvaluation found = problem.evaluate(genome);
    CHECK(found.latency == 48);
    CHECK(found.energy == 141);
    CHECK(found.offchip_bytes == 48);
    CHECK(found.peak_bytes == (gradients ? 18 : 12));
    CHECK(found.groups == 4);
  }
}

TEST_CASE("cost_graph_problem: plan B is repaired and is what was worked by hand") {
  for (const bool gradients : {false, true}) {
    const PlanProblem problem = problem_of(example(), gradients);
    const Genome genome = genome_of(problem, "000", "01110111");
    CHECK(fusion_text(problem, problem.canonical(genome)) == "01100101");
    const PlanEvaluation found = problem.evaluate(genome);
    CHECK(found.latency == 56);
    CHECK(found.energy == 158);
    CHECK(found.peak_bytes == (gradients ? 22 : 10));
    CHECK(found.recomputed == 2);
    PlanEvaluation again = problem.evaluate(problem.canonical(genome));
    CHECK(again == found);
  }
}

TEST_CASE("explain: shows plan B step by step") {
  const PlanProblem problem = problem_of(example(), true);
  const evaluator::PlanExplanation plan = problem.explain(genome_of(problem, "000", "01110111"));
  REQUIRE(plan.steps.size() == 4);
  const std::vector<std::string> reads = {
      "input", "input node2:grad", "node1' node1:grad", "input node0:grad"};
  const std::vector<std::string> writes = {"node2", "node1' node1:grad", "node0:grad", ""};
  const std::vector<std::string> internal = {"node0 node1", "node0'", "", ""};
  const std::vector<std::int64_t> latency = {10, 18, 18, 10};
  const std::vector<double> energy = {27, 57, 40, 34};
  const std::vector<std::int64_t> alive = {6, 18, 22, 10};
  for (std::size_t s = 0; s < 4; ++s) {
    INFO("step " << s);
    CHECK(values_text(problem, plan.steps[s].reads) == reads[s]);
    CHECK(values_text(problem, plan.steps[s].writes) == writes[s]);
    CHECK(values_text(problem, plan.steps[s].internal) == internal[s]);
    CHECK(plan.steps[s].cost.latency == latency[s]);
    CHECK(plan.steps[s].cost.energy == energy[s]);
    CHECK(plan.steps[s].alive_total == Bytes(alive[s]));
    Bytes by_role;
    for (const Bytes bytes : plan.steps[s].alive)
      by_role += bytes;
    CHECK(by_role == plan.steps[s].alive_total);
  }
  CHECK(plan.peak_step == 2);
  CHECK(plan.peak == Bytes(22));
  CHECK(values_text(problem, plan.alive_at_peak) == "node1' node0:grad node1:grad");
  CHECK(values_text(problem, plan.resident) == "input");
  CHECK(plan.recomputed.size() == 2);
}

TEST_CASE("cost_graph_problem: uniform chains reach the known lowest peaks") {
  for (std::size_t n = 1; n <= 16; ++n) {
    const PlanProblem problem = problem_of(uniform_chain(n), false);
    problems::PlanScratch scratch;
    std::int64_t least = 1000;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << n); ++bits)
      least = std::min(least, problem.evaluate_canonical(std::vector{bits}, scratch).peak_bytes);
    // The smallest p with p (p + 1) / 2 >= n + 2: 4, 5, 6 for n = 8, 12, 16, as published.
    std::int64_t p = 2;
    while (p * (p + 1) / 2 < static_cast<std::int64_t>(n) + 2)
      ++p;
    INFO("n = " << n);
    CHECK(least == p);
  }
}

TEST_CASE("cost_graph_problem: shrinking segments reach the published peaks of long chains") {
  const std::vector<std::size_t> nodes = {8, 12, 16, 32, 64, 128};
  const std::vector<std::int64_t> published = {4, 5, 6, 8, 11, 16};
  problems::PlanScratch scratch;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const PlanProblem problem = problem_of(uniform_chain(nodes[i]), false);
    std::int64_t least = 1000;
    for (std::size_t longest = 1; longest < nodes[i]; ++longest) {
      for (std::size_t first = 0; first < longest; ++first) {
        Genome genome = problem.recompute_all();
        std::size_t length = longest;
        for (std::size_t kept = first; kept < nodes[i] && length > 0; kept += --length)
          problems::set_gene(genome, problem.keep_gene_positions()[kept], 1);
        least = std::min(least, problem.evaluate_canonical(genome, scratch).peak_bytes);
      }
    }
    INFO("n = " << nodes[i]);
    CHECK(least == published[i]);
  }
}

TEST_CASE("slow_plan: finds the same lowest peak of the uniform chain of nine") {
  const CostGraph chain = uniform_chain(9);
  std::int64_t least = 1000;
  for (unsigned bits = 0; bits < 512; ++bits) {
    std::vector<bool> keep(9);
    for (unsigned k = 0; k < 9; ++k)
      keep[k] = ((bits >> k) & 1U) != 0;
    least = std::min(least, slow_plan(chain, keep, {}).peak_without_gradients);
  }
  CHECK(least == 5);
}

TEST_CASE("cost_graph_problem: agrees with the plain evaluator on random graphs and genomes") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t round = 0; round < 400; ++round) {
    RandomStream random(seed, round, 0);
    CostGraph graph = random_cost_graph(1 + random.below(8), random);
    if (random.below(4) == 0) graph.fusion.reset();
    const PlanProblem without = problem_of(graph, false);
    const PlanProblem with = problem_of(graph, true);
    const std::vector<SlowEdge> edges = slow_edges(graph);
    REQUIRE(edges.size() == with.fusion_gene_count());
    for (std::size_t f = 0; f < edges.size(); ++f)
      CHECK(with.gene_name(with.fusion_gene_positions()[f]) ==
            edges[f].producer + "-" + edges[f].consumer);
    for (int trial = 0; trial < 12; ++trial) {
      const std::vector<bool> keep = random_bits(graph.nodes.size(), random);
      const std::vector<bool> fusion = random_bits(edges.size(), random);
      const SlowPlan slow = slow_plan(graph, keep, fusion);
      const Genome genome = genome_of(with, bits_text(keep), bits_text(fusion));
      INFO("TEST_SEED=" << seed << " round " << round << " keep " << bits_text(keep) << " fusion "
                        << bits_text(fusion));
      const Genome canonical = with.canonical(genome);
      CHECK(fusion_text(with, canonical) == bits_text(slow.fusion));
      CHECK(with.canonical(canonical) == canonical);
      const PlanEvaluation found = with.evaluate(genome);
      CHECK(found.latency == slow.latency);
      CHECK(found.energy == static_cast<double>(slow.energy));
      CHECK(found.peak_bytes == slow.peak_with_gradients);
      CHECK(found.groups == slow.groups.size());
      CHECK(without.evaluate(genome).peak_bytes == slow.peak_without_gradients);
      problems::PlanScratch scratch;
      CHECK(with.evaluate_canonical(canonical, scratch) == found);
    }
  }
}

TEST_CASE("cost_graph_problem: the plans of all genomes are those of all legal groupings") {
  using Figures = std::array<std::int64_t, 4>;
  for (std::uint64_t round = 0; round < 60; ++round) {
    RandomStream random(test_seed(), round, 5);
    const CostGraph graph = random_cost_graph(1 + random.below(3), random);
    const PlanProblem problem = problem_of(graph, true);
    if (problem.fusion_gene_count() > 9) continue;
    INFO("TEST_SEED=" << test_seed() << " round " << round);
    problems::PlanScratch scratch;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << graph.nodes.size()); ++bits) {
      std::vector<bool> keep(graph.nodes.size());
      for (std::size_t k = 0; k < keep.size(); ++k)
        keep[k] = ((bits >> k) & 1U) != 0;
      std::set<Figures> expected;
      for (const SlowPlan& plan : slow_plans_of_all_groupings(graph, keep))
        expected.insert({plan.latency,
                         plan.energy,
                         plan.peak_with_gradients,
                         static_cast<std::int64_t>(plan.groups.size())});
      std::set<Figures> found;
      Genome genome = genome_of(problem, bits_text(keep), "");
      for (std::uint64_t set = 0; set < (std::uint64_t{1} << problem.fusion_gene_count()); ++set) {
        for (std::size_t f = 0; f < problem.fusion_gene_count(); ++f)
          problems::set_gene(genome, problem.fusion_gene_positions()[f], (set >> f) & 1U);
        const PlanEvaluation plan = problem.evaluate(genome, scratch);
        found.insert({plan.latency,
                      static_cast<std::int64_t>(plan.energy),
                      plan.peak_bytes,
                      static_cast<std::int64_t>(plan.groups)});
      }
      CHECK(found == expected);
    }
  }
}

TEST_CASE("cost_graph_problem: a memory limit is a violation and no error") {
  const PlanProblem problem = problems::cost_graph_problem(
      example(), {.count_gradients = true, .max_group_length = {}, .memory_limit_bytes = 20});
  CHECK(problem.evaluate(problem.keep_all()).violation_bytes == 2);
  CHECK(problem.evaluate(genome_of(problem, "111", "11000000")).violation_bytes == 0);
}

TEST_CASE("cost_graph_problem: the group length of the command line wins") {
  const PlanProblem problem = problems::cost_graph_problem(
      example(), {.count_gradients = {}, .max_group_length = 1, .memory_limit_bytes = {}});
  const Genome all = genome_of(problem, "111", "11111111");
  CHECK(fusion_text(problem, problem.canonical(all)) == "00000000");
}

TEST_CASE("cost_graph_problem: sums that doubles cannot hold are refused by name") {
  CostGraph graph = example();
  graph.source = "big.json";
  graph.nodes[0].forward_latency = std::int64_t{1} << 51U;
  CHECK_NOTHROW(problem_of(graph, true));
  graph.nodes[0].forward_latency = std::int64_t{1} << 52U;
  graph.nodes[1].output_bytes = std::int64_t{1} << 52U;
  graph.nodes[2].output_bytes = std::int64_t{1} << 62U;
  try {
    static_cast<void>(problem_of(graph, true));
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.find("big.json: the latencies of all operators") != std::string::npos);
    CHECK(message.find("big.json: the bytes of all operators") != std::string::npos);
  }
}

}  // namespace paretrain::tests
