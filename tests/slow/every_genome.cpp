// Every genome of random cost graphs, fast evaluator against plain one:
//
//   paretrain_every_genome [--first 1] [--seeds 100] [--nodes 5] [--bits 14]
//
// Fused graphs with skips, several consumers and contributors, nodes without gradient, zero bytes
// and costs, tiles that never fit; one in five without fusion. Of each genome canonical form,
// latency, energy, off-chip bytes and both peaks (gradients counted and not) must be equal; with
// all fusion genes 0 the peaks must be those of the same graph without fusion. Graphs of more than
// `--bits` genes are skipped. Exits 1 at the first difference.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "base/random.h"
#include "problems/cost_graph_problem.h"
#include "problems/plan_scratch.h"
#include "tests/slow/plain_cost_graph.h"
#include "tests/slow/program_options.h"
#include "tests/slow/random_instances.h"

namespace paretrain::tests {

namespace {

using problems::Genome;
using problems::PlanProblem;

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 100;
  std::uint64_t nodes = 5;
  std::uint64_t bits = 14;
};

problems::CostGraph random_graph(std::uint64_t seed, const Options& options) {
  RandomStream random(seed, 0, 13);
  problems::CostGraph graph = random_fused_cost_graph(1 + random.below(options.nodes), random);
  if (random.below(5) == 0) graph.fusion.reset();
  return graph;
}

// Both evaluators on one graph, gradients counted or not.
class Pair {
 public:
  Pair(const problems::CostGraph& graph, CountGradients count)
      : problem_(problems::cost_graph_problem(graph,
                                              {.count_gradients = count == CountGradients::Yes,
                                               .max_group_length = {},
                                               .memory_limit_bytes = {}})),
        step_(plain_step(graph, count)),
        groups_(plain_groups(graph, step_)) {}

  [[nodiscard]] std::size_t gene_count() const { return step_.genes.size(); }

  [[nodiscard]] bool same_gene_count() const { return problem_.gene_count() == step_.genes.size(); }

  [[nodiscard]] bool is_keep(std::size_t gene) const {
    return step_.genes[gene].storage.has_value();
  }

  [[nodiscard]] PlainPlan plain(std::uint64_t bits) const {
    std::vector<std::uint8_t> genes(gene_count());
    for (std::size_t g = 0; g < genes.size(); ++g)
      genes[g] = ((bits >> g) & 1U) != 0 ? 1 : 0;
    return plain_plan(step_, groups_, genes);
  }

  // An empty text when both agree.
  [[nodiscard]] std::string difference(std::uint64_t bits) {
    const PlainPlan plan = plain(bits);
    const problems::PlanEvaluation fast = problem_.evaluate(std::vector{bits}, scratch_);
    Genome canonical = {bits};
    problem_.canonicalize(canonical, scratch_);
    for (std::size_t g = 0; g < gene_count(); ++g)
      if (problems::gene_is_set(canonical, g) != (plan.genes[g] != 0))
        return "canonical form, gene " + problem_.gene_name(g);
    if (problem_.canonical(canonical) != canonical) return "the canonical form of canonical";
    if (problem_.evaluate_canonical(canonical, scratch_) != fast) return "canonical evaluation";
    if (fast.latency != plan.latency) return "latency";
    if (fast.energy != plan.energy) return "energy";
    if (fast.offchip_bytes != plan.offchip_bytes) return "off-chip bytes";
    if (fast.peak_bytes != plan.peak_bytes) return "peak";
    if (fast.groups != plan.groups) return "groups";
    return "";
  }

 private:
  PlanProblem problem_;
  PlainStep step_;
  PlainGroups groups_;
  problems::PlanScratch scratch_;
};

// Peak of the same keep genes on the graph without fusion.
std::int64_t unfused_peak(const problems::CostGraph& graph,
                          CountGradients count,
                          std::uint64_t bits,
                          const Pair& fused) {
  problems::CostGraph plain = graph;
  plain.fusion.reset();
  std::uint64_t kept = 0;
  std::size_t k = 0;
  for (std::size_t g = 0; g < fused.gene_count(); ++g)
    if (fused.is_keep(g)) kept |= ((bits >> g) & 1U) << k++;
  return Pair(plain, count).plain(kept).peak_bytes;
}

struct Count {
  std::uint64_t graphs = 0;
  std::uint64_t genomes = 0;
  std::uint64_t skipped = 0;
};

// An empty text when every genome agrees.
std::string difference(const problems::CostGraph& graph, const Options& options, Count& count) {
  for (const CountGradients gradients : {CountGradients::No, CountGradients::Yes}) {
    Pair pair(graph, gradients);
    if (!pair.same_gene_count()) return "the number of genes";
    if (pair.gene_count() > options.bits) {
      ++count.skipped;
      return "";
    }
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << pair.gene_count()); ++bits) {
      const std::string different = pair.difference(bits);
      if (!different.empty()) return different + " of genome " + std::to_string(bits);
      bool fused = false;
      for (std::size_t g = 0; g < pair.gene_count(); ++g)
        fused = fused || (!pair.is_keep(g) && ((bits >> g) & 1U) != 0);
      if (!fused && pair.plain(bits).peak_bytes != unfused_peak(graph, gradients, bits, pair))
        return "the unfused peak of genome " + std::to_string(bits);
      ++count.genomes;
    }
  }
  ++count.graphs;
  return "";
}

Options parsed(const std::vector<std::string>& words) {
  const ProgramOptions given(
      words, {{"--first", "1"}, {"--seeds", "100"}, {"--nodes", "5"}, {"--bits", "14"}});
  return {given.number("--first"),
          given.number("--seeds"),
          given.number("--nodes"),
          given.number("--bits")};
}

int run(const std::vector<std::string>& words) {
  const Options options = parsed(words);
  Count count;
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    const std::string different = difference(random_graph(seed, options), options, count);
    if (different.empty()) continue;
    std::cout << "seed " << seed << " DIFFERS in " << different << "\n";
    return 1;
  }
  std::cout << count.genomes << " genomes of " << count.graphs << " graphs evaluate alike; "
            << count.skipped << " graphs were too large\n";
  return 0;
}

}  // namespace

}  // namespace paretrain::tests

int main(int count, char** words) {
  return paretrain::tests::program(count, words, paretrain::tests::run);
}
