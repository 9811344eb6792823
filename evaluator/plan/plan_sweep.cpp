#include "evaluator/plan/plan_sweep.h"

#include <algorithm>
#include <utility>

namespace paretrain::evaluator {

PlanTotals PlanSweep::rebuild(const StepTemplate& step,
                              const GroupModel& model,
                              GroupMemory& memory,
                              const RunningPlan& running,
                              const GroupOrder& order) {
  const Plan plan{step, running, order};
  reset(plan);
  find_reads(plan);
  find_writes(plan);
  find_gradient_lifetimes(plan);
  carry(plan, model, memory);
  PlanTotals totals;
  costs_.clear();
  for (std::size_t s = 0; s < order.step_count(); ++s) {
    const GroupCost cost = memory.cost(model, content(s));
    costs_.push_back(cost);
    totals.latency += cost.latency;
    totals.energy += cost.energy;
    totals.offchip_bytes += cost.offchip_bytes;
  }
  totals.peak_bytes = peak(step.always_alive_bytes);
  return totals;
}

GroupContent PlanSweep::content(std::size_t step) const noexcept {
  GroupContent content{
      .operators = {operators_.data() + operator_begin_[step],
                    operators_.data() + operator_begin_[step + 1]},
      .reads = {reads_.data() + read_begin_[step], reads_.data() + read_begin_[step + 1]},
      .writes = {writes_.data() + write_begin_[step], writes_.data() + write_begin_[step + 1]}};
  if (carried_begin_.empty()) return content;
  content.reads = content.reads.first(read_end_[step] - read_begin_[step]);
  content.writes = content.writes.first(write_end_[step] - write_begin_[step]);
  content.carried_in = {carried_.data() + carried_begin_[step],
                        carried_.data() + carried_begin_[step + 1]};
  content.carried_out = {carried_.data() + carried_begin_[step + 1],
                         carried_.data() + carried_begin_[step + 2]};
  return content;
}

// Lists are as long as they can get, and filled from the front.
void PlanSweep::reset(const Plan& plan) {
  const StepTemplate& step = plan.step;
  const std::size_t steps = plan.order.step_count();
  const std::size_t most_writes = 2 * step.writes.list.size();
  const std::size_t most_reads = 2 * step.reads.list.size() + most_writes;
  const std::size_t copies = 2 * std::size_t{step.value_count};
  uses_.assign(copies, Uses{});
  alive_.assign(copies, StepRange{});
  written_at_.assign(step.value_count, 0);
  alive_bytes_.assign(steps + 1, 0);
  operators_.resize(plan.running.size());
  if (reads_.size() < most_reads) reads_.resize(most_reads);
  if (writes_.size() < most_writes) writes_.resize(most_writes);
  if (made_.size() < most_writes) made_.resize(most_writes);
  for (std::vector<std::uint32_t>* begin :
       {&operator_begin_, &read_begin_, &write_begin_, &made_begin_}) {
    begin->resize(steps + 1);
    begin->front() = 0;
  }
}

inline std::uint32_t* PlanSweep::list_made(const Plan& plan,
                                           const RunningOperator& running,
                                           std::uint32_t step,
                                           std::uint32_t* next) {
  const std::uint32_t offset = running.recompute ? plan.step.value_count : 0;
  const std::span<const std::uint32_t> writes = plan.step.writes[running.op.index()];
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (!running.produces(i)) continue;
    const std::uint32_t copy = offset + writes[i];
    Uses& uses = uses_[copy];
    uses.made = std::min(uses.made, step);
    uses.first = std::min(uses.first, step);
    uses.last = step;
    *next++ = copy;
  }
  return next;
}

// A value that is read is fetched once, unless all of it was made in this group; a contribution to
// what earlier groups have added to, or existed before, is read first.
inline StepValueId* PlanSweep::list_reads(const Plan& plan,
                                          const RunningOperator& running,
                                          std::uint32_t step,
                                          StepValueId* next) {
  const auto op = static_cast<std::uint32_t>(running.op.index());
  const bool forward_run = op < plan.step.forward_count && !running.recompute;
  for (const std::uint32_t value : plan.step.reads[op]) {
    Uses& uses = uses_[forward_run ? value : plan.running.late_copy(value)];
    uses.first = std::min(uses.first, step);
    uses.last = step;
    if (uses.read_at == step + 1) continue;
    uses.read_at = step + 1;
    if (uses.made != step || plan.step.values[value].has_content_always)
      *next++ = StepValueId(value);
  }
  if (op < plan.step.forward_count) return next;
  for (const std::uint32_t value : plan.step.writes[op]) {
    const TemplateValue& entry = plan.step.values[value];
    Uses& uses = uses_[value];
    const bool adds = entry.kind == StepValueKind::Gradient && !entry.disjoint_contributions &&
                      (entry.exists_before || uses.made < step);
    if (!adds || uses.read_at == step + 1) continue;
    uses.read_at = step + 1;
    *next++ = StepValueId(value);
  }
  return next;
}

