#include "results/evaluation_report.h"

#include <algorithm>

#include "base/check.h"

namespace paretrain::results {

using evaluator::GroupContent;
using evaluator::MemoryRole;
using evaluator::PlanExplanation;
using evaluator::PlanStep;
using evaluator::RunningOperator;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepPhase;
using evaluator::StepValueId;
using evaluator::ValueCopy;
using problems::Genome;
using problems::GenomeView;
using problems::PlanProblem;

namespace {

std::string phase_name(const StepOperator& op, const RunningOperator& running) {
  if (running.recompute) return "recompute";
  switch (op.phase) {
    case StepPhase::Forward:
      return "forward";
    case StepPhase::Backward:
      return "backward";
    case StepPhase::Update:
      return "update";
  }
  CHECK(false, "a phase without a name");
  return {};
}

std::string operator_name(const StepGraph& graph, const RunningOperator& running) {
  const std::string& name = graph.operators[running.op.index()].name;
  return running.recompute ? "recompute:" + name : name;
}

std::vector<StepValueId> values_of(const std::vector<ValueCopy>& copies) {
  std::vector<StepValueId> values;
  for (const ValueCopy& copy : copies)
    values.push_back(copy.value);
  return values;
}

// The operator on its own: all it reads is fetched, all it makes is stored. What it adds to, and an
// earlier group or member has added to before, is fetched as well.
evaluator::GroupCost alone(const EvaluationSubject& subject, const PlanStep& step, std::size_t m) {
  const StepGraph& graph = subject.problem->graph();
  const RunningOperator& running = step.operators[m];
  const StepOperator& op = graph.operators[running.op.index()];
  std::vector<StepValueId> reads = op.reads;
  for (const StepValueId value : op.writes) {
    if (std::ranges::find(reads, value) != reads.end()) continue;
    const bool fetched =
        std::ranges::find(step.reads, value, &ValueCopy::value) != step.reads.end();
    const bool added_before =
        std::ranges::any_of(step.operators.begin(),
                            step.operators.begin() + static_cast<std::ptrdiff_t>(m),
                            [&](const RunningOperator& before) {
                              const auto& writes = graph.operators[before.op.index()].writes;
                              return std::ranges::find(writes, value) != writes.end();
                            });
    const bool adds = graph.values[value.index()].kind == evaluator::StepValueKind::Gradient &&
                      !graph.values[value.index()].disjoint_contributions;
    if (adds && (fetched || added_before)) reads.push_back(value);
  }
  return subject.problem->model().cost(GroupContent{{&running, 1}, reads, op.writes});
}

// How much of what a step is handed and hands on stays on chip; the rest is fetched and stored.
enum class Carrying { Nothing, In };

evaluator::GroupCost cost_with(const EvaluationSubject& subject,
                               const PlanStep& step,
                               Carrying carrying) {
  std::vector<StepValueId> reads = values_of(step.reads);
  std::vector<StepValueId> writes = values_of(step.writes);
  for (const evaluator::CarriedValue& carried : step.carried_out)
    writes.push_back(carried.value);
  GroupContent content{step.operators, reads, writes};
  if (carrying == Carrying::In) {
    content.carried_in = step.carried_in;
  } else {
    for (const evaluator::CarriedValue& carried : step.carried_in)
      reads.push_back(carried.value);
    content.reads = reads;
  }
  return subject.problem->model().cost(content);
}

GroupSaving saving_of(const EvaluationSubject& subject, const PlanStep& step) {
  GroupSaving saving;
  if (step.operators.size() < 2) return saving;
  for (std::size_t m = 0; m < step.operators.size(); ++m) {
    const evaluator::GroupCost cost = alone(subject, step, m);
    saving.latency += cost.latency;
    saving.energy += cost.energy;
    saving.offchip_bytes += cost.offchip_bytes;
  }
  const evaluator::GroupCost fused = cost_with(subject, step, Carrying::Nothing);
  saving.latency -= fused.latency;
  saving.energy -= fused.energy;
  saving.offchip_bytes -= fused.offchip_bytes;
  return saving;
}

// What step s hands to the next one.
HandedOver handed_over(const EvaluationSubject& subject,
                       const PlanExplanation& plan,
                       std::size_t s) {
  const PlanStep& step = plan.steps[s];
  HandedOver handed;
  if (step.carried_out.empty()) return handed;
  for (const evaluator::CarriedValue& carried : step.carried_out) {
    const evaluator::StepValue& value = subject.problem->graph().values[carried.value.index()];
    handed.tensors.push_back(
        {value.name, value.bytes.number(), subject.group_costs->place_name(carried.place)});
  }
  const PlanStep& next = plan.steps[s + 1];
  const auto add = [&](const evaluator::GroupCost& cost, std::int64_t sign) {
    handed.saving.latency += sign * cost.latency;
    handed.saving.energy += static_cast<double>(sign) * cost.energy;
    handed.saving.offchip_bytes += sign * cost.offchip_bytes;
  };
  add(cost_with(subject, step, Carrying::In), 1);
  add(cost_with(subject, next, Carrying::Nothing), 1);
  add(step.cost, -1);
  add(cost_with(subject, next, Carrying::In), -1);
  return handed;
}

std::int64_t peak_without_hand_overs(const StepGraph& graph, const PlanExplanation& plan) {
  std::int64_t peak = plan.peak.number();
  for (const PlanStep& step : plan.steps) {
    std::int64_t alive = step.alive_total.number();
    for (const auto* carried : {&step.carried_in, &step.carried_out})
      for (const evaluator::CarriedValue& entry : *carried) {
        const evaluator::StepValue& value = graph.values[entry.value.index()];
        if (value.counted) alive += value.bytes.number();
      }
    peak = std::max(peak, alive);
  }
  return peak;
}

EvaluatedGroup evaluated_group(const EvaluationSubject& subject, const PlanStep& step) {
  const StepGraph& graph = subject.problem->graph();
  EvaluatedGroup group;
  for (const RunningOperator& running : step.operators)
    group.operators.push_back(operator_name(graph, running));
  const RunningOperator& first = step.operators.front();
  group.phase = phase_name(graph.operators[first.op.index()], first);
  group.cost = step.cost;
  group.alive_bytes = step.alive_total.number();
  group.saving = saving_of(subject, step);
  if (subject.group_costs != nullptr) {
    const std::vector<StepValueId> reads = values_of(step.reads);
    const std::vector<StepValueId> writes = values_of(step.writes);
    const GroupContent content{step.operators, reads, writes, step.carried_in, step.carried_out};
    group.detail = subject.group_costs->report(content);
    if (subject.simulation == Simulation::On)
      group.simulation = subject.group_costs->simulation(content);
  }
  return group;
}

// Steps between which a kept copy of the value would be alive.
struct KeptRange {
  std::size_t from = 0;
  std::size_t to = 0;
};

KeptRange kept_range(const StepGraph& graph, const PlanExplanation& plan, StepValueId value) {
  KeptRange range;
  for (std::size_t s = 0; s < plan.steps.size(); ++s)
    for (const RunningOperator& running : plan.steps[s].operators) {
      const StepOperator& op = graph.operators[running.op.index()];
      const bool makes = std::ranges::find(op.writes, value) != op.writes.end();
      if (makes && op.phase == StepPhase::Forward && !running.recompute) range.from = s;
      if (std::ranges::find(op.reads, value) != op.reads.end()) range.to = std::max(range.to, s);
    }
  return range;
}

RecomputedTensor recomputed_tensor(const EvaluationSubject& subject,
                                   const PlanExplanation& plan,
                                   const problems::PlanEvaluation& totals,
                                   Genome genome,
                                   StepValueId value) {
  const PlanProblem& problem = *subject.problem;
  const evaluator::StepValue& entry = problem.graph().values[value.index()];
  RecomputedTensor tensor;
  tensor.name = entry.name;
  tensor.bytes = entry.bytes.number();
  const KeptRange range = kept_range(problem.graph(), plan, value);
  const bool spans = range.from <= plan.peak_step && plan.peak_step <= range.to;
  const bool alive =
      std::ranges::find(plan.alive_at_peak, value, &ValueCopy::value) != plan.alive_at_peak.end();
  tensor.freed_at_peak_bytes = spans && !alive ? tensor.bytes : 0;
  problems::set_gene(genome, problem.keep_gene_positions()[*entry.keep_gene], 1);
  const problems::PlanEvaluation kept = problem.evaluate(genome);
  tensor.peak_if_kept_bytes = kept.peak_bytes;
  tensor.latency_paid = totals.latency - kept.latency;
  tensor.energy_paid = totals.energy - kept.energy;
  return tensor;
}

std::size_t most_explained(const EvaluationSubject& subject) {
  double operands = 1;
  for (const StepOperator& op : subject.problem->graph().operators)
    operands += static_cast<double>(op.reads.size() + op.writes.size());
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(subject.most_explained_operands / operands));
}

// Largest first when not all are wanted; then in the order in which the plan lists them.
std::vector<StepValueId> explained_values(const EvaluationSubject& subject,
                                          const PlanExplanation& plan) {
  std::vector<StepValueId> values = plan.recomputed;
  const std::size_t most = most_explained(subject);
  if (values.size() <= most) return values;
  const auto bytes = [&](StepValueId value) {
    return subject.problem->graph().values[value.index()].bytes.number();
  };
  std::ranges::stable_sort(values, std::ranges::greater{}, bytes);
  values.resize(most);
  std::vector<StepValueId> result;
  for (const StepValueId value : plan.recomputed)
    if (std::ranges::find(values, value) != values.end()) result.push_back(value);
  return result;
}

void describe_peak(const StepGraph& graph, const PlanExplanation& plan, EvaluationReport& report) {
  report.peak_step = plan.peak_step;
  const PlanStep& step = plan.steps[plan.peak_step];
  report.peak_operator = operator_name(graph, step.operators.front());
  for (std::size_t role = 0; role < step.alive.size(); ++role)
    report.peak_by_role[role] = step.alive[role].number();
  for (const auto* copies : {&plan.alive_at_peak, &plan.resident})
    for (const ValueCopy& copy : *copies) {
      const evaluator::StepValue& value = graph.values[copy.value.index()];
      report.peak_tensors.push_back(
          {value.name, role_name(value.role), copy.bytes.number(), copy.recomputed});
    }
  std::ranges::stable_sort(report.peak_tensors, std::ranges::greater{}, &PeakTensor::bytes);
}

}  // namespace

