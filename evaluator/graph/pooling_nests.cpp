#include <algorithm>
#include <array>

#include "base/check.h"
#include "evaluator/graph/nest_access.h"
#include "evaluator/graph/nests.h"
#include "evaluator/graph/tensor_view.h"
#include "evaluator/graph/window_loops.h"

namespace paretrain::evaluator {
namespace {

BuiltNest pooling_like_nest(const PoolingOperands& operands, const SpatialLoops& loops) {
  BuiltNest built;
  LoopNest& nest = built.nest;
  const OperandView& image = operands.image;
  const OperandView& feature = operands.feature;
  const std::size_t spatial = operands.window.kernel.size();
  nest.size(Loop::B) = feature.shape[0];
  nest.size(Loop::K) = feature.shape[1];
  AccessDraft image_draft(image);
  AccessDraft feature_draft(feature);
  for (std::size_t d = 0; d < 2; ++d) {
    const Loop loop = d == 0 ? Loop::B : Loop::K;
    image_draft.add(loop, image.shape[d], image.strides[d]);
    feature_draft.add(loop, feature.shape[d], feature.strides[d]);
  }
  for (std::size_t s = 0; s < spatial; ++s) {
    nest.size(loops.outer[s]) = feature.shape[s + 2];
    nest.size(loops.kernel[s]) = operands.window.kernel[s];
    const auto axis = window_axis(
        loops.outer[s], loops.kernel[s], window_extent(image, feature, operands.window, s));
    image_draft.add(axis.index, image.strides[s + 2], axis.touched);
    feature_draft.add(loops.outer[s], feature.shape[s + 2], feature.strides[s + 2]);
  }
  built.reads = {image_draft.access(nest, std::nullopt)};
  built.writes = {feature_draft.access(nest, std::nullopt)};
  return built;
}

Access indices_access(const PoolingOperands& operands, const Access& feature) {
  Access access = feature;
  access.storage = operands.indices->storage;
  access.bytes = bytes_of(element_count(operands.indices->shape), operands.indices->element_bits);
  access.operand = std::nullopt;
  access.accumulates = false;
  return access;
}

}  // namespace

BuiltNest pooling_nest(const PoolingOperands& operands) {
  BuiltNest built = pooling_like_nest(operands, spatial_loops(operands.window.kernel.size()));
  Access& image = built.reads.front();
  Access& feature = built.writes.front();
  image.operand = NestOperand::I;
  feature.operand = NestOperand::O;
  built.nest.operand(NestOperand::I) = image.axes;
  built.nest.operand(NestOperand::O) = feature.axes;
  built.nest.bits = {operands.image.element_bits,
                     operands.image.element_bits,
                     operands.feature.element_bits,
                     operands.feature.element_bits};
  if (operands.indices) {
    const Access indices = indices_access(operands, feature);
    built.writes.push_back(indices);
  }
  return built;
}

BuiltNest pooling_gradient_nest(const PoolingOperands& operands) {
  BuiltNest built =
      pooling_like_nest(operands, transposed_spatial_loops(operands.window.kernel.size()));
  std::swap(built.reads, built.writes);
  Access& feature = built.reads.front();
  Access& image = built.writes.front();
  feature.operand = NestOperand::I;
  image.operand = NestOperand::O;
  built.nest.operand(NestOperand::I) = feature.axes;
  built.nest.operand(NestOperand::O) = image.axes;
  built.nest.bits = {operands.feature.element_bits,
                     operands.feature.element_bits,
                     operands.image.element_bits,
                     operands.image.element_bits};
  if (operands.indices) {
    Access indices = indices_access(operands, feature);
    indices.operand = NestOperand::W;
    built.nest.operand(NestOperand::W) = indices.axes;
    built.nest.bits.weight = operands.indices->element_bits;
    built.reads.push_back(indices);
  }
  return built;
}

}  // namespace paretrain::evaluator
