// Why: patterns look up producers and readers of values over and over; this index answers that and
// says whether a set of nodes may be replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/graph/model_graph.h"

namespace paretrain::evaluator {

// Nodes that together are one operator, and that operator.
struct PatternMatch {
  std::string pattern;
  std::vector<std::size_t> nodes;
  Node replacement;
};

class ModelIndex {
 public:
  explicit ModelIndex(const ModelGraph& model);

  [[nodiscard]] const ModelGraph& model() const { return model_; }

  [[nodiscard]] const Node& node(std::size_t index) const { return model_.nodes[index]; }

  // The node that makes a value, if one does.
  [[nodiscard]] std::optional<std::size_t> producer(ValueId value) const;
  // The same, when it is of this type.
  [[nodiscard]] std::optional<std::size_t> producer(std::optional<ValueId> value,
                                                    const char* type) const;
  // The only reader of a node's first output, when there is exactly one and it is of this type and
  // the value is no model output.
  [[nodiscard]] std::optional<std::size_t> only_reader(std::size_t node, const char* type) const;
  [[nodiscard]] const std::vector<std::size_t>& readers(ValueId value) const;
  // The single number of a constant.
  [[nodiscard]] std::optional<double> number(std::optional<ValueId> value) const;
  [[nodiscard]] bool is_computed(std::optional<ValueId> value) const;
  // A parameter, or a part or turned view of one.
  [[nodiscard]] bool is_parameter_view(ValueId value) const;
  // The other input of a node with two.
  [[nodiscard]] std::optional<ValueId> other_input(std::size_t node, ValueId value) const;
  // Whether every value made inside is read only inside, but for the outputs of `last`.
  [[nodiscard]] bool closed(const std::vector<std::size_t>& nodes, std::size_t last) const;
  // Adds to `nodes` what computes `value` from `source` and constants by nodes of the given types.
  // False when something else is involved or more than `limit` nodes are.
  [[nodiscard]] bool collect_cone(ValueId value,
                                  ValueId source,
                                  const std::vector<std::string>& types,
                                  std::vector<std::size_t>& nodes) const;

 private:
  const ModelGraph& model_;
  std::vector<std::optional<std::size_t>> producers_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_output_;
};

// One pattern: the match whose characteristic node is `node`.
using Pattern = std::optional<PatternMatch> (*)(const ModelIndex&, std::size_t node);

[[nodiscard]] std::optional<PatternMatch> layer_normalisation_pattern(const ModelIndex& index,
                                                                      std::size_t node);
[[nodiscard]] std::optional<PatternMatch> group_normalisation_pattern(const ModelIndex& index,
                                                                      std::size_t node);
[[nodiscard]] std::optional<PatternMatch> gelu_pattern(const ModelIndex& index, std::size_t node);
[[nodiscard]] std::optional<PatternMatch> gated_linear_pattern(const ModelIndex& index,
                                                               std::size_t node);
[[nodiscard]] std::optional<PatternMatch> gated_activation_pattern(const ModelIndex& index,
                                                                   std::size_t node);
[[nodiscard]] std::optional<PatternMatch> chained_function_pattern(const ModelIndex& index,
                                                                   std::size_t node);
[[nodiscard]] std::optional<PatternMatch> recurrent_weights_pattern(const ModelIndex& index,
                                                                    std::size_t node);
[[nodiscard]] std::optional<PatternMatch> linear_pattern(const ModelIndex& index, std::size_t node);

}  // namespace paretrain::evaluator
