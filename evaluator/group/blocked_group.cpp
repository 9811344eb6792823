#include "evaluator/group/blocked_group.h"

#include <algorithm>
#include <utility>

namespace paretrain::evaluator {
namespace {

// Model: blocks are one sample each, or the samples' number halved until it is odd; of channels
// there are 2, 4, 8 or 16 blocks, with one sample each when there are several.
constexpr std::int64_t kMostChannelBlocks = 16;

// Parts the group once, in place; false when it cannot be parted.
class Parting {
 public:
  Parting(BlockedGroup& block, const BlockCut& cut) : block_(block), cut_(cut) {}

  [[nodiscard]] bool run() {
    for (std::size_t m = 0; m < block_.operators.size(); ++m)
      if (block_.operators[m].nest.size(cut_.axis.loops[m]) % cut_.parts != 0) return false;
    for (std::size_t t = 0; t < block_.shape.tensors.size(); ++t)
      if (!part_tensor(t)) return false;
    for (std::size_t m = 0; m < block_.operators.size(); ++m)
      part_member(m);
    block_.shape.blocks *= cut_.parts;
    return true;
  }

 private:
  enum class Kind { Uncut, Cut, Neither };

  [[nodiscard]] Kind kind_of(std::size_t m, const Access& access) const {
    const auto along = slide(access, block_.operators[m].nest, cut_.axis.loops[m]);
    if (!along) return Kind::Uncut;
    const bool equal = along->reach == 0 && along->step * along->loop_size == along->extent &&
                       access.bytes.number() % cut_.parts == 0;
    return equal ? Kind::Cut : Kind::Neither;
  }

  bool part_tensor(std::size_t t) {
    std::optional<Kind> kind;
    for (std::size_t m = 0; m < block_.operators.size(); ++m)
      for (const auto* accesses : {&block_.shape.members[m].reads, &block_.shape.members[m].writes})
        for (const MemberAccess& access : *accesses) {
          if (access.tensor != t) continue;
          const Kind here = kind_of(m, *access.access);
          if (here == Kind::Neither || (kind && *kind != here)) return false;
          kind = here;
        }
    GroupTensor& tensor = block_.shape.tensors[t];
    if (kind != Kind::Cut) return true;
    tensor.parted = true;
    if (tensor.fetch_bytes % cut_.parts != 0 || tensor.store_bytes % cut_.parts != 0) return false;
    tensor.fetch_bytes /= cut_.parts;
    tensor.store_bytes /= cut_.parts;
    return true;
  }

  void part_member(std::size_t m) {
    Operator& op = block_.operators[m];
    const Loop loop = cut_.axis.loops[m];
    for (auto* accesses : {&op.reads, &op.writes})
      for (Access& access : *accesses)
        part_axes(access, op.nest, loop);
    const std::int64_t count = op.nest.size(loop) / cut_.parts;
    // Whether a block leaves partial sums is a matter of the whole operator.
    const OperandBits bits = op.nest.bits;
    op.nest = tile_nest(op.nest, std::vector<LoopCount>{{loop, count}});
    op.nest.bits = bits;
    auto& cuts = block_.shape.members[m].block;
    const auto same = std::ranges::find(cuts, loop, &LoopCount::loop);
    if (same == cuts.end())
      cuts.push_back({loop, count});
    else
      same->count = count;
  }

  void part_axes(Access& access, const LoopNest& nest, Loop loop) const {
    const auto along = slide(access, nest, loop);
    if (!along) return;
    access.bytes = Bytes(access.bytes.number() / cut_.parts);
    access.axes[along->dimension].extent /= cut_.parts;
  }

