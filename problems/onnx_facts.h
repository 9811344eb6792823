// Why: shape rules and the constant folder look at a node in the same way: its attributes, and what
// is known of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/onnx_graph.h"

namespace paretrain::problems {

// What is known of one value.
struct TensorFacts {
  evaluator::ElementType type = evaluator::ElementType::Float32;
  evaluator::Shape shape;
  // The same in every step: made of constants only (trained parameters are none).
  bool constant = false;
  std::optional<evaluator::ConstantNumbers> numbers;  // of a constant, when small and known
};

// A rule's way to say that a node makes no sense. Caught where the rules are called, which knows
// the file and goes on to find more.
struct ShapeFault {
  std::string what;
};

// A node about to be looked at. Inputs that the file omits are null.
class NodeFacts {
 public:
  NodeFacts(const OnnxNode& node, std::int64_t opset, std::vector<const TensorFacts*> inputs);

  [[nodiscard]] const OnnxNode& node() const noexcept { return *node_; }

  [[nodiscard]] std::int64_t opset() const noexcept { return opset_; }

  [[nodiscard]] std::size_t input_count() const noexcept { return inputs_.size(); }

  [[nodiscard]] bool has_input(std::size_t index) const noexcept {
    return index < inputs_.size() && inputs_[index] != nullptr;
  }

  // Errors: ShapeFault when the file omits it.
  [[nodiscard]] const TensorFacts& input(std::size_t index) const;
  [[nodiscard]] const evaluator::Shape& shape(std::size_t index) const;
  [[nodiscard]] std::int64_t rank(std::size_t index) const;

  // The integers of an input that must be a constant. Errors: ShapeFault when they are not known.
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::size_t index) const;

  // Attributes by name. Errors: ShapeFault when one is there but of another type.
  [[nodiscard]] bool has_attribute(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t absent) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view absent) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integer_list(std::string_view name) const;

  // Axes or sizes that newer opsets take from an input and older ones from an attribute; empty when
  // neither is there.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integer_list_or_input(
      std::string_view name, std::size_t index) const;

 private:
  const OnnxNode* node_;
  std::int64_t opset_;
  std::vector<const TensorFacts*> inputs_;
};

// An axis counted from either end, as one counted from the front. Errors: ShapeFault outside
// -rank .. rank-1.
[[nodiscard]] std::size_t axis_index(std::int64_t axis, std::int64_t rank);

// NumPy's broadcast of two shapes. Errors: ShapeFault when they do not fit.
[[nodiscard]] evaluator::Shape broadcast(const evaluator::Shape& a, const evaluator::Shape& b);

// The one integer that an input holds. Errors: ShapeFault when it is unknown or not one.
[[nodiscard]] std::int64_t single_integer(const NodeFacts& node, std::size_t index);

// Product of the extents. Errors: ShapeFault for a negative one or more than kMaximumElements.
[[nodiscard]] std::int64_t checked_elements(const evaluator::Shape& shape);

// For messages: 1x3x224x224, or "scalar".
[[nodiscard]] std::string shape_text(const evaluator::Shape& shape);

[[nodiscard]] TensorFacts facts(evaluator::ElementType type, evaluator::Shape shape);

}  // namespace paretrain::problems
