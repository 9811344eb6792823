#include "problems/cost_graph_summary.h"

#include <set>
#include <string>

namespace paretrain::problems {

namespace {

using evaluator::DynamicPeak;
using evaluator::Phase;
using evaluator::StepSummary;

Phase phase_of(evaluator::StepPhase phase) {
  return phase == evaluator::StepPhase::Forward ? Phase::Forward : Phase::Backward;
}

DynamicPeak keep_all_peak_of(const PlanProblem& problem) {
  const evaluator::PlanExplanation plan = problem.explain(problem.keep_all());
  DynamicPeak peak;
  for (const evaluator::ValueCopy& copy : plan.alive_at_peak) {
    const evaluator::StepValue& value = problem.graph().values[copy.value.index()];
    if (!value.counted) continue;
    const bool gradient = value.kind == evaluator::StepValueKind::Gradient;
    (gradient ? peak.by_role.gradients : peak.by_role.activations) += copy.bytes.number();
    peak.bytes += copy.bytes;
  }
  const evaluator::RunningOperator& running = plan.steps[plan.peak_step].operators.front();
  const evaluator::StepOperator& op = problem.graph().operators[running.op.index()];
  peak.phase = phase_of(op.phase);
  peak.operator_name = op.name;
  return peak;
}

std::string node_name(const CostGraph& graph, std::size_t id) {
  const std::string& name = graph.nodes[id].name;
  return name.empty() ? "node" + std::to_string(id) : name;
}

std::set<std::int64_t> read_by_backward(const CostGraph& graph) {
  std::set<std::int64_t> read;
  for (const CostGraphNode& node : graph.nodes)
    if (node.needs_gradient) read.insert(node.backward_reads.begin(), node.backward_reads.end());
  return read;
}

}  // namespace

evaluator::StepSummary cost_graph_summary(const CostGraph& graph, const PlanProblem& problem) {
  StepSummary summary;
  summary.model = problem.name();
  summary.input_bytes = Bytes(graph.input_bytes);
  const std::set<std::int64_t> read = read_by_backward(graph);
  for (std::size_t id = 0; id < graph.nodes.size(); ++id) {
    const CostGraphNode& node = graph.nodes[id];
    ++summary.forward_operators;
    if (node.needs_gradient) ++summary.backward_operators;
    const bool is_read = read.contains(static_cast<std::int64_t>(id));
    summary.candidates.push_back({.name = node_name(graph, id),
                                  .producer = node_name(graph, id),
                                  .shape = {},
                                  .bytes = Bytes(node.output_bytes),
                                  .read_by_backward = is_read});
    if (!is_read) continue;
    ++summary.saved_tensors;
    summary.saved_bytes += Bytes(node.output_bytes);
  }
  if (read.contains(-1)) {
    ++summary.saved_tensors;
    summary.saved_bytes += Bytes(graph.input_bytes);
    summary.saved_input_bytes = Bytes(graph.input_bytes);
  }
  if (!graph.nodes.empty()) summary.peak = keep_all_peak_of(problem);
  return summary;
}

}  // namespace paretrain::problems
