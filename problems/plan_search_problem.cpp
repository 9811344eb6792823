#include "problems/plan_search_problem.h"

#include <utility>

#include "base/check.h"
#include "problems/plan_scratch.h"

namespace paretrain::problems {

namespace {

// What one thread works with. It outlives the problems that use it; nothing in it matters between
// calls.
struct ThreadScratch {
  PlanScratch scratch;
  Genome genome;
};

ThreadScratch& thread_scratch() {
  thread_local ThreadScratch scratch;
  return scratch;
}

}  // namespace

std::string objective_name(const PlanUnits& units, PlanObjective objective) {
  switch (objective) {
    case PlanObjective::Latency:
      return "latency_" + units.latency;
    case PlanObjective::Energy:
      return "energy_" + units.energy;
    case PlanObjective::Memory:
      return "peak_memory_bytes";
  }
  CHECK(false, "unknown objective");
}

double objective_value(const PlanEvaluation& evaluation, PlanObjective objective) {
  switch (objective) {
    case PlanObjective::Latency:
      return static_cast<double>(evaluation.latency);
    case PlanObjective::Energy:
      return evaluation.energy;
    case PlanObjective::Memory:
      return static_cast<double>(evaluation.peak_bytes);
  }
  CHECK(false, "unknown objective");
}

PlanSearchProblem::PlanSearchProblem(const PlanProblem& problem,
                                     const SearchSpace& space,
                                     std::vector<PlanObjective> objectives)
    : problem_(problem), space_(space), objectives_(std::move(objectives)) {
  CHECK(!objectives_.empty(), "a search needs an objective");
  layout_.bits = space.free_gene_count();
  for (const PlanObjective objective : objectives_)
    names_.push_back(objective_name(problem.units(), objective));
  std::vector<std::uint32_t> bit_of_gene(problem.gene_count(), 0);
  for (std::uint32_t bit = 0; bit < space.free_gene_count(); ++bit) {
    const std::uint32_t gene = space.free_genes()[bit];
    bit_of_gene[gene] = bit;
    (problem.genes()[gene].kind == GeneKind::Keep ? keep_ : fusion_).push_back(bit);
  }
  const Genome fixed = space.projected(problem.recompute_all());
  for (const std::uint32_t gene : problem.fusion_gene_positions())
    fixed_fusion_ = fixed_fusion_ || gene_is_set(fixed, gene);
  const genome::TwinTable& twins = problem.twins();
  twins_.begin.push_back(0);
  for (std::size_t k = 0; k < twins.keep_genes.size(); ++k) {
    if (!space.is_free(twins.keep_genes[k])) continue;
    twins_.keep_genes.push_back(bit_of_gene[twins.keep_genes[k]]);
    for (std::uint32_t i = twins.begin[k]; i < twins.begin[k + 1]; ++i) {
      const genome::TwinGenes& twin = twins.twins[i];
      if (space.is_free(twin.forward) && space.is_free(twin.recompute))
        twins_.twins.push_back({bit_of_gene[twin.forward], bit_of_gene[twin.recompute]});
    }
    twins_.begin.push_back(static_cast<std::uint32_t>(twins_.twins.size()));
  }
  is_fusion_.assign(layout_.bits, 0);
  for (const std::uint32_t bit : fusion_)
    is_fusion_[bit] = 1;
  blocks_ = operator_blocks();
}

engine::Evaluation PlanSearchProblem::evaluate(engine::GenomeView free_bits) const {
  ThreadScratch& thread = thread_scratch();
  thread.genome.resize(problem_.word_count());
  space_.expand(free_bits, thread.genome);
  // Fixed fusion genes may be inactive or illegal next to these keep genes.
  const PlanEvaluation plan = fixed_fusion_
                                  ? problem_.evaluate(thread.genome, thread.scratch)
                                  : problem_.evaluate_canonical(thread.genome, thread.scratch);
  engine::Evaluation result;
  for (const PlanObjective objective : objectives_)
    result.objectives.push_back(objective_value(plan, objective));
  result.violation = static_cast<double>(plan.violation_bytes);
  return result;
}

void PlanSearchProblem::canonicalize(engine::GenomeRow free_bits) const {
  ThreadScratch& thread = thread_scratch();
  thread.genome.resize(problem_.word_count());
  space_.expand(free_bits, thread.genome);
  problem_.canonicalize(thread.genome, thread.scratch);
  space_.contract(thread.genome, free_bits);
}

void PlanSearchProblem::follow_flips(engine::GenomeView before, engine::GenomeRow after) const {
  genome::follow_keep_flips(twins_, before, after);
}

bool PlanSearchProblem::structured_move(engine::GenomeRow free_bits, RandomStream& random) const {
  if (!fusion_.empty() && random.below(4) == 0) return fuse_again(free_bits, random);
  const bool fuse = !twins_.twins.empty() && random.below(2) == 0;
  return fuse ? flip_twins(free_bits, random) : move_kept(free_bits, random);
}

// A kept activation that is dropped pays only when its recompute is fused, and a group that is full
// takes in another operator only when one leaves: the genes of neighbouring operators change
// together.
bool PlanSearchProblem::fuse_again(engine::GenomeRow free_bits, RandomStream& random) const {
  const std::size_t first = random.below(blocks_.size());
  const std::size_t count = std::min<std::size_t>(blocks_.size() - first, 1 + random.below(3));
  const bool flip_keep = random.below(2) == 0;
  const bool fuse_all = random.below(2) == 0;
  bool changed = false;
  for (std::size_t b = first; b < first + count; ++b) {
    for (std::size_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
      const bool flips = is_fusion_[i] == 0
                             ? flip_keep && b == first
                             : engine::bit(free_bits, i) != (fuse_all || random.below(2) == 0);
      if (flips) engine::flip_bit(free_bits, i);
      changed = changed || flips;
    }
  }
  return changed;
}

bool PlanSearchProblem::move_kept(engine::GenomeRow free_bits, RandomStream& random) const {
  if (keep_.size() < 2) return false;
  const std::size_t first = random.below(keep_.size() - 1);
  const std::size_t second = first + 1;
  if (engine::bit(free_bits, keep_[first]) == engine::bit(free_bits, keep_[second])) return false;
  const std::size_t dropped = engine::bit(free_bits, keep_[first]) ? first : second;
  engine::flip_bit(free_bits, keep_[first]);
  engine::flip_bit(free_bits, keep_[second]);
  for (std::uint32_t i = twins_.begin[dropped]; i < twins_.begin[dropped + 1]; ++i) {
    const genome::TwinGenes& twin = twins_.twins[i];
    if (engine::bit(free_bits, twin.forward) != engine::bit(free_bits, twin.recompute))
      engine::flip_bit(free_bits, twin.recompute);
  }
  return true;
}

bool PlanSearchProblem::flip_twins(engine::GenomeRow free_bits, RandomStream& random) const {
  const genome::TwinGenes& twin = twins_.twins[random.below(twins_.twins.size())];
  const bool agree = engine::bit(free_bits, twin.forward) == engine::bit(free_bits, twin.recompute);
  engine::flip_bit(free_bits, twin.recompute);
  if (agree) engine::flip_bit(free_bits, twin.forward);
  return true;
}

std::vector<engine::BitBlock> PlanSearchProblem::operator_blocks() const {
  std::vector<engine::BitBlock> result;
  std::size_t bit = 0;
  for (const genome::GeneRange& range : problem_.operator_genes()) {
    const std::size_t begin = bit;
    while (bit < layout_.bits && space_.free_genes()[bit] < range.end)
      ++bit;
    if (bit > begin) result.push_back({begin, bit});
  }
  return result;
}

// `k` comes before `r`, hexadecimal digits in order of their value; fixed keep genes are equal.
std::strong_ordering PlanSearchProblem::text_order(engine::GenomeView a,
                                                   engine::GenomeView b) const {
  if (fixed_fusion_) return problem_.text(genome(a)) <=> problem_.text(genome(b));
  for (const std::uint32_t bit : keep_) {
    if (engine::bit(a, bit) != engine::bit(b, bit))
      return engine::bit(a, bit) ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  for (const std::uint32_t bit : fusion_) {
    if (engine::bit(a, bit) != engine::bit(b, bit))
      return engine::bit(a, bit) ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  return std::strong_ordering::equal;
}

std::vector<std::uint32_t> PlanSearchProblem::canonical_prefix_order() const {
  std::vector<std::uint32_t> order = keep_;
  order.insert(order.end(), fusion_.begin(), fusion_.end());
  return order;
}

Genome PlanSearchProblem::genome(engine::GenomeView free_bits) const {
  Genome whole(problem_.word_count(), 0);
  space_.expand(free_bits, whole);
  return problem_.canonical(whole);
}

engine::Genome PlanSearchProblem::free_bits(GenomeView genome) const {
  engine::Genome bits(space_.free_word_count(), 0);
  space_.contract(genome, bits);
  return bits;
}

}  // namespace paretrain::problems
