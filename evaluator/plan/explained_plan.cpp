#include "evaluator/plan/explained_plan.h"

#include <algorithm>

namespace paretrain::evaluator {

namespace {

ValueCopy copy_of(const StepGraph& graph, std::uint32_t copy) {
  const std::size_t count = graph.values.size();
  const std::size_t value = copy < count ? copy : copy - count;
  return {
      .value = StepValueId(value), .recomputed = copy >= count, .bytes = graph.values[value].bytes};
}

// The copies that a group's reads or writes mean: late operators read late copies.
std::vector<ValueCopy> copies(const StepGraph& graph,
                              const RunningPlan& running,
                              const RunningOperator& first,
                              std::span<const StepValueId> values) {
  const bool late =
      first.recompute || graph.operators[first.op.index()].phase != StepPhase::Forward;
  std::vector<ValueCopy> result;
  for (const StepValueId id : values) {
    const auto value = static_cast<std::uint32_t>(id.index());
    result.push_back(copy_of(graph, late ? running.late_copy(value) : value));
  }
  return result;
}

void add_resident(const StepGraph& graph, BytesByRole& alive) {
  alive[static_cast<std::size_t>(MemoryRole::Other)] += graph.static_bytes;
  for (const StepValue& value : graph.values) {
    if (value.kind == StepValueKind::Resident && value.counted)
      alive[static_cast<std::size_t>(value.role)] += value.bytes;
  }
}

bool larger(const ValueCopy& a, const ValueCopy& b) {
  if (a.bytes != b.bytes) return a.bytes > b.bytes;
  if (a.value != b.value) return a.value < b.value;
  return a.recomputed < b.recomputed;
}

std::vector<PlanStep> steps(const StepGraph& graph,
                            const RunningPlan& running,
                            const PlanSweep& sweep) {
  std::vector<PlanStep> result;
  for (std::size_t s = 0; s < sweep.alive_bytes().size(); ++s) {
    const GroupContent content = sweep.content(s);
    PlanStep step;
    step.operators.assign(content.operators.begin(), content.operators.end());
    step.reads = copies(graph, running, content.operators.front(), content.reads);
    step.writes = copies(graph, running, content.operators.front(), content.writes);
    step.carried_in.assign(content.carried_in.begin(), content.carried_in.end());
    step.carried_out.assign(content.carried_out.begin(), content.carried_out.end());
    step.cost = sweep.cost(s);
    step.alive_total = Bytes(sweep.alive_bytes()[s]);
    add_resident(graph, step.alive);
    result.push_back(std::move(step));
  }
  return result;
}

void add_copies(const StepGraph& graph,
                const StepTemplate& step,
                const PlanSweep& sweep,
                std::vector<PlanStep>& result) {
  for (std::uint32_t copy = 0; copy < 2 * step.value_count; ++copy) {
    const ValueCopy shown = copy_of(graph, copy);
    const StepValue& value = graph.values[shown.value.index()];
    if (value.kind == StepValueKind::Resident) continue;
    if (sweep.is_internal(copy)) {
      PlanStep& maker = result[sweep.made(copy)];
      const bool carried =
          std::ranges::find(maker.carried_out, shown.value, &CarriedValue::value) !=
          maker.carried_out.end();
      if (!carried) maker.internal.push_back(shown);
    }
    const StepRange range = sweep.alive(copy);
    if (range.from == kNone || !value.counted) continue;
    for (std::uint32_t s = range.from; s <= range.to; ++s)
      result[s].alive[static_cast<std::size_t>(value.role)] += value.bytes;
  }
}

void add_peak(const StepGraph& graph,
              const StepTemplate& step,
              const PlanSweep& sweep,
              PlanExplanation& result) {
  const std::span<const std::int64_t> alive = sweep.alive_bytes();
  result.peak = Bytes(step.always_alive_bytes);
  if (!alive.empty()) {
    const auto most = std::max_element(alive.begin(), alive.end());
    result.peak_step = static_cast<std::size_t>(most - alive.begin());
    result.peak = Bytes(*most);
  }
  for (std::uint32_t copy = 0; copy < 2 * step.value_count; ++copy) {
    const ValueCopy shown = copy_of(graph, copy);
    const StepValue& value = graph.values[shown.value.index()];
    if (!value.counted) continue;
    if (value.kind == StepValueKind::Resident) {
      if (!shown.recomputed) result.resident.push_back(shown);
      continue;
    }
    const StepRange range = sweep.alive(copy);
    if (range.from != kNone && range.from <= result.peak_step && result.peak_step <= range.to)
      result.alive_at_peak.push_back(shown);
  }
  std::sort(result.alive_at_peak.begin(), result.alive_at_peak.end(), larger);
  std::sort(result.resident.begin(), result.resident.end(), larger);
}

}  // namespace

PlanExplanation explained_plan(const StepGraph& graph,
                               const StepTemplate& step,
                               const RunningPlan& running,
                               const PlanSweep& sweep) {
  PlanExplanation result;
  result.steps = steps(graph, running, sweep);
  add_copies(graph, step, sweep, result.steps);
  add_peak(graph, step, sweep, result);
  for (std::uint32_t value = 0; value < step.value_count; ++value) {
    if (step.values[value].keep_gene != kNone && running.is_recomputed(value))
      result.recomputed.push_back(StepValueId(value));
  }
  return result;
}

}  // namespace paretrain::evaluator
