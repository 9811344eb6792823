// Why: one setting says how many bits every kind of element takes, for memory and for cost alike.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::evaluator {

// Kinds of elements that a precision preset tells apart. Integers and bools keep their own type
// under every kind.
enum class ElementKind {
  Activation,       // also gradients of activations and float inputs and buffers
  Statistic,        // also log-probabilities and the loss
  Parameter,        // as operators read it
  StoredParameter,  // with its master copy
  ParameterGradient,
  OptimizerState,
  Scalar,  // a number that a framework boxes: its own type
  Bit      // sign and dropout bits
};

// Bits of one element. Without a preset the element type of the file decides, except that
// statistics take at least 32.
// Source: DESIGN §2, Precision; docs/training-graph.md.
[[nodiscard]] std::int64_t element_bits(std::optional<Precision> precision,
                                        ElementKind kind,
                                        ElementType type);

// Bits of a sum under way.
[[nodiscard]] std::int64_t partial_sum_bits(std::optional<Precision> precision, ElementType type);

}  // namespace paretrain::evaluator