// Steps in order, so that the first use of a copy is the first met, and the last the last.
void PlanSweep::find_reads(const Plan& plan) {
  RunningOperator* next_operator = operators_.data();
  std::uint32_t* next_made = made_.data();
  StepValueId* next_read = reads_.data();
  for (std::uint32_t s = 0; s < plan.order.step_count(); ++s) {
    const RunningOperator* const first = next_operator;
    for (const std::uint32_t position : plan.order.members(s)) {
      *next_operator = plan.running.operators()[position];
      next_made = list_made(plan, *next_operator++, s, next_made);
    }
    for (const RunningOperator* running = first; running != next_operator; ++running)
      next_read = list_reads(plan, *running, s, next_read);
    operator_begin_[s + 1] = static_cast<std::uint32_t>(next_operator - operators_.data());
    made_begin_[s + 1] = static_cast<std::uint32_t>(next_made - made_.data());
    read_begin_[s + 1] = static_cast<std::uint32_t>(next_read - reads_.data());
  }
}

// What a group makes is written once, unless nothing outside needs it afterwards. A forward copy
// has one maker, so it is off chip from there on exactly when it is written.
void PlanSweep::find_writes(const Plan& plan) {
  const StepTemplate& step = plan.step;
  StepValueId* next = writes_.data();
  for (std::uint32_t s = 0; s < plan.order.step_count(); ++s) {
    for (std::uint32_t i = made_begin_[s]; i < made_begin_[s + 1]; ++i) {
      const std::uint32_t copy = made_[i];
      const std::uint32_t value = value_of(plan, copy);
      const TemplateValue& entry = step.values[value];
      const Uses& uses = uses_[copy];
      const bool forward = entry.kind == StepValueKind::Forward;
      const bool is_read = forward ? uses.read_at != 0 : entry.has_reader;
      if (is_read && uses.last == s && !entry.is_written_always) continue;
      if (forward)
        occupy(plan, copy, {s, uses.last});
      else if (written_at_[value] == s + 1)
        continue;
      else
        written_at_[value] = s + 1;
      *next++ = StepValueId(value);
    }
    write_begin_[s + 1] = static_cast<std::uint32_t>(next - writes_.data());
  }
}

void PlanSweep::occupy(const Plan& plan, std::uint32_t copy, StepRange range) {
  const TemplateValue& entry = plan.step.values[value_of(plan, copy)];
  alive_[copy] = range;
  if (!entry.counted) return;
  alive_bytes_[range.from] += entry.bytes;
  alive_bytes_[range.to + 1] -= entry.bytes;
}

void PlanSweep::vacate(const Plan& plan, std::uint32_t copy) {
  const TemplateValue& entry = plan.step.values[value_of(plan, copy)];
  const StepRange range = std::exchange(alive_[copy], {});
  if (!entry.counted || range.from == kNone) return;
  alive_bytes_[range.from] -= entry.bytes;
  alive_bytes_[range.to + 1] += entry.bytes;
}

StepRange PlanSweep::gradient_lifetime(const Plan& plan,
                                       std::uint32_t value,
                                       std::uint32_t first_late_step) const {
  const TemplateValue& entry = plan.step.values[value];
  const Uses& uses = uses_[value];
  const bool stays_inside = uses.made != kNone && uses.made == uses.last && entry.has_reader;
  if (stays_inside && !entry.exists_before && !entry.exists_to_end && !entry.leaves_step) return {};
  StepRange range{uses.first, uses.last};
  if (entry.exists_before) range.from = entry.exists_from_start ? 0 : first_late_step;
  if (entry.exists_to_end) range.to = static_cast<std::uint32_t>(plan.order.step_count() - 1);
  return range;
}

void PlanSweep::find_gradient_lifetimes(const Plan& plan) {
  std::uint32_t first_late_step = 0;
  for (std::uint32_t f = 0; f < plan.step.forward_count; ++f)
    first_late_step = std::max(first_late_step, plan.order.step(f) + 1);
  for (const std::uint32_t value : plan.step.gradients) {
    const StepRange range = gradient_lifetime(plan, value, first_late_step);
    if (range.from != kNone) occupy(plan, value, range);
  }
}