std::string role_name(MemoryRole role) {
  switch (role) {
    case MemoryRole::Parameters:
      return "parameters";
    case MemoryRole::Gradients:
      return "gradients";
    case MemoryRole::OptimizerState:
      return "optimizer_state";
    case MemoryRole::Activations:
      return "activations";
    case MemoryRole::Inputs:
      return "inputs";
    case MemoryRole::Other:
      return "other";
  }
  CHECK(false, "a memory role without a name");
  return {};
}

double latency_ms(const EvaluationReport& report) {
  constexpr double kMillisecondsPerSecond = 1e3;
  return static_cast<double>(report.totals.latency) / *report.clock_hz * kMillisecondsPerSecond;
}

double energy_mj(const EvaluationReport& report) {
  constexpr double kPicojoulesPerMillijoule = 1e9;
  return report.totals.energy / kPicojoulesPerMillijoule;
}

HandedOver all_handed_over(const EvaluationReport& report) {
  HandedOver all;
  for (const EvaluatedGroup& group : report.groups) {
    if (!group.handed_over) continue;
    all.tensors.insert(
        all.tensors.end(), group.handed_over->tensors.begin(), group.handed_over->tensors.end());
    all.saving.latency += group.handed_over->saving.latency;
    all.saving.energy += group.handed_over->saving.energy;
    all.saving.offchip_bytes += group.handed_over->saving.offchip_bytes;
  }
  return all;
}

