#include "evaluator/group/tile_axis.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

std::int64_t stride_of(const Access& access, std::size_t dimension) {
  return dimension < access.strides.size() ? access.strides[dimension] : 0;
}

// No other dimension of more than one index reaches as far.
bool is_outermost(const Access& access, std::size_t dimension) {
  const std::int64_t own = stride_of(access, dimension);
  for (std::size_t d = 0; d < access.axes.size(); ++d)
    if (d != dimension && access.axes[d].extent > 1 && stride_of(access, d) > own) return false;
  return true;
}

// Both accesses mean the same slabs of the storage when they are cut along these dimensions.
bool same_dimension(const Access& a, std::size_t i, const Access& b, std::size_t j) {
  const std::int64_t stride_a = stride_of(a, i);
  const std::int64_t stride_b = stride_of(b, j);
  if (stride_a == 0 || stride_b == 0) return false;
  const std::int64_t extent_a = a.axes[i].extent;
  const std::int64_t extent_b = b.axes[j].extent;
  if (stride_a == stride_b && extent_a == extent_b) return true;
  return stride_a * extent_a == stride_b * extent_b && is_outermost(a, i) && is_outermost(b, j);
}

// Of a windowed dimension the longer loop is the one that sweeps the tensor.
Loop sweeping_loop(const AxisIndex& axis, const LoopNest& nest) {
  if (axis.windowed && nest.size(axis.second) > nest.size(axis.first)) return axis.second;
  return axis.first;
}

std::optional<Loop> matching_loop(const Access& from,
                                  std::size_t dimension,
                                  const Access& to,
                                  const LoopNest& nest) {
  for (std::size_t d = 0; d < to.axes.size(); ++d)
    if (same_dimension(from, dimension, to, d)) {
      const Loop loop = sweeping_loop(to.axes[d], nest);
      if (nest.size(loop) > 1) return loop;
    }
  return std::nullopt;
}

class Propagation {
 public:
  explicit Propagation(const GroupShape& group) : group_(group), loops_(group.members.size()) {}

  [[nodiscard]] std::optional<TileAxis> axis_from(Loop seed) {
    loops_[0] = seed;
    for (std::size_t rounds = 0; rounds < group_.members.size(); ++rounds)
      for (std::size_t m = 0; m < group_.members.size(); ++m)
        if (loops_[m]) spread(m);
    TileAxis axis;
    for (const auto& loop : loops_) {
      if (!loop) return std::nullopt;
      axis.loops.push_back(*loop);
    }
    if (!tensors_agree(axis)) return std::nullopt;
    return axis;
  }

 private:
  void spread(std::size_t from) {
    const GroupMember& member = group_.members[from];
    for (const auto* accesses : {&member.writes, &member.reads})
      for (const MemberAccess& access : *accesses) {
        const GroupTensor& tensor = group_.tensors[access.tensor];
        if (tensor.makers.empty()) continue;
        const auto along = slide(*access.access, member.op->nest, *loops_[from]);
        if (!along) continue;
        for (std::size_t to = 0; to < group_.members.size(); ++to)
          if (to != from && !loops_[to]) assign(to, access, along->dimension);
      }
  }

  void assign(std::size_t to, const MemberAccess& from, std::size_t dimension) {
    const GroupMember& member = group_.members[to];
    for (const auto* accesses : {&member.writes, &member.reads})
      for (const MemberAccess& access : *accesses)
        if (access.tensor == from.tensor && !loops_[to])
          loops_[to] = matching_loop(*from.access, dimension, *access.access, member.op->nest);
  }

  // What is read inside is cut alike by makers and readers; nothing that only a whole sweep
  // completes is read inside.
  [[nodiscard]] bool tensors_agree(const TileAxis& axis) const {
    for (std::size_t t = 0; t < group_.tensors.size(); ++t) {
      if (!group_.tensors[t].passes_inside()) continue;
      for (const std::size_t maker : group_.tensors[t].makers)
        for (const MemberAccess& made : group_.members[maker].writes)
          if (made.tensor == t && !readers_agree(t, made, maker, axis)) return false;
    }
    return true;
  }

  [[nodiscard]] bool readers_agree(std::size_t tensor,
                                   const MemberAccess& made,
                                   std::size_t maker,
                                   const TileAxis& axis) const {
    const auto along = slide(*made.access, group_.members[maker].op->nest, axis.loops[maker]);
    if (!along) return false;
    for (const std::size_t reader : group_.tensors[tensor].readers)
      for (const MemberAccess& read : group_.members[reader].reads) {
        if (read.tensor != tensor) continue;
        const auto used = slide(*read.access, group_.members[reader].op->nest, axis.loops[reader]);
        if (!used || !same_dimension(*made.access, along->dimension, *read.access, used->dimension))
          return false;
      }
    return true;
  }

  const GroupShape& group_;
  std::vector<std::optional<Loop>> loops_;
};

