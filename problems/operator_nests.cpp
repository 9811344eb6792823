#include "problems/operator_nests.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace paretrain::problems {

namespace {

using evaluator::AxisIndex;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::NestOperand;

std::vector<AxisIndex> direct(const LoopNest& nest, const std::vector<Loop>& loops) {
  std::vector<AxisIndex> axes;
  for (const Loop loop : loops) {
    AxisIndex axis;
    axis.first = loop;
    axis.extent = nest.size(loop);
    axes.push_back(axis);
  }
  return axes;
}

AxisIndex row_window(const NestShape& shape, const LoopNest& nest) {
  AxisIndex axis{Loop::OY, shape.stride_y, true, Loop::FY, shape.dilation_y, 1};
  const std::int64_t reach =
      shape.stride_y * (nest.size(Loop::OY) - 1) + shape.dilation_y * (nest.size(Loop::FY) - 1) + 1;
  axis.extent = shape.input_height.value_or(reach);
  return axis;
}

AxisIndex column_window(const NestShape& shape, const LoopNest& nest) {
  AxisIndex axis{Loop::OX, shape.stride_x, true, Loop::FX, shape.dilation_x, 1};
  const std::int64_t reach =
      shape.stride_x * (nest.size(Loop::OX) - 1) + shape.dilation_x * (nest.size(Loop::FX) - 1) + 1;
  axis.extent = shape.input_width.value_or(reach);
  return axis;
}

void add_windows(std::vector<AxisIndex>& axes, const NestShape& shape, const LoopNest& nest) {
  axes.push_back(row_window(shape, nest));
  axes.push_back(column_window(shape, nest));
}

void convolve(LoopNest& nest, const NestShape& shape) {
  nest.operand(NestOperand::O) = direct(nest, {Loop::B, Loop::G, Loop::K, Loop::OY, Loop::OX});
  nest.operand(NestOperand::W) = direct(nest, {Loop::G, Loop::K, Loop::C, Loop::FY, Loop::FX});
  nest.operand(NestOperand::I) = direct(nest, {Loop::B, Loop::G, Loop::C});
  add_windows(nest.operand(NestOperand::I), shape, nest);
}

void multiply(LoopNest& nest) {
  nest.operand(NestOperand::O) = direct(nest, {Loop::B, Loop::H, Loop::D, Loop::K});
  nest.operand(NestOperand::W) = direct(nest, {Loop::B, Loop::H, Loop::C, Loop::K});
  nest.operand(NestOperand::I) = direct(nest, {Loop::B, Loop::H, Loop::D, Loop::C});
}

void pool(LoopNest& nest, const NestShape& shape) {
  nest.operand(NestOperand::O) = direct(nest, {Loop::B, Loop::G, Loop::K, Loop::OY, Loop::OX});
  nest.operand(NestOperand::I) = direct(nest, {Loop::B, Loop::G, Loop::K});
  add_windows(nest.operand(NestOperand::I), shape, nest);
}

bool is_reduced(Loop loop) {
  return loop == Loop::C || loop == Loop::FY || loop == Loop::FX;
}

// Loops of more than one step, in the order of declaration; one loop where there is none.
std::vector<Loop> loops_in_use(const LoopNest& nest) {
  std::vector<Loop> loops;
  for (std::size_t l = 0; l < evaluator::kLoopCount; ++l) {
    if (nest.sizes[l] > 1) loops.push_back(static_cast<Loop>(l));
  }
  if (loops.empty()) loops.push_back(Loop::K);
  return loops;
}

void map_elements(LoopNest& nest, NestKind kind) {
  const std::vector<Loop> loops = loops_in_use(nest);
  std::vector<Loop> results;
  for (const Loop loop : loops) {
    if (kind == NestKind::Elementwise || !is_reduced(loop)) results.push_back(loop);
  }
  if (results.empty()) results.push_back(Loop::K);
  nest.operand(NestOperand::O) = direct(nest, results);
  nest.operand(NestOperand::I) = direct(nest, loops);
  if (kind == NestKind::Elementwise && nest.bits.weight > 0)
    nest.operand(NestOperand::W) = direct(nest, loops);
}

// The one loop of channels of an operator that keeps them apart, whichever name it was given.
void keep_one_channel_loop(LoopNest& nest, Loop channels) {
  for (const Loop name : {Loop::K, Loop::C}) {
    if (name == channels) continue;
    if (nest.size(channels) == 1) std::swap(nest.size(channels), nest.size(name));
    nest.size(name) = 1;
  }
}

bool belongs(NestKind kind, Loop loop) {
  switch (kind) {
    case NestKind::Convolution:
    case NestKind::Depthwise:
    case NestKind::Pooling:
      return loop != Loop::H && loop != Loop::D && loop != Loop::IY && loop != Loop::IX;
    case NestKind::MatrixProduct:
      return loop == Loop::B || loop == Loop::H || loop == Loop::D || loop == Loop::C ||
             loop == Loop::K;
    case NestKind::Elementwise:
    case NestKind::Reduction:
      return true;
  }
  return true;
}

}  // namespace

std::optional<Loop> foreign_loop(const NestShape& shape) {
  const auto size = [&](Loop loop) { return shape.sizes[static_cast<std::size_t>(loop)]; };
  for (std::size_t l = 0; l < evaluator::kLoopCount; ++l) {
    if (shape.sizes[l] > 1 && !belongs(shape.kind, static_cast<Loop>(l)))
      return static_cast<Loop>(l);
  }
  std::int64_t channels = 1;
  if (shape.kind == NestKind::Depthwise) channels = size(Loop::G);
  if (shape.kind != NestKind::Depthwise && shape.kind != NestKind::Pooling) return std::nullopt;
  for (const Loop name : {Loop::K, Loop::C}) {
    if (channels > 1 && size(name) > 1 && size(name) != channels) return name;
    channels = std::max(channels, size(name));
  }
  return std::nullopt;
}

double operations_of(const NestShape& shape) {
  double product = 1;
  for (const std::int64_t size : shape.sizes)
    product *= static_cast<double>(size);
  return product;
}

bool has_windows(NestKind kind) {
  return kind == NestKind::Convolution || kind == NestKind::Depthwise || kind == NestKind::Pooling;
}

LoopNest loop_nest_of(const NestShape& shape) {
  LoopNest nest;
  nest.sizes = shape.sizes;
  nest.bits = shape.bits;
  switch (shape.kind) {
    case NestKind::Depthwise:
      keep_one_channel_loop(nest, Loop::G);
      convolve(nest, shape);
      break;
    case NestKind::Convolution:
      convolve(nest, shape);
      break;
    case NestKind::MatrixProduct:
      multiply(nest);
      break;
    case NestKind::Pooling:
      nest.bits.weight = 0;
      keep_one_channel_loop(nest, Loop::K);
      pool(nest, shape);
      break;
    case NestKind::Elementwise:
      map_elements(nest, shape.kind);
      break;
    case NestKind::Reduction:
      nest.bits.weight = 0;
      map_elements(nest, shape.kind);
      break;
  }
  return nest;
}

}  // namespace paretrain::problems
