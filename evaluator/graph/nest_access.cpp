#include "evaluator/graph/nest_access.h"

#include "base/checked_math.h"

namespace paretrain::evaluator {

Bytes bytes_of(std::int64_t elements, std::int64_t bits) {
  return Bytes(ceil_div(elements * bits, 8));
}

AxisIndex plain_axis(Loop loop, std::int64_t extent) {
  AxisIndex axis;
  axis.first = loop;
  axis.extent = extent;
  return axis;
}

AccessDraft::AccessDraft(const OperandView& view) : bits_(view.element_bits) {
  access_.storage = view.storage;
  access_.accumulates = view.accumulates;
}

void AccessDraft::add(const AxisIndex& axis, std::int64_t stride, std::int64_t touched) {
  access_.axes.push_back(axis);
  access_.strides.push_back(stride);
  elements_ *= touched;
}

void AccessDraft::add(Loop loop, std::int64_t extent, std::int64_t stride) {
  add(plain_axis(loop, extent), stride, extent);
}

Access AccessDraft::access(LoopNest& nest, std::optional<NestOperand> operand) {
  access_.bytes = bytes_of(elements_, bits_);
  access_.operand = operand;
  if (operand) nest.operand(*operand) = access_.axes;
  return access_;
}

}  // namespace paretrain::evaluator
