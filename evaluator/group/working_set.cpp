#include "evaluator/group/working_set.h"

#include <algorithm>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

// Model: what is streamed without need passes in this many slices.
constexpr std::int64_t kEasySlices = 8;

// What the members need of one tensor in one memory, in bytes; does not depend on slices.
struct Need {
  MemoryNodeId node;
  std::int64_t made = 0;    // results of a tile, or whole accumulators
  std::int64_t window = 0;  // of a tile that is read, halo included
  std::int64_t ahead = 0;   // further tiles that wait to be read
  std::int64_t whole = 0;   // of what no tile cuts
  bool leaves = false;      // stored, or sent to another memory
  bool whole_results = false;
};

class WorkingSet {
 public:
  WorkingSet(const Chip& chip, const GroupShape& group, const TiledGroup& tiling)
      : chip_(chip), group_(group), tiling_(tiling), needs_(group.tensors.size()) {
    for (std::size_t m = 0; m < group.members.size(); ++m) {
      for (const MemberAccess& read : group.members[m].reads)
        if (!is_read_in_place(m, read)) add_read(needs_[read.tensor], m, *read.access);
      for (const MemberAccess& write : group.members[m].writes)
        if (!is_made_in_place(m, write)) add_write(needs_[write.tensor], m, *write.access);
    }
  }

  // Bytes by memory. Shape: as the chip's memories; slices by tensor, 1 for what is not streamed.
  [[nodiscard]] std::vector<std::int64_t> bytes(const std::vector<std::int64_t>& slices) const {
    std::vector<std::int64_t> used(chip_.memory_count(), 0);
    for (std::size_t t = 0; t < group_.tensors.size(); ++t) {
      for (const Need& need : needs_[t])
        used[need.node.index()] += sum(need, slices[t]);
      for (const HoldingPlace* place : {group_.tensors[t].from, group_.tensors[t].to})
        if (place != nullptr)
          for (const MemoryNodeId node : place->nodes)
            used[node.index()] += place->share_of(group_.tensors[t].held_bytes);
    }
    return used;
  }

  // Of the tensor in the memory, as a whole; 0 when a tile cuts it.
  [[nodiscard]] std::int64_t whole_bytes(std::size_t tensor, MemoryNodeId node) const {
    const auto& needs = needs_[tensor];
    const auto here = std::ranges::find(needs, node, &Need::node);
    return here == needs.end() ? 0 : here->whole;
  }

 private:
  // Model: of what is streamed two slices are on chip.
  [[nodiscard]] std::int64_t sum(const Need& need, std::int64_t slices) const {
    if (need.whole > 0)
      return slices > 1 ? std::min(need.whole, 2 * ceil_div(need.whole, slices)) : need.whole;
    if (need.whole_results) return need.made;
    const std::int64_t held = std::max(need.made, need.window + need.ahead);
    return held + (need.leaves ? need.made : 0);
  }

  // What a place holds needs no tiles of its own beside it.
  [[nodiscard]] bool is_read_in_place(std::size_t m, const MemberAccess& read) const {
    const GroupTensor& tensor = group_.tensors[read.tensor];
    const HoldingPlace* place = tensor.from != nullptr ? tensor.from : tensor.to;
    return place != nullptr &&
           read_in_place(chip_, *place, tiling_.members[m].cores, operand_of_read(*read.access));
  }

  // Sums along the axis are wider than what is held.
  [[nodiscard]] bool is_made_in_place(std::size_t m, const MemberAccess& write) const {
    const GroupTensor& tensor = group_.tensors[write.tensor];
    if (tensor.to == nullptr || tensor.makers.back() != m) return false;
    if (!slide(*write.access, group_.members[m].op->nest, tiling_.members[m].axis)) return false;
    return made_in_place(
        chip_, *tensor.to, tiling_.members[m].cores, operand_of_write(*write.access));
  }