// What a step hands on depends on what it is handed, never the other way round.
void PlanSweep::carry(const Plan& plan, const GroupModel& model, GroupMemory& memory) {
  carried_.clear();
  carried_begin_.clear();
  const std::int64_t most_bytes = model.most_carried_bytes();
  if (most_bytes == 0) return;
  const std::size_t steps = plan.order.step_count();
  read_end_.assign(read_begin_.begin() + 1, read_begin_.end());
  write_end_.assign(write_begin_.begin() + 1, write_begin_.end());
  carried_begin_.assign(steps + 2, 0);
  for (std::uint32_t s = 0; s + 1 < steps; ++s) {
    const auto end = [&] { return static_cast<std::uint32_t>(carried_.size()); };
    find_candidates(plan, s, most_bytes);
    carried_begin_[s + 2] = end();
    carried_begin_[s + 3] = end();
    if (candidates_.empty()) continue;
    take(plan, s, memory.carried(model, {content(s), content(s + 1), candidates_}));
    carried_begin_[s + 2] = end();
    carried_begin_[s + 3] = end();
  }
}

std::uint32_t PlanSweep::written_copy(const Plan& plan,
                                      std::uint32_t value,
                                      std::uint32_t step) const noexcept {
  const RunningOperator& first = operators_[operator_begin_[step]];
  const bool forward = first.op.index() < plan.step.forward_count && !first.recompute;
  const bool recomputed = !forward && plan.step.values[value].kind == StepValueKind::Forward;
  return recomputed ? value + plan.step.value_count : value;
}

// Nobody but the step and the next one touches it, and only the step makes it.
bool PlanSweep::is_candidate(const Plan& plan,
                             std::uint32_t value,
                             std::uint32_t copy,
                             std::uint32_t step) const {
  const TemplateValue& entry = plan.step.values[value];
  const Uses& uses = uses_[copy];
  if (entry.kind == StepValueKind::Resident || entry.exists_before || entry.exists_to_end ||
      entry.leaves_step || uses.made != step || uses.last != step + 1)
    return false;
  if (entry.kind != StepValueKind::Gradient) return true;
  for (std::uint32_t o = operator_begin_[step + 1]; o < operator_begin_[step + 2]; ++o) {
    const std::span<const std::uint32_t> writes = plan.step.writes[operators_[o].op.index()];
    if (std::find(writes.begin(), writes.end(), value) != writes.end()) return false;
  }
  return true;
}

void PlanSweep::find_candidates(const Plan& plan, std::uint32_t step, std::int64_t most_bytes) {
  candidates_.clear();
  for (std::uint32_t w = write_begin_[step]; w < write_end_[step]; ++w) {
    const auto value = static_cast<std::uint32_t>(writes_[w].index());
    if (plan.step.values[value].bytes <= most_bytes &&
        is_candidate(plan, value, written_copy(plan, value, step), step))
      candidates_.emplace_back(value);
  }
  std::sort(candidates_.begin(), candidates_.end(), [&](StepValueId a, StepValueId b) {
    const std::int64_t bytes_a = plan.step.values[a.index()].bytes;
    const std::int64_t bytes_b = plan.step.values[b.index()].bytes;
    return bytes_a != bytes_b ? bytes_a > bytes_b : a < b;
  });
  if (candidates_.size() > kMostCarried) candidates_.resize(kMostCarried);
}

// What is carried is fetched and stored by nobody and never alive off chip.
void PlanSweep::take(const Plan& plan, std::uint32_t step, const CarryAnswer& answer) {
  const auto drop = [](std::vector<StepValueId>& values,
                       std::uint32_t begin,
                       std::uint32_t& end,
                       StepValueId value) {
    const auto kept = std::remove(values.begin() + begin, values.begin() + end, value);
    end = static_cast<std::uint32_t>(kept - values.begin());
  };
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (answer[c] == 0) continue;
    const StepValueId value = candidates_[c];
    const auto index = static_cast<std::uint32_t>(value.index());
    carried_.push_back({value, answer[c] - 1U});
    vacate(plan, written_copy(plan, index, step));
    drop(writes_, write_begin_[step], write_end_[step], value);
    drop(reads_, read_begin_[step + 1], read_end_[step + 1], value);
  }
}

std::int64_t PlanSweep::peak(std::int64_t always_alive_bytes) {
  alive_bytes_.pop_back();
  std::int64_t alive = always_alive_bytes;
  std::int64_t most = alive;
  for (std::int64_t& bytes : alive_bytes_) {
    alive += bytes;
    bytes = alive;
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace paretrain::evaluator
