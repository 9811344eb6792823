// Why: a file does not say which of its tensors are trained; how they are used does.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "problems/onnx_graph.h"

namespace paretrain::problems {

// A graph whose values are numbered: initializers, then inputs, then outputs of nodes in order.
// Nodes and values stay in the OnnxGraph, which must outlive this and stay as it is.
class IndexedGraph {
 public:
  // Requires: names are unique and all are defined, as order_nodes checks.
  explicit IndexedGraph(const OnnxGraph& graph);

  struct Use {
    std::size_t node = 0;
    std::size_t slot = 0;
  };

  [[nodiscard]] const OnnxGraph& graph() const noexcept { return *graph_; }

  [[nodiscard]] std::size_t value_count() const noexcept { return names_.size(); }

  [[nodiscard]] const std::string& name(std::size_t value) const { return names_[value]; }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;

  [[nodiscard]] std::size_t initializer(std::size_t index) const noexcept { return index; }

  [[nodiscard]] std::size_t input(std::size_t index) const noexcept {
    return graph_->initializers.size() + index;
  }

  // By slot; an omitted one is empty.
  [[nodiscard]] const std::vector<std::optional<std::size_t>>& inputs(std::size_t node) const {
    return inputs_[node];
  }

  [[nodiscard]] const std::vector<std::optional<std::size_t>>& outputs(std::size_t node) const {
    return outputs_[node];
  }

  [[nodiscard]] const std::vector<Use>& uses(std::size_t value) const { return uses_[value]; }

  // The node that makes a value; empty for initializers and inputs.
  [[nodiscard]] std::optional<std::size_t> maker(std::size_t value) const { return makers_[value]; }

 private:
  std::size_t add_value(const std::string& name);

  const OnnxGraph* graph_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::vector<std::optional<std::size_t>>> inputs_;
  std::vector<std::vector<std::optional<std::size_t>>> outputs_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::optional<std::size_t>> makers_;
};

// True for operands that say how an operator works instead of what on: shapes, axes, ratios,
// bounds.
[[nodiscard]] bool is_setting_slot(const OnnxNode& node, std::size_t slot);

// The kind of every initializer and input, in the order of IndexedGraph; Computed for the rest.
// Parameters are float initializers and inputs that only parameter slots read; running statistics,
// masks and float constants that the exporter made (named /…_output_N and no weights of a product,
// or read by Trilu only) are buffers; settings and single numbers of such are constants.
// `data_inputs` names inputs that are data whatever reads them.
// Source: docs/models.md, Roles.
[[nodiscard]] std::vector<evaluator::ValueKind> value_kinds(
    const IndexedGraph& graph, const std::vector<std::string>& data_inputs);

// The same for a ready-made training graph: of its float inputs the first is data, others that the
// forward part reads are parameters, what only the optimizer reads are buffers (its states).
[[nodiscard]] std::vector<evaluator::ValueKind> ready_made_kinds(const IndexedGraph& graph);

// The kind of a constant that nodes made, by who still reads it.
[[nodiscard]] evaluator::ValueKind folded_kind(const IndexedGraph& graph,
                                               std::size_t value,
                                               std::int64_t elements);

}  // namespace paretrain::problems
