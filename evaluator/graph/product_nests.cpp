#include <algorithm>
#include <array>

#include "base/check.h"
#include "evaluator/graph/nest_access.h"
#include "evaluator/graph/nests.h"
#include "evaluator/graph/tensor_view.h"

namespace paretrain::evaluator {
namespace {

// Leading dimensions of a matrix product: those before the last two.
std::vector<Loop> leading_loops(std::size_t count) {
  static const std::vector<Loop> kNames = {Loop::B, Loop::H, Loop::G, Loop::OY, Loop::OX, Loop::FY};
  CHECK(count <= kNames.size(), "more leading dimensions than loops");
  return {kNames.begin(), kNames.begin() + static_cast<std::ptrdiff_t>(count)};
}

struct ProductDimension {
  std::size_t rank_from_right = 0;  // position in the operand, counted from the right
  Loop loop = Loop::B;
  std::int64_t extent = 1;
};

AccessDraft product_access(const OperandView& view, const std::vector<ProductDimension>& plan) {
  AccessDraft draft(view);
  for (const ProductDimension& dimension : plan) {
    if (dimension.rank_from_right >= view.shape.size()) continue;
    const std::size_t d = view.shape.size() - 1 - dimension.rank_from_right;
    if (view.shape[d] != dimension.extent || (view.strides[d] == 0 && view.shape[d] > 1)) continue;
    draft.add(dimension.loop, dimension.extent, view.strides[d]);
  }
  return draft;
}

// Extents of the leading dimensions, broadcast over the operands, outermost first.
Shape leading_shape(const ProductOperands& operands) {
  std::size_t rank = 2;
  for (const OperandView* view : {&operands.left, &operands.right, &operands.out})
    rank = std::max(rank, view->shape.size());
  Shape lead(rank - 2, 1);
  for (const OperandView* view : {&operands.left, &operands.right, &operands.out}) {
    for (std::size_t d = 0; d + 2 < view->shape.size(); ++d) {
      std::int64_t& extent = lead[lead.size() - (view->shape.size() - 2) + d];
      extent = std::max(extent, view->shape[d]);
    }
  }
  return lead;
}

struct ProductLoops {
  Loop second_last_left = Loop::D;
  Loop last_left = Loop::C;
  Loop second_last_right = Loop::C;
  Loop last_right = Loop::K;
  Loop second_last_out = Loop::D;
  Loop last_out = Loop::K;
};

BuiltNest built_product(const ProductOperands& operands, const ProductLoops& loops) {
  BuiltNest built;
  LoopNest& nest = built.nest;
  const Shape lead = leading_shape(operands);
  const auto names = leading_loops(lead.size());
  std::vector<ProductDimension> leading;
  for (std::size_t d = 0; d < lead.size(); ++d) {
    nest.size(names[d]) = lead[d];
    leading.push_back({lead.size() - 1 - d + 2, names[d], lead[d]});
  }
  const auto draft = [&](const OperandView& view, Loop second_last, Loop last) {
    auto plan = leading;
    plan.push_back({1, second_last, view.shape[view.shape.size() - 2]});
    plan.push_back({0, last, view.shape.back()});
    nest.size(second_last) = plan[plan.size() - 2].extent;
    nest.size(last) = plan.back().extent;
    return product_access(view, plan);
  };
  auto left = draft(operands.left, loops.second_last_left, loops.last_left);
  auto right = draft(operands.right, loops.second_last_right, loops.last_right);
  auto out = draft(operands.out, loops.second_last_out, loops.last_out);
  nest.bits = {operands.right.element_bits,
               operands.left.element_bits,
               operands.partial_bits,
               operands.out.element_bits};
  built.reads = {left.access(nest, NestOperand::I), right.access(nest, NestOperand::W)};
  built.writes = {out.access(nest, NestOperand::O)};
  return built;
}

}  // namespace

BuiltNest product_nest(const ProductOperands& operands) {
  ProductLoops loops;
  if (leading_shape(operands).empty()) loops.second_last_left = loops.second_last_out = Loop::B;
  return built_product(operands, loops);
}

BuiltNest row_sum_product_nest(const ProductOperands& operands) {
  ProductLoops loops;
  loops.second_last_left = Loop::C;
  loops.last_left = Loop::D;
  return built_product(operands, loops);
}

}  // namespace paretrain::evaluator