std::int64_t bytes_of(const HandedOver& handed) {
  std::int64_t bytes = 0;
  for (const HandedTensor& tensor : handed.tensors)
    bytes += tensor.bytes;
  return bytes;
}

EvaluationReport evaluation_report(const EvaluationSubject& subject, GenomeView given) {
  const PlanProblem& problem = *subject.problem;
  const Genome genome = problem.canonical(given);
  const PlanExplanation plan = problem.explain(genome);
  EvaluationReport report;
  report.problem = problem.name();
  report.plan = subject.plan;
  report.genome = problem.text(genome);
  report.units = problem.units();
  report.clock_hz = subject.clock_hz;
  report.totals = problem.evaluate(genome);
  report.memory_limit_bytes = problem.memory_limit_bytes();
  const bool hands_over = problem.model().most_carried_bytes() > 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    report.groups.push_back(evaluated_group(subject, plan.steps[s]));
    if (hands_over) report.groups.back().handed_over = handed_over(subject, plan, s);
  }
  if (hands_over)
    report.peak_without_hand_overs_bytes = peak_without_hand_overs(problem.graph(), plan);
  if (subject.group_costs != nullptr) {
    evaluator::EnergyBreakdown energy;
    for (const EvaluatedGroup& group : report.groups) {
      energy.compute += group.detail->energy.compute;
      energy.on_chip += group.detail->energy.on_chip;
      energy.off_chip += group.detail->energy.off_chip;
      energy.links += group.detail->energy.links;
    }
    report.energy = energy;
    const auto names = subject.group_costs->resource_names();
    report.resources.assign(names.begin(), names.end());
  }
  if (!plan.steps.empty()) describe_peak(problem.graph(), plan, report);
  for (const StepValueId value : explained_values(subject, plan))
    report.recomputed.push_back(recomputed_tensor(subject, plan, report.totals, genome, value));
  report.recomputed_left_out = plan.recomputed.size() - report.recomputed.size();
  return report;
}

}  // namespace paretrain::results
