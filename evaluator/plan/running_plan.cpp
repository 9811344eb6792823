#include "evaluator/plan/running_plan.h"

#include <algorithm>
#include <numeric>

namespace paretrain::evaluator {

void RunningPlan::rebuild(const StepTemplate& step, std::span<const std::uint8_t> kept) {
  choose_copies(step, kept);
  find_demands(step);
  place(step);
  list_predecessors(step);
}

void RunningPlan::choose_copies(const StepTemplate& step, std::span<const std::uint8_t> kept) {
  late_copy_.resize(step.value_count);
  demand_.resize(step.value_count);
  std::iota(late_copy_.begin(), late_copy_.end(), 0U);
  for (std::uint32_t gene = 0; gene < step.keep_genes; ++gene) {
    const std::uint32_t value = step.values_with_gene[gene];
    if (kept[gene] == 0) late_copy_[value] = step.value_count + value;
    demand_[value] = step.values[value].first_late_reader;
  }
}

// From the last forward operator back: a twin runs when a result that is not kept is read by a late
// operator or by a twin that runs; it is needed when the first of those is.
void RunningPlan::find_demands(const StepTemplate& step) {
  operator_demand_.assign(step.forward_count, kNone);
  produced_.resize(step.forward_count);
  recomputed_values_ = 0;
  recompute_work_ = 0;
  for (const std::uint32_t f : step.recomputable) {
    std::uint32_t first = kNone;
    std::uint64_t produced = 0;
    std::uint64_t bit = 1;
    for (const std::uint32_t value : step.writes[f]) {
      if (late_copy_[value] != value && demand_[value] != kNone) {
        produced |= bit;
        ++recomputed_values_;
        first = std::min(first, demand_[value]);
      }
      bit <<= 1U;
    }
    if (first == kNone) continue;
    operator_demand_[f] = first;
    produced_[f] = produced;
    recompute_work_ += step.work[f];
    for (const std::uint32_t value : step.gene_reads[f]) {
      if (late_copy_[value] != value) demand_[value] = std::min(demand_[value], first);
    }
  }
}

void RunningPlan::place(const StepTemplate& step) {
  const auto late_count = static_cast<std::uint32_t>(step.late_operators.size());
  burst_.assign(late_count, 0);
  std::uint32_t twins = 0;
  for (const std::uint32_t f : step.recomputable) {
    if (operator_demand_[f] == kNone) continue;
    ++burst_[operator_demand_[f]];
    ++twins;
  }
  operators_.resize(step.operator_count + twins);
  positions_.assign(step.operator_count + step.forward_count, kNone);
  for (std::uint32_t f = 0; f < step.forward_count; ++f) {
    positions_[f] = f;
    operators_[f] = {.op = StepOperatorId(f)};
  }
  std::uint32_t next = step.forward_count;
  for (std::uint32_t rank = 0; rank < late_count; ++rank) {
    const std::uint32_t first = next;
    next += burst_[rank];
    burst_[rank] = first;
    const std::uint32_t o = step.late_operators[rank];
    positions_[o] = next;
    operators_[next++] = {.op = StepOperatorId(o)};
  }
  for (auto f = step.recomputable.rbegin(); f != step.recomputable.rend(); ++f) {
    if (operator_demand_[*f] == kNone) continue;
    const std::uint32_t position = burst_[operator_demand_[*f]]++;
    positions_[step.twin(*f)] = position;
    operators_[position] = {.op = StepOperatorId(*f), .recompute = true, .produced = produced_[*f]};
  }
}

void RunningPlan::list_predecessors(const StepTemplate& step) {
  predecessors_.assign(step.forward_predecessors.list.begin(),
                       step.forward_predecessors.list.end());
  predecessor_begin_.assign(step.forward_predecessors.begin.begin(),
                            step.forward_predecessors.begin.end());
  for (std::size_t position = step.forward_count; position < operators_.size(); ++position) {
    const auto op = static_cast<std::uint32_t>(operators_[position].op.index());
    for (const std::uint32_t value : step.gene_reads[op]) {
      if (late_copy_[value] != value)
        predecessors_.push_back(positions_[step.twin(step.values[value].maker)]);
    }
    if (!operators_[position].recompute) list_late_predecessors(step, op);
    predecessor_begin_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
  }
}

void RunningPlan::list_late_predecessors(const StepTemplate& step, std::uint32_t op) {
  const std::uint32_t rank = step.late_rank[op];
  for (const std::uint32_t other : step.late_predecessors[rank])
    predecessors_.push_back(positions_[other]);
  for (const std::uint32_t f : step.overwritten_readers[rank]) {
    const std::uint32_t position = positions_[step.twin(f)];
    if (position != kNone) predecessors_.push_back(position);
  }
}

}  // namespace paretrain::evaluator