  // Bytes of the access in the memory, for all of the member's cores that share it.
  [[nodiscard]] std::int64_t bytes_in(std::size_t m,
                                      const Access& access,
                                      NestOperand operand,
                                      Halo halo) const {
    const MemberTiling& tiling = tiling_.members[m];
    const LoopNest& nest = group_.members[m].op->nest;
    const auto node =
        chip_.core(tiling.cores.front()).memories[static_cast<std::size_t>(operand)].node;
    std::int64_t sharing = 0;
    for (const CoreId core : tiling.cores)
      if (chip_.core(core).memories[static_cast<std::size_t>(operand)].node == node) ++sharing;
    const std::int64_t all = touched_bytes(access, nest, tiling.tile, halo);
    return std::min(all, sharing * touched_bytes(access, nest, tiling.per_core, halo));
  }

  [[nodiscard]] MemoryNodeId node(std::size_t m, NestOperand operand) const {
    return chip_.core(tiling_.members[m].cores.front())
        .memories[static_cast<std::size_t>(operand)]
        .node;
  }

  static Need& need_in(std::vector<Need>& needs, MemoryNodeId node) {
    const auto here = std::ranges::find(needs, node, &Need::node);
    return here == needs.end() ? needs.emplace_back(Need{node}) : *here;
  }

  void add_read(std::vector<Need>& needs, std::size_t m, const Access& access) const {
    const NestOperand operand = operand_of_read(access);
    Need& need = need_in(needs, node(m, operand));
    const MemberTiling& tiling = tiling_.members[m];
    const std::int64_t window = bytes_in(m, access, operand, Halo::Included);
    if (!slide(access, group_.members[m].op->nest, tiling.axis)) {
      need.whole = std::max(need.whole, window);
      return;
    }
    need.window = std::max(need.window, window);
    if (tiling.tiles == 1) return;
    need.ahead =
        std::max(need.ahead, steps_held(m, access) * bytes_in(m, access, operand, Halo::Excluded));
  }

  // Tiles beyond the one in use that have arrived.
  [[nodiscard]] std::int64_t steps_held(std::size_t m, const Access& access) const {
    const std::int64_t level = tiling_.members[m].level;
    for (const InnerEdge& edge : tiling_.edges)
      if (edge.to == m && edge.used == &access) {
        const std::int64_t behind = level - tiling_.members[edge.from].level;
        const bool elsewhere = edge.moves || !edge.same_cores;
        return std::max<std::int64_t>(behind, elsewhere ? tiling_.buffers - 1 : 0);
      }
    std::int64_t first = level;
    for (std::size_t other = 0; other < group_.members.size(); ++other)
      for (const MemberAccess& read : group_.members[other].reads)
        if (read.access->storage == access.storage)
          first = std::min(first, tiling_.members[other].level);
    return level - first + 1;
  }

  void add_write(std::vector<Need>& needs, std::size_t m, const Access& access) const {
    const NestOperand operand = operand_of_write(access);
    Need& need = need_in(needs, node(m, operand));
    const LoopNest& nest = group_.members[m].op->nest;
    std::int64_t made = bytes_in(m, access, operand, Halo::Included);
    if (!slide(access, nest, tiling_.members[m].axis)) {
      // Accumulators hold partial sums.
      if (nest.bits.output_final > 0)
        made = ceil_div(made * std::max(nest.bits.output_partial, nest.bits.output_final),
                        nest.bits.output_final);
      need.whole_results = true;
    }
    need.made = std::max(need.made, made);
    need.leaves = need.leaves || (tiling_.members[m].tiles > 1 && leaves(m, access));
  }

  [[nodiscard]] bool leaves(std::size_t m, const Access& access) const {
    for (const GroupTensor& tensor : group_.tensors)
      if (tensor.storage == access.storage && tensor.store_bytes > 0) return true;
    return std::ranges::any_of(tiling_.edges, [&](const InnerEdge& edge) {
      return edge.from == m && edge.made == &access && tiling_.buffers > 1 &&
             (edge.moves || !edge.same_cores);
    });
  }

  const Chip& chip_;
  const GroupShape& group_;
  const TiledGroup& tiling_;
  std::vector<std::vector<Need>> needs_;  // by tensor
};

}  // namespace

bool is_tiled(const GroupShape& group, const TiledGroup& tiling, std::size_t tensor) {
  for (std::size_t m = 0; m < group.members.size(); ++m)
    for (const auto* accesses : {&group.members[m].reads, &group.members[m].writes})
      for (const MemberAccess& access : *accesses)
        if (access.tensor == tensor &&
            !slide(*access.access, group.members[m].op->nest, tiling.members[m].axis))
          return false;
  return true;
}

