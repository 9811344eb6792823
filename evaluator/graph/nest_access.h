// Why: builders of nests say dimension by dimension how an operand is indexed; this keeps the axes,
// the strides and the touched bytes of one operand together.
#pragma once

#include <cstdint>
#include <optional>

#include "evaluator/graph/nests.h"

namespace paretrain::evaluator {

// Rounded up to whole bytes.
[[nodiscard]] Bytes bytes_of(std::int64_t elements, std::int64_t bits);

// Index = loop.
[[nodiscard]] AxisIndex plain_axis(Loop loop, std::int64_t extent);

// Axes of one operand, built dimension by dimension, outermost first.
class AccessDraft {
 public:
  explicit AccessDraft(const OperandView& view);

  // `touched` of the axis's positions are ever indexed.
  void add(const AxisIndex& axis, std::int64_t stride, std::int64_t touched);
  void add(Loop loop, std::int64_t extent, std::int64_t stride);

  // With `operand`, the nest indexes it, too.
  [[nodiscard]] Access access(LoopNest& nest, std::optional<NestOperand> operand);

 private:
  Access access_;
  std::int64_t bits_;
  std::int64_t elements_ = 1;
};

}  // namespace paretrain::evaluator
