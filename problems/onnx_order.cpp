#include "problems/onnx_order.h"

#include <functional>
#include <queue>
#include <unordered_map>

#include "base/number_text.h"

namespace paretrain::problems {

namespace {

// Who makes a value: a node by its position, or the graph itself.
constexpr std::size_t kGraph = static_cast<std::size_t>(-1);
using Makers = std::unordered_map<std::string, std::size_t>;  // looked up only, never walked

std::string node_place(const OnnxNode& node) {
  return "node " + quoted(node.name) + " (" + quoted(node.type) + ")";
}

Makers makers_of(const OnnxGraph& graph, OnnxFaults& faults) {
  Makers makers;
  const auto add = [&](const std::string& name, std::size_t maker) {
    if (!makers.emplace(name, maker).second)
      faults.add("value " + quoted(name), "defined twice; expected one definition a name");
  };
  for (const OnnxTensor& tensor : graph.initializers)
    add(tensor.name, kGraph);
  for (const OnnxValue& input : graph.inputs)
    add(input.name, kGraph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) add(output, i);
  }
  return makers;
}

struct Edges {
  std::vector<std::vector<std::size_t>> readers;  // of each node's outputs, repeats included
  std::vector<std::size_t> waiting;               // inputs of each node still to be made
};

Edges edges_of(const OnnxGraph& graph, const Makers& makers, OnnxFaults& faults) {
  Edges edges{.readers = std::vector<std::vector<std::size_t>>(graph.nodes.size()),
              .waiting = std::vector<std::size_t>(graph.nodes.size(), 0)};
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& input : graph.nodes[i].inputs) {
      if (input.empty()) continue;
      const auto maker = makers.find(input);
      if (maker == makers.end()) {
        faults.add(node_place(graph.nodes[i]),
                   "reads " + quoted(input) + ", which nothing in the file makes");
      } else if (maker->second != kGraph) {
        edges.readers[maker->second].push_back(i);
        ++edges.waiting[i];
      }
    }
  }
  for (const OnnxValue& output : graph.outputs) {
    if (!makers.contains(output.name))
      faults.add("output " + quoted(output.name), "nothing in the file makes it");
  }
  return edges;
}

std::vector<std::size_t> topological_order(Edges& edges) {
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < edges.waiting.size(); ++i)
    if (edges.waiting[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const std::size_t reader : edges.readers[node])
      if (--edges.waiting[reader] == 0) ready.push(reader);
  }
  return order;
}

void report_cycle(const OnnxGraph& graph, const Edges& edges, OnnxFaults& faults) {
  std::int64_t blocked = 0;
  std::size_t first = kGraph;
  for (std::size_t i = 0; i < edges.waiting.size(); ++i) {
    if (edges.waiting[i] == 0) continue;
    ++blocked;
    if (first == kGraph) first = i;
  }
  faults.add(node_place(graph.nodes[first]),
             "in a cycle, or fed by one (" + number_text(blocked) +
                 " nodes in all); expected a graph without cycles");
}

}  // namespace

void order_nodes(OnnxGraph& graph, OnnxFaults& faults) {
  const Makers makers = makers_of(graph, faults);
  Edges edges = edges_of(graph, makers, faults);
  if (!faults.empty()) return;
  const std::vector<std::size_t> order = topological_order(edges);
  if (order.size() != graph.nodes.size()) return report_cycle(graph, edges, faults);
  std::vector<OnnxNode> ordered;
  ordered.reserve(order.size());
  for (const std::size_t node : order)
    ordered.push_back(std::move(graph.nodes[node]));
  graph.nodes = std::move(ordered);
}

}  // namespace paretrain::problems
