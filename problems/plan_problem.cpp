#include "problems/plan_problem.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "base/checked_math.h"
#include "base/error.h"
#include "base/hash.h"
#include "evaluator/plan/explained_plan.h"
#include "evaluator/plan/step_template.h"
#include "genome/text.h"
#include "problems/plan_layout.h"
#include "problems/plan_scratch.h"

namespace paretrain::problems {

namespace {

using evaluator::kNone;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepPhase;
using evaluator::StepValue;
using evaluator::StepValueId;

// Every peak is an objective, so a double must hold it exactly: of a value at most one copy is
// alive at a time, and all bytes together bound the peak.
StepGraph with_checked_bytes(StepGraph graph, const std::string& name) {
  std::optional<std::int64_t> sum = graph.static_bytes.number();
  for (const StepValue& value : graph.values) {
    if (sum && value.counted) sum = checked_sum(*sum, value.bytes.number());
  }
  if (!sum || *sum > std::int64_t{1} << 53U)
    throw InputError(Problem{name, "the bytes of all tensors together pass 2^53", ""});
  return graph;
}

std::uint64_t flags_of(const StepValue& value) {
  std::uint64_t flags = static_cast<std::uint64_t>(value.kind);
  flags = flags * 8 + static_cast<std::uint64_t>(value.role);
  for (const bool flag : {value.counted,
                          value.exists_from_backward,
                          value.exists_from_start,
                          value.exists_to_end,
                          value.disjoint_contributions,
                          value.leaves_step})
    flags = 2 * flags + (flag ? 1 : 0);
  return flags;
}

std::uint64_t hash_of_ids(std::uint64_t hash, std::span<const StepValueId> ids) {
  hash = combined(hash, ids.size());
  for (const StepValueId id : ids)
    hash = combined(hash, id.index());
  return hash;
}

std::uint64_t fingerprint_of(std::uint64_t identity,
                             const StepGraph& graph,
                             const PlanLayout& layout) {
  std::uint64_t hash = combined(identity, graph.keep_genes);
  hash = combined(hash, static_cast<std::uint64_t>(graph.static_bytes.number()));
  for (const StepValue& value : graph.values) {
    hash = combined(hash, flags_of(value));
    hash = combined(hash, static_cast<std::uint64_t>(value.bytes.number()));
    hash = combined(hash, value.keep_gene.value_or(kNone));
  }
  for (const StepOperator& op : graph.operators) {
    hash = combined(hash, static_cast<std::uint64_t>(op.phase));
    hash = combined(hash, static_cast<std::uint64_t>(op.work));
    hash = hash_of_ids(hash_of_ids(hash, op.reads), op.writes);
  }
  for (const genome::TemplateEdge& edge : layout.layout.edges())
    hash = combined(hash, (std::uint64_t{edge.producer} << 32U) + edge.consumer);
  return hash;
}

char phase_letter(const evaluator::RunningOperator& running, StepPhase phase) {
  if (running.recompute) return 'R';
  switch (phase) {
    case StepPhase::Forward:
      return 'F';
    case StepPhase::Backward:
      return 'B';
    case StepPhase::Update:
      return 'U';
  }
  CHECK(false, "unknown phase");
}

std::string node_name(const StepGraph& graph, const evaluator::RunningOperator& running) {
  const StepOperator& op = graph.operators[running.op.index()];
  std::string name(1, phase_letter(running, op.phase));
  name += std::to_string(op.forward ? op.forward->index() : running.op.index());
  return name;
}

bool reads_recompute(std::span<const std::uint32_t> values, const evaluator::RunningPlan& running) {
  return std::any_of(values.begin(), values.end(), [&](std::uint32_t value) {
    return running.late_copy(value) != value;
  });
}

}  // namespace

struct PlanProblem::State {
  explicit State(PlanProblemParts given)
      : name(std::move(given.name)),
        graph(with_checked_bytes(std::move(given.graph), name)),
        model(std::move(given.model)),
        units(std::move(given.units)),
        memory_limit_bytes(given.memory_limit_bytes),
        step(graph),
        layout(graph, step, *model),
        fingerprint(combined(fingerprint_of(given.identity, graph, layout),
                             static_cast<std::uint64_t>(model->max_group_length()))),
        owner(combined(fingerprint, reinterpret_cast<std::uintptr_t>(this))) {}

