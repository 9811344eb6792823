#include "problems/cost_graph_summary.h"

#include "problems/cost_graph_problem.h"
#include "tests/support/doctest.h"

namespace paretrain::problems {

namespace {

// Two nodes: conv reads the input, relu reads its own output.
CostGraph two_layers() {
  CostGraph graph;
  graph.name = "two layers";
  graph.input_bytes = 12;
  graph.nodes.resize(2);
  graph.nodes[0] = {.name = "conv", .op = "", .inputs = {-1}, .backward_reads = {-1}};
  graph.nodes[1] = {.name = "", .op = "", .inputs = {0}, .backward_reads = {1}};
  for (CostGraphNode& node : graph.nodes) {
    node.forward_latency = node.backward_latency = 1;
    node.output_bytes = node.gradient_bytes = 16;
  }
  return graph;
}

}  // namespace

TEST_CASE("cost_graph_summary: counts operators and candidates and what backward reads") {
  const CostGraph graph = two_layers();
  const evaluator::StepSummary summary = cost_graph_summary(graph, cost_graph_problem(graph, {}));
  CHECK_EQ(summary.model, "two layers");
  CHECK_EQ(summary.forward_operators, 2);
  CHECK_EQ(summary.backward_operators, 2);
  REQUIRE_EQ(summary.candidates.size(), 2);
  CHECK_EQ(summary.candidates[0].name, "conv");
  CHECK_FALSE(summary.candidates[0].read_by_backward);
  CHECK_EQ(summary.candidates[1].name, "node1");
  CHECK(summary.candidates[1].read_by_backward);
  CHECK_EQ(summary.saved_bytes.number(), 12 + 16);
  CHECK_EQ(summary.saved_input_bytes.number(), 12);
}

TEST_CASE("cost_graph_summary: the peak leaves out the input and follows count_gradients") {
  // At B1: tensor 1, gradients of 1 and 0. Tensor 0 has died with F1.
  CostGraph graph = two_layers();
  evaluator::StepSummary summary = cost_graph_summary(graph, cost_graph_problem(graph, {}));
  CHECK_EQ(summary.peak.bytes.number(), 48);
  CHECK_EQ(summary.peak.by_role.activations, 16);
  CHECK_EQ(summary.peak.by_role.gradients, 32);
  // Without gradients F1 is the peak: tensors 0 and 1.
  graph.count_gradients = false;
  summary = cost_graph_summary(graph, cost_graph_problem(graph, {}));
  CHECK_EQ(summary.peak.bytes.number(), 32);
  CHECK_EQ(summary.peak.phase, evaluator::Phase::Forward);
}

}  // namespace paretrain::problems
