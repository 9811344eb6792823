#include "evaluator/group/tile.h"

#include <algorithm>

#include "base/checked_math.h"

namespace paretrain::evaluator {

std::int64_t Slide::window(std::int64_t count) const {
  return std::min(extent, step * (count - 1) + reach + 1);
}

std::int64_t Slide::advance(std::int64_t count) const {
  return std::min(extent, step * count);
}

std::int64_t Slide::begin_of(std::int64_t iteration) const {
  return std::clamp<std::int64_t>(step * iteration - padding, 0, extent);
}

std::int64_t Slide::end_of(std::int64_t iteration) const {
  return std::clamp<std::int64_t>(step * iteration + reach + 1 - padding, 0, extent);
}

std::int64_t Slide::swept(std::int64_t count) const {
  std::int64_t sum = 0;
  for (std::int64_t first = 0; first < loop_size; first += count)
    sum += end_of(std::min(loop_size, first + count) - 1) - begin_of(first);
  return sum;
}

std::optional<Slide> slide(const Access& access, const LoopNest& nest, Loop loop) {
  for (std::size_t d = 0; d < access.axes.size(); ++d) {
    const AxisIndex& axis = access.axes[d];
    Slide result{d, 1, 0, 0, axis.extent, nest.size(loop)};
    if (axis.first == loop && axis.stride != 0) {
      result.step = axis.stride;
      result.reach = axis.windowed ? axis.dilation * (nest.size(axis.second) - 1) : 0;
    } else if (axis.windowed && axis.second == loop && axis.dilation != 0) {
      result.step = axis.dilation;
      result.reach = axis.stride * (nest.size(axis.first) - 1);
    } else {
      continue;
    }
    const std::int64_t span = result.step * (nest.size(loop) - 1) + result.reach + 1;
    // Model: padding is alike on both sides; what a stride leaves over is missing at the end.
    result.padding = ceil_div(std::max<std::int64_t>(0, span - axis.extent), 2);
    return result;
  }
  return std::nullopt;
}

namespace {

bool indexed(const std::vector<AxisIndex>& axes, Loop loop) {
  return std::ranges::any_of(axes, [&](const AxisIndex& axis) {
    return axis.first == loop || (axis.windowed && axis.second == loop);
  });
}

}  // namespace

bool indexes_all(std::span<const Access> writes, Loop loop) {
  return std::ranges::all_of(writes, [&](const Access& write) {
    return write.bytes.number() == 0 || indexed(write.axes, loop);
  });
}

std::int64_t touched_bytes(const Access& access,
                           const LoopNest& nest,
                           std::span<const LoopCount> counts,
                           Halo halo) {
  std::int64_t bytes = access.bytes.number();
  for (const LoopCount& cut : counts) {
    if (cut.count >= nest.size(cut.loop)) continue;
    const auto along = slide(access, nest, cut.loop);
    if (!along || along->extent <= 1) continue;
    const std::int64_t part =
        halo == Halo::Included ? along->window(cut.count) : along->advance(cut.count);
    bytes = ceil_div(bytes * part, along->extent);
  }
  return bytes;
}

LoopNest tile_nest(const LoopNest& nest, std::span<const LoopCount> counts) {
  LoopNest tile = nest;
  bool partial = false;
  for (const LoopCount& cut : counts) {
    if (cut.count >= nest.size(cut.loop)) continue;
    tile.size(cut.loop) = std::min(tile.size(cut.loop), cut.count);
    partial = partial || is_reduction(nest, cut.loop);
  }
  if (partial) tile.bits.output_final = tile.bits.output_partial;
  for (auto& operand : tile.axes)
    for (AxisIndex& axis : operand) {
      const std::int64_t reach = axis.windowed ? axis.dilation * (tile.size(axis.second) - 1) : 0;
      const std::int64_t whole =
          axis.stride * (nest.size(axis.first) - 1) +
          (axis.windowed ? axis.dilation * (nest.size(axis.second) - 1) : 0) + 1;
      const std::int64_t span = axis.stride * (tile.size(axis.first) - 1) + reach + 1;
      if (span < whole) axis.extent = std::min(axis.extent, span);
    }
  return tile;
}

LoopNest matrix_tile_nest(const LoopNest& matrix,
                          const LoopNest& nest,
                          std::span<const LoopCount> counts) {
  LoopNest tile = matrix;
  for (const LoopCount& cut : counts) {
    const std::int64_t full = nest.size(cut.loop);
    if (cut.count >= full) continue;
    const bool summed = is_reduction(nest, cut.loop);
    const Loop into = cut.loop == Loop::K ? Loop::K : summed ? Loop::C : Loop::D;
    tile.size(into) = ceil_div(tile.size(into) * cut.count, full);
    if (summed) tile.bits.output_final = tile.bits.output_partial;
  }
  for (auto& operand : tile.axes)
    for (AxisIndex& axis : operand)
      if (!axis.windowed)
        axis.extent = std::min(axis.extent, axis.stride * (tile.size(axis.first) - 1) + 1);
  return tile;
}

bool is_reduction(const LoopNest& nest, Loop loop) {
  return !nest.operand(NestOperand::O).empty() && !indexed(nest.operand(NestOperand::O), loop);
}

std::int64_t tile_operations(const LoopNest& nest, std::span<const LoopCount> counts) {
  std::int64_t product = 1;
  for (std::size_t l = 0; l < kLoopCount; ++l)
    product *= count_of(nest, counts, static_cast<Loop>(l));
  return product;
}

std::int64_t count_of(const LoopNest& nest, std::span<const LoopCount> counts, Loop loop) {
  std::int64_t count = nest.size(loop);
  for (const LoopCount& cut : counts)
    if (cut.loop == loop) count = std::min(count, cut.count);
  return count;
}

}  // namespace paretrain::evaluator