// Batch, rows, tokens and heads; K only in groups with an update. The convolution form of a weight
// gradient names its loops otherwise, so it follows the rest of the group.
bool is_allowed(const GroupShape& group, const TileAxis& axis) {
  const bool updates = std::ranges::any_of(
      group.members, [](const GroupMember& m) { return m.op->phase == Phase::Update; });
  bool named = false;
  for (std::size_t m = 0; m < axis.loops.size(); ++m) {
    if (group.members[m].op->mac_kind == MacKind::WeightGradient && !updates) continue;
    const Loop loop = axis.loops[m];
    const bool swept = loop == Loop::B || loop == Loop::OY || loop == Loop::IY || loop == Loop::D ||
                       loop == Loop::H;
    const bool channels = updates && loop == Loop::K;
    if (!swept && !channels && !is_reduction(group.members[m].op->nest, loop)) return false;
    named = true;
  }
  return named;
}

// Batch, heads, groups and channels, or what follows from them.
bool makes_blocks(const GroupShape& group, const TileAxis& axis) {
  bool named = false;
  for (std::size_t m = 0; m < axis.loops.size(); ++m) {
    if (group.members[m].op->mac_kind == MacKind::WeightGradient) continue;
    const Loop loop = axis.loops[m];
    if (loop == Loop::OY || loop == Loop::OX || loop == Loop::IY || loop == Loop::IX) return false;
    named = named || loop == Loop::B || loop == Loop::H || loop == Loop::G || loop == Loop::K;
  }
  return named;
}

template <class Allowed>
std::vector<TileAxis> axes_that_are(const GroupShape& group, Allowed&& allowed) {
  std::vector<TileAxis> axes;
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    const auto loop = static_cast<Loop>(l);
    if (group.members.front().op->nest.size(loop) < 2) continue;
    auto axis = Propagation(group).axis_from(loop);
    if (axis && allowed(group, *axis) && std::ranges::find(axes, *axis) == axes.end())
      axes.push_back(std::move(*axis));
  }
  return axes;
}

}  // namespace

std::vector<TileAxis> tile_axes(const GroupShape& group) {
  return axes_that_are(group, is_allowed);
}

std::vector<TileAxis> block_axes(const GroupShape& group) {
  return axes_that_are(group, makes_blocks);
}

bool are_cut_alike(const Access& a,
                   const std::optional<Slide>& along_a,
                   const Access& b,
                   const std::optional<Slide>& along_b) {
  return along_a && along_b && same_dimension(a, along_a->dimension, b, along_b->dimension);
}

std::int64_t tile_lag(const TileDependence& dependence,
                      std::int64_t producer_rows,
                      std::int64_t consumer_rows) {
  const auto made = slide(*dependence.made, *dependence.maker, dependence.maker_loop);
  const auto read = slide(*dependence.read, *dependence.reader, dependence.reader_loop);
  if (!made || !read) return 0;
  const std::int64_t made_stride = stride_of(*dependence.made, made->dimension);
  const std::int64_t read_stride = stride_of(*dependence.read, read->dimension);
  const std::int64_t tiles = ceil_div(made->loop_size, producer_rows);
  const std::int64_t reads = ceil_div(read->loop_size, consumer_rows);
  std::int64_t lag = 0;
  std::int64_t tile = 0;  // of the producer; advances with the consumer's
  for (std::int64_t t = 0; t < reads; ++t) {
    const std::int64_t iterations = std::min(read->loop_size, (t + 1) * consumer_rows);
    const std::int64_t needed =
        std::clamp<std::int64_t>(
            read->step * (iterations - 1) + read->reach + 1 - read->padding, 0, read->extent) *
        read_stride;
    const auto complete = [&](std::int64_t made_tile) {
      if (made_tile + 1 >= tiles) return made->extent * made_stride;
      const std::int64_t rows = made->step * (made_tile + 1) * producer_rows - made->padding;
      return std::clamp<std::int64_t>(rows, 0, made->extent) * made_stride;
    };
    while (tile + 1 < tiles && complete(tile) < needed)
      ++tile;
    lag = std::max(lag, tile - t);
  }
  return lag;
}

TilePace tile_pace(const TileDependence& dependence,
                   std::int64_t producer_rows,
                   std::int64_t consumer_rows) {
  const auto made = slide(*dependence.made, *dependence.maker, dependence.maker_loop);
  const auto read = slide(*dependence.read, *dependence.reader, dependence.reader_loop);
  if (!made || !read) return {};
  const std::int64_t made_stride = stride_of(*dependence.made, made->dimension);
  const std::int64_t read_stride = stride_of(*dependence.read, read->dimension);
  // Tile t reads what lies before t × gain + ahead + 1; each of the producer's completes `every`.
  std::int64_t gain = read->step * consumer_rows * read_stride;
  std::int64_t every = made->step * producer_rows * made_stride;
  const std::int64_t ahead =
      (read->step * (consumer_rows - 1) + read->reach + 1 - read->padding) * read_stride +
      made->padding * made_stride - 1;
  const std::int64_t common = std::gcd(gain, every);
  if (common == 0) return {};
  gain /= common;
  every /= common;
  return {gain, ahead >= 0 ? ahead / common : -ceil_div(-ahead, common), every};
}

}  // namespace paretrain::evaluator
