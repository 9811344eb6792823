#include <algorithm>
#include <array>

#include "base/check.h"
#include "evaluator/graph/nest_access.h"
#include "evaluator/graph/nests.h"
#include "evaluator/graph/tensor_view.h"
#include "evaluator/graph/window_loops.h"

namespace paretrain::evaluator {
namespace {

// Index of a channel that is group * per_group + loop.
AxisIndex channel_axis(Loop loop, std::int64_t groups, std::int64_t per_group) {
  AxisIndex axis = plain_axis(loop, groups * per_group);
  if (groups == 1) return axis;
  axis.first = Loop::G;
  axis.stride = per_group;
  axis.windowed = per_group > 1;
  axis.second = loop;
  return axis;
}

// Channels of a convolution per group, and its loops.
struct ConvolutionPlan {
  std::int64_t groups = 1;
  std::int64_t in = 1;   // image channels per group
  std::int64_t out = 1;  // feature channels per group
  std::size_t spatial = 2;
};

ConvolutionPlan convolution_plan(const ConvolutionOperands& operands) {
  return {operands.groups,
          operands.image.shape[1] / operands.groups,
          operands.feature.shape[1] / operands.groups,
          operands.window.kernel.size()};
}

AccessDraft image_access(const ConvolutionOperands& operands,
                         const SpatialLoops& loops,
                         Loop channel) {
  const ConvolutionPlan plan = convolution_plan(operands);
  const OperandView& image = operands.image;
  AccessDraft draft(image);
  draft.add(Loop::B, image.shape[0], image.strides[0]);
  draft.add(channel_axis(channel, plan.groups, plan.in), image.strides[1], image.shape[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s) {
    const auto axis = window_axis(loops.outer[s],
                                  loops.kernel[s],
                                  window_extent(image, operands.feature, operands.window, s));
    draft.add(axis.index, image.strides[s + 2], axis.touched);
  }
  return draft;
}

AccessDraft feature_access(const ConvolutionOperands& operands,
                           const SpatialLoops& loops,
                           Loop channel) {
  const ConvolutionPlan plan = convolution_plan(operands);
  const OperandView& feature = operands.feature;
  AccessDraft draft(feature);
  draft.add(Loop::B, feature.shape[0], feature.strides[0]);
  draft.add(channel_axis(channel, plan.groups, plan.out), feature.strides[1], feature.shape[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s)
    draft.add(loops.outer[s], feature.shape[s + 2], feature.strides[s + 2]);
  return draft;
}

AccessDraft weight_access(const ConvolutionOperands& operands,
                          const SpatialLoops& loops,
                          Loop out,
                          Loop in) {
  const ConvolutionPlan plan = convolution_plan(operands);
  const OperandView& weight = operands.weight;
  AccessDraft draft(weight);
  draft.add(channel_axis(out, plan.groups, plan.out), weight.strides[0], weight.shape[0]);
  draft.add(in, plan.in, weight.strides[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s)
    draft.add(loops.kernel[s], weight.shape[s + 2], weight.strides[s + 2]);
  return draft;
}

void set_convolution_sizes(LoopNest& nest,
                           const ConvolutionOperands& operands,
                           const SpatialLoops& loops) {
  const ConvolutionPlan plan = convolution_plan(operands);
  nest.size(Loop::B) = operands.image.shape[0];
  nest.size(Loop::G) = plan.groups;
  for (std::size_t s = 0; s < plan.spatial; ++s) {
    nest.size(loops.outer[s]) = operands.feature.shape[s + 2];
    nest.size(loops.kernel[s]) = operands.window.kernel[s];
  }
}

}  // namespace

BuiltNest convolution_nest(const ConvolutionOperands& operands) {
  BuiltNest built;
  const SpatialLoops loops = spatial_loops(operands.window.kernel.size());
  const ConvolutionPlan plan = convolution_plan(operands);
  set_convolution_sizes(built.nest, operands, loops);
  built.nest.size(Loop::K) = plan.out;
  built.nest.size(Loop::C) = plan.in;
  built.nest.bits = {operands.weight.element_bits,
                     operands.image.element_bits,
                     operands.partial_bits,
                     operands.feature.element_bits};
  built.reads = {
      image_access(operands, loops, Loop::C).access(built.nest, NestOperand::I),
      weight_access(operands, loops, Loop::K, Loop::C).access(built.nest, NestOperand::W)};
  built.writes = {feature_access(operands, loops, Loop::K).access(built.nest, NestOperand::O)};
  return built;
}

BuiltNest transposed_convolution_nest(const ConvolutionOperands& operands) {
  BuiltNest built;
  const SpatialLoops loops = transposed_spatial_loops(operands.window.kernel.size());
  const ConvolutionPlan plan = convolution_plan(operands);
  set_convolution_sizes(built.nest, operands, loops);
  built.nest.size(Loop::K) = plan.in;
  built.nest.size(Loop::C) = plan.out;
  built.nest.bits = {operands.weight.element_bits,
                     operands.feature.element_bits,
                     operands.partial_bits,
                     operands.image.element_bits};
  built.reads = {
      feature_access(operands, loops, Loop::C).access(built.nest, NestOperand::I),
      weight_access(operands, loops, Loop::C, Loop::K).access(built.nest, NestOperand::W)};
  built.writes = {image_access(operands, loops, Loop::K).access(built.nest, NestOperand::O)};
  return built;
}

BuiltNest convolution_weight_gradient_nest(const ConvolutionOperands& operands) {
  BuiltNest built;
  LoopNest& nest = built.nest;
  const ConvolutionPlan plan = convolution_plan(operands);
  const SpatialLoops loops = spatial_loops(plan.spatial);
  nest.size(Loop::B) = plan.in;
  nest.size(Loop::K) = plan.out;
  nest.size(Loop::G) = plan.groups;
  nest.size(Loop::C) = operands.image.shape[0];
  AccessDraft image(operands.image);
  AccessDraft feature(operands.feature);
  AccessDraft weight(operands.weight);
  image.add(Loop::C, operands.image.shape[0], operands.image.strides[0]);
  feature.add(Loop::C, operands.feature.shape[0], operands.feature.strides[0]);
  image.add(channel_axis(Loop::B, plan.groups, plan.in),
            operands.image.strides[1],
            operands.image.shape[1]);
  feature.add(channel_axis(Loop::K, plan.groups, plan.out),
              operands.feature.strides[1],
              operands.feature.shape[1]);
  weight.add(channel_axis(Loop::K, plan.groups, plan.out),
             operands.weight.strides[0],
             operands.weight.shape[0]);
  weight.add(Loop::B, plan.in, operands.weight.strides[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s) {
    const WindowExtent e = window_extent(operands.image, operands.feature, operands.window, s);
    const WindowAxis axis = window_axis(
        loops.outer[s], loops.kernel[s], {e.image, e.kernel, e.feature, e.dilation, e.stride});
    nest.size(loops.outer[s]) = e.kernel;
    nest.size(loops.kernel[s]) = e.feature;
    image.add(axis.index, operands.image.strides[s + 2], axis.touched);
    feature.add(loops.kernel[s], e.feature, operands.feature.strides[s + 2]);
    weight.add(loops.outer[s], e.kernel, operands.weight.strides[s + 2]);
  }
  nest.bits = {operands.feature.element_bits,
               operands.image.element_bits,
               operands.partial_bits,
               operands.weight.element_bits};
  built.reads = {image.access(nest, NestOperand::I), feature.access(nest, NestOperand::W)};
  built.writes = {weight.access(nest, NestOperand::O)};
  return built;
}

std::optional<LoopNest> im2col_weight_gradient_nest(const ConvolutionOperands& operands) {
  if (operands.groups != 1) return std::nullopt;
  LoopNest nest;
  std::int64_t taps = operands.image.shape[1];
  std::int64_t positions = operands.image.shape[0];
  for (std::size_t s = 0; s < operands.window.kernel.size(); ++s) {
    taps *= operands.window.kernel[s];
    positions *= operands.feature.shape[s + 2];
  }
  nest.size(Loop::D) = taps;
  nest.size(Loop::C) = positions;
  nest.size(Loop::K) = operands.feature.shape[1];
  nest.operand(NestOperand::I) = {plain_axis(Loop::D, taps), plain_axis(Loop::C, positions)};
  nest.operand(NestOperand::W) = {plain_axis(Loop::C, positions),
                                  plain_axis(Loop::K, operands.feature.shape[1])};
  nest.operand(NestOperand::O) = {plain_axis(Loop::D, taps),
                                  plain_axis(Loop::K, operands.feature.shape[1])};
  nest.bits = {operands.feature.element_bits,
               operands.image.element_bits,
               operands.partial_bits,
               operands.weight.element_bits};
  return nest;
}

}  // namespace paretrain::evaluator