  BlockedGroup& block_;
  const BlockCut& cut_;
};

// The same group with operators of its own.
BlockedGroup copied(const GroupShape& group) {
  BlockedGroup block;
  block.shape = group;
  for (const GroupMember& member : group.members)
    block.operators.push_back(*member.op);
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    const Operator& from = *group.members[m].op;
    Operator& to = block.operators[m];
    GroupMember& member = block.shape.members[m];
    member.op = &to;
    for (MemberAccess& read : member.reads)
      read.access = &to.reads[static_cast<std::size_t>(read.access - from.reads.data())];
    for (MemberAccess& write : member.writes)
      write.access = &to.writes[static_cast<std::size_t>(write.access - from.writes.data())];
  }
  return block;
}

std::int64_t shortest_loop(const GroupShape& group, const TileAxis& axis) {
  std::int64_t shortest = group.members.front().op->nest.size(axis.loops.front());
  for (std::size_t m = 0; m < axis.loops.size(); ++m)
    shortest = std::min(shortest, group.members[m].op->nest.size(axis.loops[m]));
  return shortest;
}

// The convolution form of a weight gradient names its loops otherwise.
bool cuts_samples(const GroupShape& group, const TileAxis& axis) {
  for (std::size_t m = 0; m < axis.loops.size(); ++m)
    if (axis.loops[m] == Loop::B && group.members[m].op->mac_kind != MacKind::WeightGradient)
      return true;
  return false;
}

}  // namespace

std::optional<BlockedGroup> blocked_group(const GroupShape& group, std::span<const BlockCut> cuts) {
  BlockedGroup block = copied(group);
  for (const BlockCut& cut : cuts)
    if (!Parting(block, cut).run()) return std::nullopt;
  return block;
}

std::vector<std::vector<BlockCut>> block_cuts(const GroupShape& group) {
  std::vector<std::vector<BlockCut>> result;
  std::vector<BlockCut> samples;
  const std::vector<TileAxis> axes = block_axes(group);
  for (const TileAxis& axis : axes) {
    if (!cuts_samples(group, axis)) continue;
    const std::int64_t most = shortest_loop(group, axis);
    for (std::int64_t parts = most; parts > 1; parts = parts % 2 == 0 ? parts / 2 : 1)
      result.push_back({{axis, parts}});
    if (samples.empty() && most > 1) samples.push_back({axis, most});
  }
  for (const TileAxis& axis : axes) {
    if (cuts_samples(group, axis)) continue;
    for (std::int64_t parts = 2; parts <= kMostChannelBlocks; parts *= 2) {
      if (shortest_loop(group, axis) % parts != 0) break;
      std::vector<BlockCut> cuts = samples;
      cuts.push_back({axis, parts});
      result.push_back(std::move(cuts));
    }
  }
  return result;
}

std::vector<TileAxis> axes_within_blocks(const BlockedGroup& block,
                                         std::span<const BlockCut> cuts) {
  std::vector<TileAxis> axes = tile_axes(block.shape);
  std::erase_if(axes, [&](const TileAxis& axis) {
    if (std::ranges::any_of(cuts, [&](const BlockCut& cut) { return cut.axis == axis; }))
      return true;
    // What blocks add up in is on chip as a whole until the last block.
    for (std::size_t m = 0; m < axis.loops.size(); ++m)
      for (const MemberAccess& write : block.shape.members[m].writes) {
        const GroupMember& member = block.shape.members[m];
        std::size_t cutting = 0;
        for (const BlockCut& cut : cuts)
          if (slide(*write.access, member.whole->nest, cut.axis.loops[m])) ++cutting;
        if (cutting == cuts.size()) continue;
        if (cutting > 0 || slide(*write.access, member.op->nest, axis.loops[m])) return true;
      }
    return false;
  });
  return axes;
}

std::vector<LoopCount> counts_of_whole(const GroupMember& member, std::vector<LoopCount> counts) {
  for (const LoopCount& block : member.block)
    if (std::ranges::find(counts, block.loop, &LoopCount::loop) == counts.end())
      counts.push_back(block);
  return counts;
}

}  // namespace paretrain::evaluator
