#include "problems/warm_plans.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "problems/plan_scratch.h"
#include "problems/segment_plans.h"

namespace paretrain::problems {

namespace {

constexpr std::size_t kMostPerKind = 64;
// Above so many candidates budgets are wider apart.
constexpr std::size_t kManyCandidates = 200;

struct CostedPlan {
  Genome genome;
  PlanEvaluation evaluation;
};

bool dominates(const PlanEvaluation& a, const PlanEvaluation& b) {
  return a.latency <= b.latency && a.energy <= b.energy && a.peak_bytes <= b.peak_bytes;
}

// By peak; of equal plans the first one stays.
std::vector<Genome> undominated(std::vector<CostedPlan> plans) {
  std::stable_sort(plans.begin(), plans.end(), [](const CostedPlan& a, const CostedPlan& b) {
    const PlanEvaluation& x = a.evaluation;
    const PlanEvaluation& y = b.evaluation;
    if (x.peak_bytes != y.peak_bytes) return x.peak_bytes < y.peak_bytes;
    return x.latency != y.latency ? x.latency < y.latency : x.energy < y.energy;
  });
  std::vector<CostedPlan> best;
  for (CostedPlan& plan : plans) {
    const bool beaten = std::any_of(best.begin(), best.end(), [&](const CostedPlan& other) {
      return dominates(other.evaluation, plan.evaluation);
    });
    if (!beaten) best.push_back(std::move(plan));
  }
  std::vector<Genome> genomes;
  for (CostedPlan& plan : best)
    genomes.push_back(std::move(plan.genome));
  return genomes;
}

// What recomputing each candidate costs beside all others that are recomputed.
struct RecomputeCosts {
  std::vector<double> latency;
  std::vector<double> energy;
  double all_latency = 1;
  double all_energy = 1;
};

RecomputeCosts recompute_costs(const PlanProblem& problem, PlanScratch& scratch) {
  RecomputeCosts costs;
  Genome genome = problem.recompute_all();
  const PlanEvaluation all = problem.evaluate_canonical(genome, scratch);
  for (const std::uint32_t gene : problem.keep_gene_positions()) {
    set_gene(genome, gene, 1);
    const PlanEvaluation without = problem.evaluate_canonical(genome, scratch);
    set_gene(genome, gene, 0);
    const std::int64_t latency = all.latency - without.latency;
    costs.latency.push_back(std::max(0.0, static_cast<double>(latency)));
    costs.energy.push_back(std::max(0.0, all.energy - without.energy));
    costs.all_latency += costs.latency.back();
    costs.all_energy += costs.energy.back();
  }
  return costs;
}

// Costs are left 0. What no late operator reads is gone again while its segment is recomputed.
std::vector<SegmentCandidate> segment_candidates(const PlanProblem& problem) {
  const evaluator::StepGraph& graph = problem.graph();
  std::vector<std::uint8_t> read_late(graph.values.size(), 0);
  for (const evaluator::StepOperator& op : graph.operators) {
    if (op.phase == evaluator::StepPhase::Forward) continue;
    for (const evaluator::StepValueId value : op.reads)
      read_late[value.index()] = 1;
  }
  std::vector<SegmentCandidate> candidates;
  for (const std::uint32_t gene : problem.keep_gene_positions()) {
    const std::size_t value = problem.genes()[gene].value.index();
    const std::int64_t bytes = graph.values[value].bytes.number();
    candidates.push_back({.kept_bytes = bytes, .recomputed_bytes = read_late[value] * bytes});
  }
  return candidates;
}

void add_segment_plans(const PlanProblem& problem,
                       std::span<const SegmentCandidate> candidates,
                       PlanScratch& scratch,
                       std::vector<CostedPlan>& plans) {
  std::int64_t total = 0;
  for (const SegmentCandidate& candidate : candidates)
    total += candidate.kept_bytes;
  const std::int64_t part = candidates.size() > kManyCandidates ? 12 : 32;
  const std::int64_t least = smallest_segment_budget(candidates);
  for (std::int64_t budget = least; budget <= total; budget += budget / part + 1) {
    const std::vector<bool> kept = cheapest_segments(candidates, budget);
    Genome genome = problem.recompute_all();
    for (std::size_t k = 0; k < kept.size(); ++k)
      set_gene(genome, problem.keep_gene_positions()[k], kept[k] ? 1 : 0);
    if (!plans.empty() && plans.back().genome == genome) continue;
    const PlanEvaluation evaluation = problem.evaluate_canonical(genome, scratch);
    plans.push_back({std::move(genome), evaluation});
  }
}

std::vector<Genome> segment_plans(const PlanProblem& problem) {
  if (is_too_large_to_try_each(problem)) return {};
  PlanScratch scratch;
  const RecomputeCosts costs = recompute_costs(problem, scratch);
  std::vector<SegmentCandidate> candidates = segment_candidates(problem);
  std::vector<CostedPlan> plans;
  for (const double energy_share : {0.0, 0.5, 1.0}) {
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      candidates[k].cost = (1 - energy_share) * costs.latency[k] / costs.all_latency +
                           energy_share * costs.energy[k] / costs.all_energy;
    }
    add_segment_plans(problem, candidates, scratch, plans);
  }
  return undominated(std::move(plans));
}

// At most `most` of the list, evenly spread, both ends included; then ordered so that every prefix
// is spread: every second one of what is left, again and again.
std::vector<Genome> spread(const std::vector<Genome>& plans, std::size_t most) {
  std::vector<Genome> result;
  const std::size_t count = std::min(plans.size(), most);
  if (count == 0) return result;
  std::vector<std::uint8_t> taken(count, 0);
  std::size_t stride = 1;
  while (stride < count)
    stride *= 2;
  for (; stride > 0; stride /= 2) {
    for (std::size_t i = 0; i < count; i += stride) {
      const std::size_t from_end = count - 1 - i;
      if (taken[from_end] != 0) continue;
      taken[from_end] = 1;
      const std::size_t place = count == 1 ? 0 : from_end * (plans.size() - 1) / (count - 1);
      result.push_back(plans[place]);
    }
  }
  return result;
}

const Genome* find(const std::vector<NamedPlan>& plans, std::string_view name) {
  const auto found = std::find_if(
      plans.begin(), plans.end(), [&](const NamedPlan& plan) { return plan.name == name; });
  return found == plans.end() ? nullptr : &found->genome;
}

// The fusion genes of keep-all+greedy, and over recomputes those of recompute-all+greedy.
void take_greedy_fusion(const PlanProblem& problem,
                        const std::vector<NamedPlan>& baselines,
                        Genome& genome) {
  const Genome* const kept = find(baselines, "keep-all+greedy");
  const Genome* const recomputed = find(baselines, "recompute-all+greedy");
  if (kept == nullptr || recomputed == nullptr) return;
  for (const std::uint32_t gene : problem.fusion_gene_positions()) {
    const GeneKind kind = problem.genes()[gene].kind;
    const bool over_recomputes =
        kind == GeneKind::FuseRecompute || kind == GeneKind::FuseRecomputeBackward;
    set_gene(genome, gene, gene_is_set(over_recomputes ? *recomputed : *kept, gene) ? 1 : 0);
  }
}

}  // namespace

StartPlans start_plans(const PlanProblem& problem, const SearchSpace& space) {
  const std::vector<Genome> path = greedy_memory_path(problem);
  StartPlans start{.baselines = baselines(problem, space, path.back()), .others = {}};
  const std::vector<Genome> dropped = spread(path, kMostPerKind);
  const std::vector<Genome> segments = spread(segment_plans(problem), kMostPerKind);
  const auto add = [&](Genome genome) {
    take_greedy_fusion(problem, start.baselines, genome);
    genome = problem.canonical(space.projected(genome));
    const auto is_same = [&](const NamedPlan& plan) { return plan.genome == genome; };
    if (std::any_of(start.baselines.begin(), start.baselines.end(), is_same)) return;
    if (std::find(start.others.begin(), start.others.end(), genome) != start.others.end()) return;
    start.others.push_back(std::move(genome));
  };
  for (std::size_t i = 0; i < std::max(dropped.size(), segments.size()); ++i) {
    if (i < segments.size()) add(segments[i]);
    if (i < dropped.size()) add(dropped[i]);
  }
  return start;
}

}  // namespace paretrain::problems
