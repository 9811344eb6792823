// Why: what a rule needs to turn one ONNX node into operators of the step, without knowing how
// values are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/graph/gradients.h"
#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/step_builder.h"

namespace paretrain::evaluator {

class NodeContext {
 public:
  NodeContext(StepBuilder& step,
              const ModelGraph& model,
              const Node& node,
              std::vector<std::optional<Tensor>>& values)
      : step_(step), model_(model), node_(node), values_(values) {}

  [[nodiscard]] StepBuilder& step() const { return step_; }

  [[nodiscard]] const ModelGraph& model() const { return model_; }

  [[nodiscard]] const Node& node() const { return node_; }

  // Inputs and outputs of the node; an omitted optional one is absent.
  [[nodiscard]] bool has(std::size_t input) const;

  [[nodiscard]] std::size_t input_count() const { return node_.inputs.size(); }

  // Errors: InputError when the node lacks the input.
  [[nodiscard]] const Tensor& in(std::size_t input) const;
  [[nodiscard]] bool has_output(std::size_t output) const;
  [[nodiscard]] const Value& out(std::size_t output) const;
  [[nodiscard]] const std::string& out_name(std::size_t output = 0) const;
  [[nodiscard]] const Shape& out_shape(std::size_t output = 0) const;
  void bind(std::size_t output, Tensor tensor);

  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] double real(std::string_view name, double otherwise) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  // Numbers of a constant input; empty when it is absent or not known.
  [[nodiscard]] std::vector<std::int64_t> constant_integers(std::size_t input) const;
  [[nodiscard]] std::vector<double> constant_reals(std::size_t input) const;
  // Axes from the attribute or, in later opsets, from an input; non-negative, sorted.
  [[nodiscard]] std::optional<std::vector<std::size_t>> axes(std::size_t input,
                                                             std::size_t rank) const;
  [[nodiscard]] std::size_t axis(std::int64_t otherwise, std::size_t rank) const;

  // Throws InputError about this node.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  StepBuilder& step_;
  const ModelGraph& model_;
  const Node& node_;
  std::vector<std::optional<Tensor>>& values_;
};

using ForwardRule = void (*)(NodeContext&);

struct RuleEntry {
  std::string_view type;
  ForwardRule rule;
};

// Tensors that occupy memory, as operands; folded constants are left out.
[[nodiscard]] std::vector<OperandView> operands_of(const StepBuilder& step,
                                                   std::span<const Tensor> tensors);

// Whether `shape` broadcasts to `target`.
[[nodiscard]] bool broadcasts(const Shape& shape, const Shape& target);

[[nodiscard]] bool any_needs_gradient(std::span<const Tensor> tensors);

// Adds an elementwise operator writing a new result shaped like the node's first output, with the
// layout of the first full-sized input.
[[nodiscard]] Tensor elementwise(NodeContext& context,
                                 std::span<const Tensor> inputs,
                                 std::vector<Tensor> also_written = {});

// The input's gradient is an elementwise function of the output's gradient and `others`; reduced
// where the input was broadcast.
struct PointwiseGradient {
  Tensor input;
  Tensor output;
  std::string type;
  std::vector<Tensor> others;
};

void add_pointwise_gradient(Gradients& gradients, const PointwiseGradient& gradient);

}  // namespace paretrain::evaluator
