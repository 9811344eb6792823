#include "problems/named_plans.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "base/random.h"
#include "problems/plan_scratch.h"

namespace paretrain::problems {

namespace {

constexpr std::string_view kGreedySuffix = "+greedy";
constexpr std::string_view kEvery = "every-";

Genome every(const PlanProblem& problem, std::size_t k) {
  Genome genome = problem.recompute_all();
  const std::span<const std::uint32_t> keep = problem.keep_gene_positions();
  for (std::size_t i = 0; i < keep.size(); i += k)
    set_gene(genome, keep[i], 1);
  return genome;
}

std::optional<Genome> unfused_plan(const PlanProblem& problem, std::string_view name) {
  if (name == "keep-all") return problem.keep_all();
  if (name == "recompute-all") return problem.recompute_all();
  if (name == "greedy-memory") return greedy_memory(problem);
  if (!name.starts_with(kEvery)) return std::nullopt;
  const std::string_view number = name.substr(kEvery.size());
  const std::optional<std::int64_t> k = parsed_integer(number);
  if (!k || *k < 1)
    throw InputError(Problem{"plan " + printable(name),
                             "every-K needs a whole number K from 1 up",
                             "every-3 keeps candidates 0, 3, 6, ..."});
  return every(problem, static_cast<std::size_t>(*k));
}

struct RankedEdge {
  std::uint32_t gene = 0;
  std::int64_t saved_bytes = 0;
};

// Active edges that may merge at all, by descending off-chip bytes that each saves alone.
std::vector<RankedEdge> ranked_edges(const PlanProblem& problem,
                                     const Genome& unfused,
                                     PlanScratch& scratch) {
  const std::int64_t before = problem.evaluate_canonical(unfused, scratch).offchip_bytes;
  std::vector<RankedEdge> edges;
  Genome single = unfused;
  for (const std::uint32_t gene : problem.fusion_gene_positions()) {
    single = unfused;
    set_gene(single, gene, 1);
    problem.canonicalize(single, scratch);
    if (!gene_is_set(single, gene)) continue;
    edges.push_back({gene, before - problem.evaluate_canonical(single, scratch).offchip_bytes});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const RankedEdge& a, const RankedEdge& b) {
    return a.saved_bytes > b.saved_bytes;
  });
  return edges;
}

// What dropping one candidate does.
struct Drop {
  std::uint32_t gene = 0;
  std::int64_t freed_bytes = 0;
  std::int64_t added_latency = 0;
};

// More bytes freed per latency added; what adds none comes before all that does.
bool better(const Drop& a, const Drop& b) {
  const bool a_free = a.added_latency <= 0;
  const bool b_free = b.added_latency <= 0;
  if (a_free || b_free) return a_free == b_free ? a.freed_bytes > b.freed_bytes : a_free;
  return static_cast<Wide>(a.freed_bytes) * static_cast<Wide>(b.added_latency) >
         static_cast<Wide>(b.freed_bytes) * static_cast<Wide>(a.added_latency);
}

std::optional<Drop> best_drop(const PlanProblem& problem,
                              const Genome& genome,
                              PlanScratch& scratch) {
  if (is_too_large_to_try_each(problem)) return std::nullopt;
  const PlanEvaluation now = problem.evaluate_canonical(genome, scratch);
  std::optional<Drop> best;
  Genome dropped = genome;
  for (const std::uint32_t gene : problem.keep_gene_positions()) {
    if (!gene_is_set(genome, gene)) continue;
    set_gene(dropped, gene, 0);
    const PlanEvaluation then = problem.evaluate_canonical(dropped, scratch);
    set_gene(dropped, gene, 1);
    const Drop drop{gene, now.peak_bytes - then.peak_bytes, then.latency - now.latency};
    if (drop.freed_bytes > 0 && (!best || better(drop, *best))) best = drop;
  }
  return best;
}

std::size_t square_root(std::size_t n) {
  auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n)
    --root;
  while ((root + 1) * (root + 1) <= n)
    ++root;
  return root;
}

