#include "problems/small_step_plans.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "problems/plan_scratch.h"

namespace paretrain::problems {

namespace {

// The first choice of what is kept, nothing, has the most groupings; on average there are fewer, by
// less than this.
constexpr std::uint64_t kFirstAgainstMean = 8;

bool no_worse(const PhaseCost& a, const PhaseCost& b) {
  return a.latency <= b.latency && a.energy <= b.energy && a.peak_bytes <= b.peak_bytes;
}

// Undominated costs, of equal ones the first.
class CostFront {
 public:
  struct Entry {
    PhaseCost cost;
    Genome genome;
  };

  [[nodiscard]] bool admits(const PhaseCost& cost) const {
    return std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return no_worse(entry.cost, cost);
    });
  }

  // Requires: it is admitted.
  void add(const PhaseCost& cost, Genome genome) {
    std::erase_if(entries_, [&](const Entry& entry) { return no_worse(cost, entry.cost); });
    entries_.push_back({cost, std::move(genome)});
  }

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// A canonical genome whose successors set further genes, from place `depth` of a half's genes on.
struct Node {
  Genome genome;
  std::size_t depth = 0;
};

std::size_t node_of(const evaluator::RunningOperator& running) {
  return 2 * running.op.index() + (running.recompute ? 1 : 0);
}

class HalfWalk {
 public:
  HalfWalk(const PlanProblem& problem, const SearchSpace& space, std::uint64_t most_work)
      : problem_(problem),
        most_work_(most_work),
        unfused_(space.projected(problem.recompute_all())),
        group_(2 * problem.graph().operators.size()) {
    for (const std::uint32_t gene : space.free_genes()) {
      const GeneKind kind = problem.genes()[gene].kind;
      (kind == GeneKind::Keep          ? keep_
       : kind == GeneKind::FuseForward ? forward_
                                       : late_)
          .push_back(gene);
    }
  }

  [[nodiscard]] bool has_fusion() const noexcept { return !forward_.empty() || !late_.empty(); }

  // False when the step is not small.
  [[nodiscard]] bool run() {
    if (!has_few_choices() || !has_few_pairs(forward_) || !has_few_pairs(late_)) return false;
    for (std::uint64_t kept = 0; kept < choices(); ++kept) {
      Genome genome = unfused_;
      for (std::size_t k = 0; k < keep_.size(); ++k)
        set_gene(genome, keep_[k], (kept >> k) & 1U);
      CostFront forward;
      CostFront late;
      if (!walk(genome, forward_, &PhaseCosts::forward, forward) ||
          !walk(genome, late_, &PhaseCosts::late, late))
        return false;
      if (kept == 0 && work_ / kFirstAgainstMean > most_work_ / choices()) return false;
      join(forward, late);
    }
    return true;
  }

