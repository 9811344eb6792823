#include "evaluator/group/stream_layers.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace paretrain::evaluator {
namespace {

constexpr std::size_t kNamedRank = 4;

// By loop: what it is called.
using Names = std::array<Loop, kLoopCount>;

Names same_names() {
  Names names{};
  for (std::size_t l = 0; l < kLoopCount; ++l)
    names[l] = static_cast<Loop>(l);
  return names;
}

// Requires: no two loops of more than one step get the same name.
LoopNest renamed(const LoopNest& nest, const Names& names) {
  LoopNest result = nest;
  result.sizes.fill(1);
  for (std::size_t l = 0; l < kLoopCount; ++l)
    if (nest.sizes[l] > 1) result.size(names[l]) = nest.sizes[l];
  for (std::vector<AxisIndex>& axes : result.axes) {
    for (AxisIndex& axis : axes) {
      axis.first = names[static_cast<std::size_t>(axis.first)];
      if (axis.windowed) axis.second = names[static_cast<std::size_t>(axis.second)];
    }
  }
  return result;
}

bool is_windowed(const std::vector<AxisIndex>& axes) {
  return std::ranges::any_of(axes, &AxisIndex::windowed);
}

// The nest with the loops that index `whole`, outermost first, called by `order`. A tensor of more
// axes than there are names keeps its own.
LoopNest named_by_place(const LoopNest& nest, NestOperand whole, std::span<const Loop> order) {
  const std::vector<AxisIndex>& axes = nest.operand(whole);
  if (axes.empty() || axes.size() > order.size() || std::ranges::any_of(nest.axes, is_windowed))
    return nest;
  Names names = same_names();
  for (std::size_t d = 0; d < axes.size(); ++d)
    names[static_cast<std::size_t>(axes[d].first)] = order[d];
  return renamed(nest, names);
}

// A missing second input is one number, read once.
LoopNest with_scalar(LoopNest nest) {
  if (!nest.operand(NestOperand::W).empty()) return nest;
  const auto* const idle = std::ranges::find(nest.sizes, 1);
  if (idle == nest.sizes.end()) return nest;
  AxisIndex axis;
  axis.first = static_cast<Loop>(idle - nest.sizes.begin());
  nest.operand(NestOperand::W) = {axis};
  nest.bits.weight = nest.bits.input;
  return nest;
}

LoopNest elementwise(const LoopNest& nest) {
  static constexpr std::array kOrder = {Loop::B, Loop::H, Loop::D, Loop::K};
  return named_by_place(nest, NestOperand::O, kOrder);
}

LoopNest reduction(const LoopNest& nest) {
  static constexpr std::array<std::array<Loop, kNamedRank>, kNamedRank> kOrders = {
      {{Loop::C, Loop::C, Loop::C, Loop::C},
       {Loop::K, Loop::C, Loop::C, Loop::C},
       {Loop::B, Loop::K, Loop::C, Loop::C},
       {Loop::B, Loop::H, Loop::K, Loop::C}}};
  const std::size_t rank = nest.operand(NestOperand::I).size();
  if (rank == 0 || rank > kNamedRank) return nest;
  return named_by_place(nest, NestOperand::I, kOrders[rank - 1]);
}

// Maximum of a row, exponential of what is below it (four cycles), sum, division by the sum.
std::vector<LoopNest> softmax(const LoopNest& nest) {
  const LoopNest whole = elementwise(nest);
  std::vector<AxisIndex> rows = whole.operand(NestOperand::O);
  if (!rows.empty()) rows.pop_back();
  LoopNest of_row = whole;
  of_row.operand(NestOperand::W).clear();
  of_row.operand(NestOperand::O) = rows;
  of_row = with_scalar(std::move(of_row));
  LoopNest with_row = whole;
  with_row.operand(NestOperand::W) = rows;
  LoopNest exponential = with_row;
  exponential.cycles_per_operation = 4;
  return {of_row, exponential, of_row, with_row};
}

// The weights of a pooling have no bits there, and what has no bits is not unrolled: the window
// gets names that no core unrolls.
LoopNest pooling(const LoopNest& nest) {
  if (!nest.operand(NestOperand::W).empty()) return nest;
  Names names = same_names();
  names[static_cast<std::size_t>(Loop::FX)] = Loop::D;
  names[static_cast<std::size_t>(Loop::FY)] = Loop::H;
  return renamed(nest, names);
}

}  // namespace

bool is_free_in_stream(const Operator& op) {
  static constexpr std::array<std::string_view, 8> kDummies = {
      "Sum", "LogSoftmax", "LRN", "Identity", "Dropout", "LayerNormalization", "Clip", "Erf"};
  return op.operator_class == OperatorClass::DataMovement ||
         std::ranges::find(kDummies, op.type) != kDummies.end();
}

std::vector<LoopNest> stream_layers(const Operator& op, const LoopNest& nest) {
  if (op.type == "Softmax") return softmax(nest);
  switch (op.operator_class) {
    case OperatorClass::Elementwise:
      return {with_scalar(elementwise(nest))};
    case OperatorClass::Reduction:
      return {with_scalar(reduction(nest))};
    case OperatorClass::Pooling:
      return {pooling(nest)};
    case OperatorClass::Matrix:
    case OperatorClass::DataMovement:
      break;
  }
  return {nest};
}

}  // namespace paretrain::evaluator