// Every-K for the whole numbers next to the square root of the number of candidates.
std::vector<std::string> unfused_names(const PlanProblem& problem) {
  std::vector<std::string> names = {"keep-all", "recompute-all"};
  const std::size_t n = problem.keep_gene_count();
  if (n == 0) return names;
  const std::size_t floor = square_root(n);
  names.push_back(std::string(kEvery) + std::to_string(floor));
  if (floor * floor != n) names.push_back(std::string(kEvery) + std::to_string(floor + 1));
  return names;
}

bool has_free_fusion_gene(const PlanProblem& problem, const SearchSpace& space) {
  return std::any_of(space.free_genes().begin(), space.free_genes().end(), [&](std::uint32_t gene) {
    return problem.genes()[gene].kind != GeneKind::Keep;
  });
}

}  // namespace

bool is_too_large_to_try_each(const PlanProblem& problem) {
  constexpr double kMostVisits = 0x1p34;
  double operands = 0;
  for (const evaluator::StepOperator& op : problem.graph().operators)
    operands += static_cast<double>(op.reads.size() + op.writes.size());
  const auto candidates = static_cast<double>(problem.keep_gene_count());
  return candidates * candidates * operands > kMostVisits;
}

Genome greedily_fused(const PlanProblem& problem, GenomeView genome) {
  PlanScratch scratch;
  Genome current(genome.begin(), genome.end());
  for (const std::uint32_t gene : problem.fusion_gene_positions())
    set_gene(current, gene, 0);
  const std::vector<RankedEdge> edges = ranked_edges(problem, current, scratch);
  std::int64_t latency = problem.evaluate_canonical(current, scratch).latency;
  Genome candidate = current;
  Genome repaired = current;
  for (const RankedEdge& edge : edges) {
    candidate = current;
    set_gene(candidate, edge.gene, 1);
    repaired = candidate;
    problem.canonicalize(repaired, scratch);
    if (repaired != candidate) continue;
    const std::int64_t then = problem.evaluate_canonical(candidate, scratch).latency;
    if (then > latency) continue;
    latency = then;
    current = candidate;
  }
  return current;
}

std::vector<Genome> greedy_memory_path(const PlanProblem& problem) {
  PlanScratch scratch;
  std::vector<Genome> path = {problem.keep_all()};
  while (const std::optional<Drop> drop = best_drop(problem, path.back(), scratch)) {
    path.push_back(path.back());
    set_gene(path.back(), drop->gene, 0);
  }
  return path;
}

Genome greedy_memory(const PlanProblem& problem) {
  return greedy_memory_path(problem).back();
}

std::optional<Genome> named_plan(const PlanProblem& problem, std::string_view name) {
  if (!name.ends_with(kGreedySuffix)) return unfused_plan(problem, name);
  const std::optional<Genome> unfused =
      unfused_plan(problem, name.substr(0, name.size() - kGreedySuffix.size()));
  if (!unfused) return std::nullopt;
  return greedily_fused(problem, *unfused);
}

std::vector<NamedPlan> baselines(const PlanProblem& problem, const SearchSpace& space) {
  return baselines(problem, space, greedy_memory(problem));
}

std::vector<NamedPlan> baselines(const PlanProblem& problem,
                                 const SearchSpace& space,
                                 GenomeView greedy_memory_plan) {
  std::vector<std::string> names = unfused_names(problem);
  if (has_free_fusion_gene(problem, space)) {
    const std::size_t unfused = names.size();
    for (std::size_t i = 0; i < unfused; ++i)
      names.push_back(names[i] + std::string(kGreedySuffix));
  }
  std::vector<NamedPlan> plans;
  for (const std::string& name : names)
    plans.push_back({name, problem.canonical(space.projected(*named_plan(problem, name)))});
  plans.push_back({"greedy-memory", problem.canonical(space.projected(greedy_memory_plan))});
  return plans;
}

}  // namespace paretrain::problems
