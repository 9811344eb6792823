#include "evaluator/plan/plan_sweep.h"

#include <algorithm>

namespace paretrain::evaluator {

PlanTotals PlanSweep::rebuild(const StepTemplate& step,
                              const GroupModel& model,
                              GroupMemory& memory,
                              const RunningPlan& running,
                              const GroupOrder& order) {
  const Plan plan{step, running, order};
  find_uses(plan);
  find_lifetimes(plan);
  find_traffic(plan);
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
  totals.peak_bytes = peak(plan);
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

void PlanSweep::find_uses(const Plan& plan) {
  const StepTemplate& step = plan.step;
  uses_.assign(2 * std::size_t{step.value_count}, Uses{});
  const std::span<const RunningOperator> operators = plan.running.operators();
  for (std::size_t position = 0; position < operators.size(); ++position) {
    const RunningOperator& running = operators[position];
    const auto op = static_cast<std::uint32_t>(running.op.index());
    const std::uint32_t at = plan.order.step(position);
    const bool forward_run = op < step.forward_count && !running.recompute;
    for (const std::uint32_t value : step.reads[op]) {
      Uses& uses = uses_[forward_run ? value : plan.running.late_copy(value)];
      uses.first = std::min(uses.first, at);
      uses.last = std::max(uses.last, at);
      uses.read = true;
    }
    const std::uint32_t offset = running.recompute ? step.value_count : 0;
    const std::span<const std::uint32_t> writes = step.writes[op];
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (!running.produces(i)) continue;
      Uses& uses = uses_[offset + writes[i]];
      uses.made = std::min(uses.made, at);
      uses.first = std::min(uses.first, at);
      uses.last = std::max(uses.last, at);
    }
  }
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

void PlanSweep::find_lifetimes(const Plan& plan) {
  const StepTemplate& step = plan.step;
  alive_.assign(uses_.size(), StepRange{});
  std::uint32_t first_late_step = 0;
  for (std::uint32_t f = 0; f < step.forward_count; ++f)
    first_late_step = std::max(first_late_step, plan.order.step(f) + 1);
  for (std::uint32_t copy = 0; copy < uses_.size(); ++copy) {
    const std::uint32_t value = copy < step.value_count ? copy : copy - step.value_count;
    const Uses& uses = uses_[copy];
    if (uses.first == kNone || step.values[value].kind != StepValueKind::Forward) continue;
    const bool internal = uses.read && uses.made == uses.last && !step.values[value].leaves_step;
    if (!internal) alive_[copy] = {uses.made, uses.last};
  }
  for (const std::uint32_t value : step.gradients)
    alive_[value] = gradient_lifetime(plan, value, first_late_step);
}

void PlanSweep::find_traffic(const Plan& plan) {
  read_at_.assign(uses_.size(), 0);
  written_at_.assign(uses_.size(), 0);
  operators_.clear();
  reads_.clear();
  writes_.clear();
  operator_begin_.assign(1, 0);
  read_begin_.assign(1, 0);
  write_begin_.assign(1, 0);
  for (std::uint32_t s = 0; s < plan.order.step_count(); ++s) {
    for (const std::uint32_t position : plan.order.members(s)) {
      operators_.push_back(plan.running.operators()[position]);
      list_reads(plan, position, s);
      list_writes(plan, position, s);
    }
    operator_begin_.push_back(static_cast<std::uint32_t>(operators_.size()));
    read_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
    write_begin_.push_back(static_cast<std::uint32_t>(writes_.size()));
  }
}

void PlanSweep::list_read(std::uint32_t copy, std::uint32_t value, std::uint32_t step) {
  if (read_at_[copy] == step + 1) return;
  read_at_[copy] = step + 1;
  reads_.emplace_back(value);
}

void PlanSweep::list_write(std::uint32_t copy, std::uint32_t value, std::uint32_t step) {
  if (written_at_[copy] == step + 1) return;
  written_at_[copy] = step + 1;
  writes_.emplace_back(value);
}

// A value that is read is fetched once, unless all of it was made in this group.
void PlanSweep::list_reads(const Plan& plan, std::uint32_t position, std::uint32_t step) {
  const RunningOperator& running = plan.running.operators()[position];
  const auto op = static_cast<std::uint32_t>(running.op.index());
  const bool forward_run = op < plan.step.forward_count && !running.recompute;
  for (const std::uint32_t value : plan.step.reads[op]) {
    const TemplateValue& entry = plan.step.values[value];
    const std::uint32_t copy = forward_run ? value : plan.running.late_copy(value);
    const bool made_here = uses_[copy].made == step && !entry.exists_before;
    if (entry.kind == StepValueKind::Resident || !made_here) list_read(copy, value, step);
  }
}

// What a group makes is written once, unless nothing outside needs it afterwards; a contribution to
// what earlier groups have added to, or existed before, is read first.
void PlanSweep::list_writes(const Plan& plan, std::uint32_t position, std::uint32_t step) {
  const RunningOperator& running = plan.running.operators()[position];
  const std::uint32_t offset = running.recompute ? plan.step.value_count : 0;
  const std::span<const std::uint32_t> writes = plan.step.writes[running.op.index()];
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (!running.produces(i)) continue;
    const std::uint32_t value = writes[i];
    const TemplateValue& entry = plan.step.values[value];
    const std::uint32_t copy = offset + value;
    const Uses& uses = uses_[copy];
    const bool gradient = entry.kind == StepValueKind::Gradient;
    if (gradient && !entry.disjoint_contributions && (entry.exists_before || uses.made < step))
      list_read(copy, value, step);
    const bool needed_later = uses.last > step || entry.leaves_step || entry.exists_to_end;
    if (entry.kind == StepValueKind::Resident || needed_later || !uses.read)
      list_write(copy, value, step);
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
    alive_[written_copy(plan, index, step)] = {};
    drop(writes_, write_begin_[step], write_end_[step], value);
    drop(reads_, read_begin_[step + 1], read_end_[step + 1], value);
  }
}

std::int64_t PlanSweep::peak(const Plan& plan) {
  const std::size_t steps = plan.order.step_count();
  alive_bytes_.assign(steps + 1, 0);
  for (std::uint32_t copy = 0; copy < alive_.size(); ++copy) {
    const StepRange& range = alive_[copy];
    if (range.from == kNone) continue;
    const TemplateValue& entry =
        plan.step.values[copy < plan.step.value_count ? copy : copy - plan.step.value_count];
    if (!entry.counted) continue;
    alive_bytes_[range.from] += entry.bytes;
    alive_bytes_[range.to + 1] -= entry.bytes;
  }
  alive_bytes_.resize(steps);
  std::int64_t alive = plan.step.always_alive_bytes;
  std::int64_t most = alive;
  for (std::int64_t& bytes : alive_bytes_) {
    alive += bytes;
    bytes = alive;
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace paretrain::evaluator