  [[nodiscard]] SmallStepPlans result() const {
    std::vector<CostFront::Entry> entries = front_.entries();
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.cost.latency, a.cost.energy, a.cost.peak_bytes) <
             std::tuple(b.cost.latency, b.cost.energy, b.cost.peak_bytes);
    });
    SmallStepPlans plans;
    for (CostFront::Entry& entry : entries)
      plans.plans.push_back(std::move(entry.genome));
    plans.halves = halves_;
    return plans;
  }

 private:
  [[nodiscard]] std::uint64_t choices() const { return std::uint64_t{1} << keep_.size(); }

  // An evaluation or a repair looks at all operators. False when that was once too often.
  bool work() {
    work_ += problem_.graph().operators.size();
    return work_ <= most_work_;
  }

  // Two evaluations each, at least.
  [[nodiscard]] bool has_few_choices() const {
    return keep_.size() < 62 && 2 * problem_.graph().operators.size() <= most_work_ / choices();
  }

  // Of pairs without a common operator, that can all be fused together, every subset is a grouping.
  bool has_few_pairs(std::span<const std::uint32_t> genes) {
    Genome fused = unfused_;
    std::vector<bool> taken(group_.size(), false);
    std::uint64_t subsets = 1;
    for (const std::uint32_t gene : genes) {
      const Gene& meaning = problem_.genes()[gene];
      if (taken[node_of(meaning.producer)] || taken[node_of(meaning.consumer)]) continue;
      if (!take_gene(fused, gene)) continue;
      fused = canonical_;
      taken[node_of(meaning.producer)] = true;
      taken[node_of(meaning.consumer)] = true;
      subsets *= 2;
      if (subsets > most_work_ / problem_.graph().operators.size()) return false;
    }
    return true;
  }

  // Whether the genome is canonical with this gene, too; it is then in canonical_.
  bool take_gene(const Genome& genome, std::uint32_t gene) {
    longer_ = genome;
    set_gene(longer_, gene, 1);
    canonical_ = longer_;
    problem_.canonicalize(canonical_, scratch_);
    return canonical_ == longer_;
  }

  // All groupings of one half; false when there are too many. Repair takes genes in order, so what
  // a canonical genome drops from the end stays canonical and every grouping is met from a shorter
  // one.
  bool walk(const Genome& start,
            std::span<const std::uint32_t> genes,
            PhaseCost PhaseCosts::*half,
            CostFront& front) {
    open_.assign(1, {start, 0});
    while (!open_.empty()) {
      const Node node = std::move(open_.back());
      open_.pop_back();
      if (!work()) return false;
      ++halves_;
      const PhaseCost cost = problem_.phase_costs(node.genome, scratch_).*half;
      if (front.admits(cost)) front.add(cost, node.genome);
      find_groups(node, genes);
      for (std::size_t place = node.depth; place < genes.size(); ++place) {
        if (are_joined(genes[place])) continue;
        if (!work()) return false;
        if (take_gene(node.genome, genes[place])) open_.push_back({canonical_, place + 1});
      }
    }
    return true;
  }

  void find_groups(const Node& node, std::span<const std::uint32_t> genes) {
    for (std::size_t i = 0; i < group_.size(); ++i)
      group_[i] = i;
    for (std::size_t place = 0; place < node.depth; ++place) {
      if (!gene_is_set(node.genome, genes[place])) continue;
      const Gene& meaning = problem_.genes()[genes[place]];
      const std::size_t into = group_[node_of(meaning.producer)];
      const std::size_t from = group_[node_of(meaning.consumer)];
      std::replace(group_.begin(), group_.end(), from, into);
    }
  }

  // A gene between two operators of one group changes nothing.
  [[nodiscard]] bool are_joined(std::uint32_t gene) const {
    const Gene& meaning = problem_.genes()[gene];
    return group_[node_of(meaning.producer)] == group_[node_of(meaning.consumer)];
  }

  void join(const CostFront& forward, const CostFront& late) {
    for (const CostFront::Entry& first : forward.entries()) {
      for (const CostFront::Entry& second : late.entries()) {
        const PhaseCost cost{first.cost.latency + second.cost.latency,
                             first.cost.energy + second.cost.energy,
                             std::max(first.cost.peak_bytes, second.cost.peak_bytes)};
        if (!front_.admits(cost)) continue;
        Genome genome = first.genome;
        for (std::size_t word = 0; word < genome.size(); ++word)
          genome[word] |= second.genome[word];
        front_.add(cost, std::move(genome));
      }
    }
  }

  const PlanProblem& problem_;
  std::uint64_t most_work_;
  Genome unfused_;
  std::vector<std::uint32_t> keep_;  // free genes
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> late_;
  CostFront front_;
  std::uint64_t halves_ = 0;
  std::uint64_t work_ = 0;
  // Reused from node to node.
  PlanScratch scratch_;
  std::vector<Node> open_;
  std::vector<std::size_t> group_;  // by operator and twin
  Genome longer_;
  Genome canonical_;
};

}  // namespace

std::optional<SmallStepPlans> small_step_plans(const PlanProblem& problem,
                                               const SearchSpace& space,
                                               std::uint64_t most_work) {
  if (problem.model().most_carried_bytes() > 0) return std::nullopt;
  HalfWalk walk(problem, space, most_work);
  if (!walk.has_fusion() || !walk.run()) return std::nullopt;
  return walk.result();
}

}  // namespace paretrain::problems
