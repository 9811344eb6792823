#include "problems/search_space.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "problems/cost_graph_problem.h"
#include "problems/plan_search_problem.h"
#include "tests/problems/random_cost_graph.h"
#include "tests/problems/random_plan_problem.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::Checkpointing;
using problems::Fusion;
using problems::Genome;
using problems::PlanObjective;
using problems::PlanProblem;
using problems::PlanSearchProblem;
using problems::SearchSpace;
using problems::SearchSpaceOptions;

PlanProblem named_problem() {
  RandomStream random(3, 0, 0);
  problems::CostGraph graph = random_cost_graph(6, random);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    graph.nodes[i].name = (i % 2 == 0 ? "conv" : "relu") + std::to_string(i);
  return problems::cost_graph_problem(graph, {});
}

SearchSpaceOptions pinned(std::vector<std::string> keep, std::vector<std::string> recompute) {
  SearchSpaceOptions options;
  options.keep = std::move(keep);
  options.recompute = std::move(recompute);
  return options;
}

std::string refusal(const PlanProblem& problem, const SearchSpaceOptions& options) {
  try {
    const SearchSpace space(problem, options);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string keep_text(const PlanProblem& problem, const Genome& genome) {
  const std::string text = problem.text(genome);
  return text.substr(0, text.find(':'));
}

const std::vector<PlanObjective> kAll = {
    PlanObjective::Latency, PlanObjective::Energy, PlanObjective::Memory};

}  // namespace

TEST_CASE("SearchSpace: everything is free without options") {
  const PlanProblem problem = named_problem();
  const SearchSpace space(problem, {});
  CHECK(space.free_gene_count() == problem.gene_count());
  RandomStream random(1, 0, 0);
  const Genome genome = random_genome(problem, random);
  Genome bits(space.free_word_count(), 0);
  Genome back(problem.word_count(), 0);
  space.contract(genome, bits);
  space.expand(bits, back);
  CHECK(back == genome);
}

TEST_CASE("SearchSpace: pins hold candidates by name") {
  const PlanProblem problem = named_problem();
  const SearchSpace space(problem, pinned({"conv*"}, {"relu?"}));
  CHECK(space.free_gene_count() == problem.fusion_gene_count());
  CHECK(keep_text(problem, space.projected(problem.recompute_all())) == "krkrkr");
  CHECK(keep_text(problem, space.projected(problem.keep_all())) == "krkrkr");
}

TEST_CASE("SearchSpace: refuses pins that match nothing or contradict") {
  const PlanProblem problem = named_problem();
  CHECK(refusal(problem, pinned({"pool*"}, {})) ==
        "--keep pool*: matches no candidate; expected a pattern (* and ?) over the names of "
        "candidates\nhint: inspect --json lists the candidates");
  CHECK(refusal(problem, pinned({"conv0"}, {"*0"})) ==
        "--recompute *0: matches conv0, which another option pins the other way");
  SearchSpaceOptions options = pinned({}, {"conv2"});
  options.checkpointing = Checkpointing::KeepAll;
  CHECK(refusal(problem, options) ==
        "--recompute conv2: matches conv2, which another option pins the other way");
}

TEST_CASE("SearchSpace: checkpointing and fusion can be held") {
  const PlanProblem problem = named_problem();
  SearchSpaceOptions options;
  options.checkpointing = Checkpointing::KeepAll;
  CHECK(SearchSpace(problem, options).free_gene_count() == problem.fusion_gene_count());
  options = {};
  options.fusion = Fusion::None;
  CHECK(SearchSpace(problem, options).free_gene_count() == problem.keep_gene_count());
  options.fusion = Fusion::Greedy;
  const SearchSpace greedy(problem, options);
  CHECK(greedy.free_gene_count() == problem.keep_gene_count());
  CHECK(greedy.fingerprint() != SearchSpace(problem, {}).fingerprint());
}

TEST_CASE("PlanSearchProblem: evaluates and repairs as the plan problem does") {
  const PlanProblem problem = named_problem();
  for (const Fusion fusion : {Fusion::Search, Fusion::None, Fusion::Greedy}) {
    SearchSpaceOptions options = pinned({"conv0"}, {});
    options.fusion = fusion;
    const SearchSpace space(problem, options);
    const PlanSearchProblem search(problem, space, kAll);
    CHECK(search.layout().bits == space.free_gene_count());
    RandomStream random(2, static_cast<std::uint64_t>(fusion), 0);
    for (int round = 0; round < 50; ++round) {
      engine::Genome bits = search.free_bits(random_genome(problem, random));
      search.canonicalize(bits);
      engine::Genome again = bits;
      search.canonicalize(again);
      CHECK(again == bits);
      const Genome whole = search.genome(bits);
      CHECK(search.free_bits(whole) == bits);
      CHECK(problems::gene_is_set(whole, problem.keep_gene_positions()[0]));
      const problems::PlanEvaluation expected = problem.evaluate(whole);
      const engine::Evaluation found = search.evaluate(bits);
      CHECK(found.objectives[0] == static_cast<double>(expected.latency));
      CHECK(found.objectives[1] == expected.energy);
      CHECK(found.objectives[2] == static_cast<double>(expected.peak_bytes));
      CHECK(found.violation == 0);
    }
  }
}

TEST_CASE("PlanSearchProblem: names objectives as columns") {
  const PlanProblem problem = named_problem();
  const SearchSpace space(problem, {});
  const PlanSearchProblem search(problem, space, kAll);
  CHECK(search.objective_names() ==
        std::vector<std::string>{"latency_cycles", "energy_pj", "peak_memory_bytes"});
}

TEST_CASE("PlanSearchProblem: orders genomes as their texts") {
  const PlanProblem problem = named_problem();
  for (const Fusion fusion : {Fusion::Search, Fusion::Greedy}) {
    SearchSpaceOptions options;
    options.fusion = fusion;
    const SearchSpace space(problem, options);
    const PlanSearchProblem search(problem, space, kAll);
    RandomStream random(4, static_cast<std::uint64_t>(fusion), 0);
    for (int round = 0; round < 200; ++round) {
      engine::Genome a = search.free_bits(random_genome(problem, random));
      engine::Genome b = search.free_bits(random_genome(problem, random));
      search.canonicalize(a);
      search.canonicalize(b);
      CHECK(search.text_order(a, b) ==
            (problem.text(search.genome(a)) <=> problem.text(search.genome(b))));
      CHECK(search.text_order(a, a) == std::strong_ordering::equal);
    }
  }
}

TEST_CASE("PlanSearchProblem: any prefix of a canonical genome in prefix order is canonical") {
  const PlanProblem problem = named_problem();
  const SearchSpace space(problem, {});
  const PlanSearchProblem search(problem, space, kAll);
  const std::vector<std::uint32_t> order = search.canonical_prefix_order();
  REQUIRE(order.size() == search.layout().bits);
  RandomStream random(5, 0, 0);
  for (int round = 0; round < 100; ++round) {
    engine::Genome bits = search.free_bits(random_genome(problem, random));
    search.canonicalize(bits);
    for (std::size_t place = order.size(); place-- > 0;) {
      engine::clear_bit(bits, order[place]);
      engine::Genome repaired = bits;
      search.canonicalize(repaired);
      REQUIRE(repaired == bits);
    }
  }
}

TEST_CASE("PlanSearchProblem: blocks are the free genes of one operator") {
  const PlanProblem problem = named_problem();
  const SearchSpace space(problem, pinned({"conv0"}, {}));
  const PlanSearchProblem search(problem, space, kAll);
  std::size_t next = 0;
  for (const engine::BitBlock& block : search.blocks()) {
    CHECK(block.begin == next);
    CHECK(block.end > block.begin);
    next = block.end;
  }
  CHECK(next == search.layout().bits);
}

TEST_CASE("PlanSearchProblem: structured moves change genes and nearly keep the number kept") {
  const PlanProblem problem = named_problem();
  const SearchSpace space(problem, {});
  const PlanSearchProblem search(problem, space, kAll);
  RandomStream random(6, 0, 0);
  int moved = 0;
  int with_as_many = 0;
  for (int round = 0; round < 300; ++round) {
    const engine::Genome before = search.free_bits(random_genome(problem, random));
    engine::Genome after = before;
    if (!search.structured_move(after, random)) {
      CHECK(after == before);
      continue;
    }
    ++moved;
    CHECK(after != before);
    int kept = 0;
    for (const std::uint32_t gene : problem.keep_gene_positions())
      kept += (engine::bit(after, gene) ? 1 : 0) - (engine::bit(before, gene) ? 1 : 0);
    // Only the fusion of neighbours anew flips a keep gene by itself.
    CHECK(std::abs(kept) <= 1);
    with_as_many += kept == 0 ? 1 : 0;
  }
  CHECK(moved > 100);
  CHECK(with_as_many > moved * 3 / 4);
}

}  // namespace paretrain::tests
