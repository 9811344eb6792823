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

// Late operators run in order of their ranks.
inline std::uint32_t* RunningPlan::list_late_predecessors(const StepTemplate& step,
                                                          std::uint32_t rank,
                                                          std::uint32_t* next) const {
  for (const std::uint32_t other : step.late_predecessors[rank])
    *next++ = positions_[other];
  for (const std::uint32_t f : step.overwritten_readers[rank]) {
    const std::uint32_t position = positions_[step.twin(f)];
    if (position != kNone) *next++ = position;
  }
  return next;
}

// The list is as long as it can get at first, and filled from the front.
void RunningPlan::list_predecessors(const StepTemplate& step) {
  const std::vector<std::uint32_t>& forward = step.forward_predecessors.list;
  predecessors_.resize(forward.size() + 2 * step.gene_reads.list.size() +
                       step.late_predecessors.list.size() + step.overwritten_readers.list.size());
  predecessor_begin_.resize(operators_.size() + 1);
  std::uint32_t* next = std::copy(forward.begin(), forward.end(), predecessors_.data());
  std::copy(step.forward_predecessors.begin.begin(),
            step.forward_predecessors.begin.end(),
            predecessor_begin_.begin());
  std::uint32_t rank = 0;
  for (std::size_t position = step.forward_count; position < operators_.size(); ++position) {
    const RunningOperator& running = operators_[position];
    for (const std::uint32_t value : step.gene_reads[running.op.index()]) {
      if (late_copy_[value] != value) *next++ = positions_[step.twin(step.values[value].maker)];
    }
    if (!running.recompute) next = list_late_predecessors(step, rank++, next);
    predecessor_begin_[position + 1] = static_cast<std::uint32_t>(next - predecessors_.data());
  }
  predecessors_.resize(static_cast<std::size_t>(next - predecessors_.data()));
}

}  // namespace paretrain::evaluator
