// Why: both walks over a file's nodes, at its own batch and at another, look at a node's operands
// and keep what is found about its outputs in the same way.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "problems/onnx_inference.h"

namespace paretrain::problems {

// Whether a node makes the same in every step. Shape and Size do whatever they look at, since every
// shape is fixed; random operators never do.
[[nodiscard]] bool makes_constants(const NodeFacts& node);

// Facts about values while nodes are visited in order.
class OnnxWalk {
 public:
  // `graph` and `faults` must outlive it.
  OnnxWalk(const IndexedGraph& graph, AllFacts facts, OnnxFaults& faults);

  // A node with its operands as `from` knows them. Empty when an operand is unknown because of an
  // earlier fault.
  [[nodiscard]] std::optional<NodeFacts> node_facts(std::size_t node, const AllFacts& from) const;

  // By our rules, libonnx's, the file's declaration or as elementwise, in this order; the last two
  // make the node an unknown one. Errors: ShapeFault.
  [[nodiscard]] std::vector<TensorFacts> outputs_by_rule(std::size_t node, const NodeFacts& about);

  // Replaces shapes by those that the file declares.
  void believe_declared(std::size_t node, std::vector<TensorFacts>& outputs) const;

  // Keeps the facts and folds constants. Errors: ShapeFault for empty tensors and missing outputs.
  void store(std::size_t node, const NodeFacts& about, std::vector<TensorFacts> outputs);

  void add_fault(std::size_t node, const ShapeFault& fault, std::string_view hint = "");

  [[nodiscard]] const IndexedGraph& graph() const noexcept { return graph_; }

  [[nodiscard]] AllFacts& facts() noexcept { return facts_; }

  [[nodiscard]] const AllFacts& facts() const noexcept { return facts_; }

  [[nodiscard]] Inference result();

 private:
  const IndexedGraph& graph_;
  std::vector<std::optional<TensorFacts>> declared_;  // full shapes that the file declares
  AllFacts facts_;
  OnnxFaults& faults_;
  std::vector<std::size_t> unknown_;
};

}  // namespace paretrain::problems