namespace {

// Slices a member into pieces along an inner loop so that a tensor it reads passes through it.
class Slicer {
 public:
  Slicer(const Chip& chip, const GroupShape& group, TiledGroup& tiling)
      : chip_(chip), group_(group), tiling_(tiling), slices_(group.tensors.size(), 1) {}

  [[nodiscard]] bool run(Streaming streaming) {
    if (streaming == Streaming::Always)
      for (std::size_t t = 0; t < group_.tensors.size(); ++t)
        for (std::int64_t s = 1; s < kEasySlices && halve(t); s *= 2) {
        }
    const WorkingSet set(chip_, group_, tiling_);
    while (true) {
      const std::vector<std::int64_t> used = set.bytes(slices_);
      std::optional<MemoryNodeId> over;
      for (std::size_t node = 0; node < used.size() && !over; ++node)
        if (used[node] * 8 > chip_.memory_bits(MemoryNodeId(node))) over = MemoryNodeId(node);
      if (!over) return true;
      if (!halve_largest(set, *over)) return false;
    }
  }

  [[nodiscard]] std::vector<bool> streamed() const {
    std::vector<bool> result;
    for (const std::int64_t slices : slices_)
      result.push_back(slices > 1);
    return result;
  }

 private:
  [[nodiscard]] bool halve_largest(const WorkingSet& set, MemoryNodeId node) {
    std::vector<std::size_t> order;
    std::vector<std::int64_t> bytes(group_.tensors.size(), 0);
    for (std::size_t t = 0; t < group_.tensors.size(); ++t) {
      const std::int64_t whole = set.whole_bytes(t, node);
      if (whole == 0) continue;
      bytes[t] = whole / slices_[t];
      order.push_back(t);
    }
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
    return std::ranges::any_of(order, [&](std::size_t t) { return halve(t); });
  }

  // Only what comes from off chip and has one reader can be streamed.
  bool halve(std::size_t t) {
    const GroupTensor& tensor = group_.tensors[t];
    if (!tensor.makers.empty() || tensor.readers.size() != 1) return false;
    const std::size_t m = tensor.readers.front();
    MemberTiling& member = tiling_.members[m];
    const LoopNest& nest = group_.members[m].op->nest;
    if (slides_along(t, m, member.axis)) return false;
    if (!member.slice) {
      const auto loop = slice_loop(t, m);
      if (!loop) return false;
      member.slice = LoopCount{*loop, count_of(nest, member.per_core, *loop)};
    }
    if (member.slice->count < 2 || !slides_along(t, m, member.slice->loop)) return false;
    member.slice->count = ceil_div(member.slice->count, 2);
    member.slices =
        ceil_div(count_of(nest, member.per_core, member.slice->loop), member.slice->count);
    for (const MemberAccess& read : group_.members[m].reads)
      if (slices_[read.tensor] > 1 || read.tensor == t) slices_[read.tensor] = member.slices;
    return true;
  }

  [[nodiscard]] bool slides_along(std::size_t t, std::size_t m, Loop loop) const {
    return std::ranges::any_of(group_.members[m].reads, [&](const MemberAccess& read) {
      return read.tensor == t && slide(*read.access, group_.members[m].op->nest, loop);
    });
  }

  [[nodiscard]] std::optional<Loop> slice_loop(std::size_t t, std::size_t m) const {
    const LoopNest& nest = group_.members[m].op->nest;
    for (const Loop loop : {Loop::K, Loop::G, Loop::H, Loop::B, Loop::C})
      if (loop != tiling_.members[m].axis &&
          count_of(nest, tiling_.members[m].per_core, loop) > 1 && slides_along(t, m, loop))
        return loop;
    return std::nullopt;
  }

  const Chip& chip_;
  const GroupShape& group_;
  TiledGroup& tiling_;
  std::vector<std::int64_t> slices_;
};

}  // namespace

std::vector<bool> sliced_to_fit(const Chip& chip,
                                const GroupShape& group,
                                Streaming streaming,
                                TiledGroup& tiling) {
  Slicer slicer(chip, group, tiling);
  if (!slicer.run(streaming)) return {};
  return slicer.streamed();
}

}  // namespace paretrain::evaluator
