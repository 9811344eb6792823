#include "problems/warm_plans.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "problems/plan_scratch.h"
#include "problems/segment_plans.h"
#include "problems/segment_table.h"
#include "problems/small_step_plans.h"

namespace paretrain::problems {

namespace {

constexpr std::size_t kMostDropped = 64;
// Every plan with fusion is repaired before anything runs, which takes longer.
constexpr std::size_t kMostSegmented = 1024;
constexpr std::size_t kMostSegmentedAndFused = 64;

// What recomputing each candidate costs beside all others that are recomputed.
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
  }
  return costs;
}

std::vector<Genome> segmented(const PlanProblem& problem) {
  std::vector<Genome> genomes;
  if (is_too_large_to_try_each(problem)) return genomes;
  PlanScratch scratch;
  const SegmentTable table(problem.graph(), recompute_costs(problem, scratch));
  for (const SegmentPlan& plan : segment_plans(table)) {
    Genome genome = problem.recompute_all();
    for (std::size_t k = 0; k < plan.kept.size(); ++k)
      set_gene(genome, problem.keep_gene_positions()[k], plan.kept[k] ? 1 : 0);
    genomes.push_back(std::move(genome));
  }
  return genomes;
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
  StartPlans start{.baselines = baselines(problem, space, path.back()), .others = {}, .halves = 0};
  const std::vector<Genome> dropped = spread(path, kMostDropped);
  const std::vector<Genome> segments =
      spread(segmented(problem),
             problem.fusion_gene_count() > 0 ? kMostSegmentedAndFused : kMostSegmented);
  std::set<Genome> seen;
  for (const NamedPlan& plan : start.baselines)
    seen.insert(plan.genome);
  if (const std::optional<SmallStepPlans> small = small_step_plans(problem, space)) {
    start.halves = small->halves;
    for (Genome& genome : spread(small->plans, small->plans.size())) {
      if (seen.insert(genome).second) start.others.push_back(std::move(genome));
    }
  }
  const auto add = [&](Genome genome) {
    take_greedy_fusion(problem, start.baselines, genome);
    genome = problem.canonical(space.projected(genome));
    if (seen.insert(genome).second) start.others.push_back(std::move(genome));
  };
  for (std::size_t i = 0; i < std::max(dropped.size(), segments.size()); ++i) {
    if (i < segments.size()) add(segments[i]);
    if (i < dropped.size()) add(dropped[i]);
  }
  return start;
}

}  // namespace paretrain::problems
