#include "evaluator/graph/nests.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "evaluator/graph/nest_access.h"
#include "evaluator/graph/tensor_view.h"

namespace paretrain::evaluator {
namespace {

constexpr std::size_t kFoldedRank = 4;

// One dimension of the iteration space with the stride of every operand along it (0: not indexed).
struct IterationDimension {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

std::vector<const OperandView*> all_operands(const PointwiseOperands& operands) {
  std::vector<const OperandView*> all;
  for (const OperandView& read : operands.reads)
    all.push_back(&read);
  for (const OperandView& write : operands.writes)
    all.push_back(&write);
  return all;
}

std::vector<IterationDimension> iteration_dimensions(const Shape& iteration,
                                                     const std::vector<const OperandView*>& all) {
  std::vector<IterationDimension> dimensions;
  for (std::size_t d = 0; d < iteration.size(); ++d) {
    IterationDimension dimension{iteration[d], {}};
    for (const OperandView* operand : all) {
      const std::size_t lead = iteration.size() - operand->shape.size();
      const bool indexed = d >= lead && operand->shape[d - lead] == iteration[d];
      dimension.strides.push_back(indexed ? operand->strides[d - lead] : 0);
    }
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

bool mergeable(const IterationDimension& outer, const IterationDimension& inner) {
  for (std::size_t o = 0; o < outer.strides.size(); ++o)
    if (outer.strides[o] != inner.strides[o] * inner.extent) return false;
  return true;
}

void fold(std::vector<IterationDimension>& dimensions) {
  if (dimensions.size() <= kFoldedRank) return;
  std::erase_if(dimensions, [](const IterationDimension& d) { return d.extent == 1; });
  for (std::size_t d = dimensions.size(); d-- > 1 && dimensions.size() > kFoldedRank;) {
    if (!mergeable(dimensions[d - 1], dimensions[d])) continue;
    dimensions[d].extent *= dimensions[d - 1].extent;
    dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(d - 1));
  }
}

std::vector<Loop> loops_of(NestLayout layout, std::size_t rank) {
  using L = Loop;
  if (rank > kFoldedRank) {
    std::vector<Loop> loops = {
        L::B, L::H, L::D, L::OY, L::OX, L::C, L::G, L::FY, L::FX, L::IY, L::IX};
    CHECK(rank <= loops.size() + 1, "more dimensions than loops");
    loops.resize(rank - 1);
    loops.push_back(L::K);
    return loops;
  }
  static const std::array<std::array<std::vector<Loop>, kFoldedRank + 1>, 3> kLoops = {{
      {{{}, {L::K}, {L::B, L::K}, {L::B, L::K, L::OX}, {L::B, L::K, L::OY, L::OX}}},
      {{{}, {L::K}, {L::B, L::K}, {L::B, L::D, L::K}, {L::B, L::H, L::D, L::K}}},
      {{{}, {L::K}, {L::K, L::C}, {L::K, L::C, L::FX}, {L::K, L::C, L::FY, L::FX}}},
  }};
  return kLoops[static_cast<std::size_t>(layout)][rank];
}

// Which operand of the nest each read and write is: the largest read I, the next W, the largest
// write O.
std::vector<std::optional<NestOperand>> chosen_operands(const std::vector<std::int64_t>& elements,
                                                        std::size_t reads) {
  std::vector<std::optional<NestOperand>> chosen(elements.size());
  const auto choose = [&](std::size_t begin, std::size_t end, NestOperand operand) {
    std::optional<std::size_t> best;
    for (std::size_t i = begin; i < end; ++i)
      if (!chosen[i] && (!best || elements[i] > elements[*best])) best = i;
    if (best) chosen[*best] = operand;
  };
  choose(0, reads, NestOperand::I);
  choose(0, reads, NestOperand::W);
  choose(reads, elements.size(), NestOperand::O);
  return chosen;
}

void set_bits(LoopNest& nest, NestOperand operand, std::int64_t bits) {
  switch (operand) {
    case NestOperand::I:
      nest.bits.input = bits;
      return;
    case NestOperand::W:
      nest.bits.weight = bits;
      return;
    case NestOperand::O:
      nest.bits.output_final = bits;
      return;
  }
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(const Shape& shape) {
  return whole_view(shape).strides;
}

BuiltNest pointwise_nest(const PointwiseOperands& operands) {
  const auto all = all_operands(operands);
  auto dimensions = iteration_dimensions(operands.iteration, all);
  fold(dimensions);
  const auto loops = loops_of(operands.layout, dimensions.size());
  BuiltNest built;
  built.nest.cycles_per_operation = operands.cycles_per_operation;
  built.nest.bits.output_partial = operands.partial_bits;
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    built.nest.size(loops[d]) = dimensions[d].extent;
  std::vector<std::int64_t> elements;
  for (const OperandView* operand : all)
    elements.push_back(element_count(operand->shape));
  const auto chosen = chosen_operands(elements, operands.reads.size());
  for (std::size_t o = 0; o < all.size(); ++o) {
    AccessDraft draft(*all[o]);
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      if (dimensions[d].strides[o] != 0)
        draft.add(loops[d], dimensions[d].extent, dimensions[d].strides[o]);
    if (chosen[o]) set_bits(built.nest, *chosen[o], all[o]->element_bits);
    auto& accesses = o < operands.reads.size() ? built.reads : built.writes;
    accesses.push_back(draft.access(built.nest, chosen[o]));
  }
  return built;
}

Access per_result_axis(const OperandView& vector, const Access& result, std::size_t axis) {
  Access access;
  access.storage = vector.storage;
  access.bytes = bytes_of(element_count(vector.shape), vector.element_bits);
  if (element_count(vector.shape) == result.axes[axis].extent) {
    access.axes = {result.axes[axis]};
    access.strides = {vector.strides.empty() ? 1 : vector.strides.back()};
  }
  return access;
}

}  // namespace paretrain::evaluator