  std::string name;
  StepGraph graph;
  std::unique_ptr<const evaluator::GroupModel> model;
  PlanUnits units;
  std::optional<std::int64_t> memory_limit_bytes;
  evaluator::StepTemplate step;
  PlanLayout layout;
  std::uint64_t fingerprint;
  // Tells this problem's groups from those of others in the memory of a thread, also from those of
  // a problem that is gone.
  std::uint64_t owner;
};

PlanProblem::PlanProblem(PlanProblemParts parts)
    : state_(std::make_unique<const State>(std::move(parts))) {}

PlanProblem::PlanProblem(PlanProblem&&) noexcept = default;
PlanProblem& PlanProblem::operator=(PlanProblem&&) noexcept = default;
PlanProblem::~PlanProblem() = default;

const std::string& PlanProblem::name() const noexcept {
  return state_->name;
}

const StepGraph& PlanProblem::graph() const noexcept {
  return state_->graph;
}

const evaluator::GroupModel& PlanProblem::model() const noexcept {
  return *state_->model;
}

const PlanUnits& PlanProblem::units() const noexcept {
  return state_->units;
}

std::optional<std::int64_t> PlanProblem::memory_limit_bytes() const noexcept {
  return state_->memory_limit_bytes;
}

std::uint64_t PlanProblem::fingerprint() const noexcept {
  return state_->fingerprint;
}

std::size_t PlanProblem::gene_count() const noexcept {
  return state_->layout.layout.gene_count();
}

std::size_t PlanProblem::word_count() const noexcept {
  return state_->layout.layout.word_count();
}

std::size_t PlanProblem::keep_gene_count() const noexcept {
  return state_->layout.layout.keep_gene_count();
}

std::size_t PlanProblem::fusion_gene_count() const noexcept {
  return state_->layout.layout.fusion_gene_count();
}

std::span<const Gene> PlanProblem::genes() const noexcept {
  return state_->layout.genes;
}

std::span<const std::uint32_t> PlanProblem::keep_gene_positions() const noexcept {
  return state_->layout.layout.keep_genes();
}

std::span<const std::uint32_t> PlanProblem::fusion_gene_positions() const noexcept {
  return state_->layout.layout.fusion_genes();
}

std::span<const genome::GeneRange> PlanProblem::operator_genes() const noexcept {
  return state_->layout.layout.ranges();
}

const genome::TwinTable& PlanProblem::twins() const noexcept {
  return state_->layout.twins;
}

std::string PlanProblem::gene_name(std::size_t gene) const {
  const Gene& meaning = state_->layout.genes[gene];
  if (meaning.kind == GeneKind::Keep) return state_->graph.values[meaning.value.index()].name;
  return node_name(state_->graph, meaning.producer) + "-" +
         node_name(state_->graph, meaning.consumer);
}

Genome PlanProblem::keep_all() const {
  const std::span<const std::uint64_t> mask = state_->layout.layout.keep_mask();
  return {mask.begin(), mask.end()};
}

Genome PlanProblem::recompute_all() const {
  return Genome(word_count(), 0);
}

void PlanProblem::decode_keep(GenomeView genome, PlanScratch& scratch) const {
  const std::span<const std::uint32_t> keep = keep_gene_positions();
  scratch.memory_.belong_to(state_->owner);
  scratch.kept_.resize(keep.size());
  for (std::size_t k = 0; k < keep.size(); ++k)
    scratch.kept_[k] = gene_is_set(genome, keep[k]) ? 1 : 0;
  scratch.running_.rebuild(state_->step, scratch.kept_);
}

void PlanProblem::drop_inactive(std::span<std::uint64_t> genome, PlanScratch& scratch) const {
  const PlanLayout& layout = state_->layout;
  const evaluator::RunningPlan& running = scratch.running_;
  scratch.edges_.clear();
  for (std::size_t word = 0; word < genome.size(); ++word) {
    std::uint64_t left = genome[word] & ~layout.layout.keep_mask()[word];
    for (; left != 0; left &= left - 1) {
      const auto gene = static_cast<std::uint32_t>(64 * word) +
                        static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint64_t bit = left & (~left + 1);
      const std::uint32_t fusion = layout.layout.fusion_index(gene);
      const genome::TemplateEdge& edge = layout.layout.edges()[fusion];
      const std::uint32_t consumer = running.position(edge.consumer);
      const bool active = (layout.always[word] & bit) != 0 ||
                          (consumer != kNone && reads_recompute(layout.values[fusion], running));
      if (active)
        scratch.edges_.push_back({gene, running.position(edge.producer), consumer});
      else
        genome[word] &= ~bit;
    }
  }
}

void PlanProblem::canonicalize(std::span<std::uint64_t> genome, PlanScratch& scratch) const {
  decode_keep(genome, scratch);
  drop_inactive(genome, scratch);
  const evaluator::RunningPlan& running = scratch.running_;
  scratch.grouping_.reset(running.size());
  const auto legal = [&](std::span<const std::uint32_t> members) {
    return scratch.memory_.is_legal(*state_->model, running.operators(), members);
  };
  genome::repair(scratch.grouping_,
                 {{running.predecessor_begin(), running.predecessor_list()},
                  scratch.edges_,
                  static_cast<std::size_t>(state_->model->max_group_length())},
                 legal,
                 [&](std::uint32_t gene) { set_gene(genome, gene, 0); });
}

Genome PlanProblem::canonical(GenomeView genome) const {
  Genome result(genome.begin(), genome.end());
  PlanScratch scratch;
  canonicalize(result, scratch);
  return result;
}

PlanEvaluation PlanProblem::evaluate(GenomeView genome) const {
  PlanScratch scratch;
  return evaluate(genome, scratch);
}

PlanEvaluation PlanProblem::evaluate(GenomeView genome, PlanScratch& scratch) const {
  scratch.genome_.assign(genome.begin(), genome.end());
  canonicalize(scratch.genome_, scratch);
  return evaluate_grouped(scratch);
}

// In a canonical genome every fusion gene that is set is active and its merge legal.
void PlanProblem::group_canonical(GenomeView genome, PlanScratch& scratch) const {
  const genome::Layout& layout = state_->layout.layout;
  scratch.grouping_.reset(scratch.running_.size());
  for (std::size_t word = 0; word < genome.size(); ++word) {
    for (std::uint64_t left = genome[word] & ~layout.keep_mask()[word]; left != 0;
         left &= left - 1) {
      const std::size_t gene = 64 * word + static_cast<std::size_t>(std::countr_zero(left));
      const genome::TemplateEdge& edge = layout.edges()[layout.fusion_index(gene)];
      const std::uint32_t a = scratch.grouping_.group(scratch.running_.position(edge.producer));
      const std::uint32_t b = scratch.grouping_.group(scratch.running_.position(edge.consumer));
      if (a != b) scratch.grouping_.merge_unordered(a, b);
    }
  }
}

PlanEvaluation PlanProblem::evaluate_canonical(GenomeView genome, PlanScratch& scratch) const {
  decode_keep(genome, scratch);
  group_canonical(genome, scratch);
  return evaluate_grouped(scratch);
}

PhaseCosts PlanProblem::phase_costs(GenomeView genome, PlanScratch& scratch) const {
  static_cast<void>(evaluate_canonical(genome, scratch));
  PhaseCosts costs;
  for (std::size_t step = 0; step < scratch.order_.step_count(); ++step) {
    const evaluator::RunningOperator& first =
        scratch.running_.operators()[scratch.order_.members(step).front()];
    const bool forward =
        !first.recompute && state_->graph.operators[first.op.index()].phase == StepPhase::Forward;
    PhaseCost& phase = forward ? costs.forward : costs.late;
    phase.latency += scratch.sweep_.cost(step).latency;
    phase.energy += scratch.sweep_.cost(step).energy;
    phase.peak_bytes = std::max(phase.peak_bytes, scratch.sweep_.alive_bytes()[step]);
  }
  return costs;
}

PlanEvaluation PlanProblem::evaluate_grouped(PlanScratch& scratch) const {
  scratch.order_.rebuild(scratch.running_, scratch.grouping_.groups());
  const evaluator::PlanTotals totals = scratch.sweep_.rebuild(
      state_->step, *state_->model, scratch.memory_, scratch.running_, scratch.order_);
  PlanEvaluation result;
  result.latency = totals.latency;
  result.energy = totals.energy;
  result.peak_bytes = totals.peak_bytes;
  result.offchip_bytes = totals.offchip_bytes;
  result.recompute_work = scratch.running_.recompute_work();
  result.recomputed = scratch.running_.recomputed_values();
  result.groups = static_cast<std::uint32_t>(scratch.order_.step_count());
  if (state_->memory_limit_bytes && totals.peak_bytes > *state_->memory_limit_bytes)
    result.violation_bytes = totals.peak_bytes - *state_->memory_limit_bytes;
  return result;
}

evaluator::PlanExplanation PlanProblem::explain(GenomeView genome) const {
  PlanScratch scratch;
  static_cast<void>(evaluate(genome, scratch));
  return evaluator::explained_plan(state_->graph, state_->step, scratch.running_, scratch.sweep_);
}

std::string PlanProblem::text(GenomeView genome) const {
  return genome::text_form(state_->layout.layout, canonical(genome), fingerprint());
}

Genome PlanProblem::parsed(std::string_view text, const std::string& where) const {
  return canonical(genome::parsed_text_form(state_->layout.layout, text, fingerprint(), where));
}

}  // namespace paretrain::problems
