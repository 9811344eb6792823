#include "evaluator/group/working_set.h"

#include <algorithm>
#include <map>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

// Model: a streamed tensor passes in this many slices a tile, two of them on chip.
constexpr std::int64_t kStreamSlices = 16;

// What the members need of one tensor in one memory, in bytes.
struct Need {
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
      : chip_(chip), group_(group), tiling_(tiling) {}

  // Bytes by memory. Shape: as the chip's memories.
  [[nodiscard]] std::vector<std::int64_t> bytes(const std::vector<bool>& streamed) const {
    std::vector<std::int64_t> used(chip_.memory_count(), 0);
    for (std::size_t t = 0; t < group_.tensors.size(); ++t)
      for (const auto& [node, need] : needs(t))
        used[node.index()] += sum(need, streamed[t]);
    return used;
  }

  [[nodiscard]] std::map<MemoryNodeId, Need> needs(std::size_t tensor) const {
    std::map<MemoryNodeId, Need> result;
    for (std::size_t m = 0; m < group_.members.size(); ++m) {
      for (const MemberAccess& read : group_.members[m].reads)
        if (read.tensor == tensor) add_read(result, m, *read.access);
      for (const MemberAccess& write : group_.members[m].writes)
        if (write.tensor == tensor) add_write(result, m, *write.access);
    }
    return result;
  }

 private:
  static std::int64_t sum(const Need& need, bool streamed) {
    if (need.whole > 0) {
      const std::int64_t slices = 2 * ceil_div(need.whole, kStreamSlices);
      return streamed ? std::min(need.whole, slices) : need.whole;
    }
    if (need.whole_results) return need.made;
    const std::int64_t held = std::max(need.made, need.window + need.ahead);
    return held + (need.leaves ? need.made : 0);
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

  void add_read(std::map<MemoryNodeId, Need>& needs, std::size_t m, const Access& access) const {
    const NestOperand operand = operand_of_read(access);
    Need& need = needs[node(m, operand)];
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

  // Steps between the arrival of a tile and its use by the member.
  [[nodiscard]] std::int64_t steps_held(std::size_t m, const Access& access) const {
    for (const InnerEdge& edge : tiling_.edges)
      if (edge.to == m && edge.used == &access) {
        const std::int64_t from = tiling_.members[edge.from].level + (edge.moves ? 1 : 0);
        return tiling_.members[m].level - from;
      }
    std::int64_t first = tiling_.members[m].level;
    for (std::size_t other = 0; other < group_.members.size(); ++other)
      for (const MemberAccess& read : group_.members[other].reads)
        if (read.access->storage == access.storage)
          first = std::min(first, tiling_.members[other].level);
    return tiling_.members[m].level - first + 1;
  }

  void add_write(std::map<MemoryNodeId, Need>& needs, std::size_t m, const Access& access) const {
    const NestOperand operand = operand_of_write(access);
    Need& need = needs[node(m, operand)];
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
      return edge.from == m && edge.made == &access && (edge.moves || !edge.same_cores);
    });
  }

  const Chip& chip_;
  const GroupShape& group_;
  const TiledGroup& tiling_;
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

std::optional<Residents> fitted_residents(const Chip& chip,
                                          const GroupShape& group,
                                          const TiledGroup& tiling) {
  const WorkingSet set(chip, group, tiling);
  Residents residents;
  residents.streamed.assign(group.tensors.size(), false);
  while (true) {
    const std::vector<std::int64_t> used = set.bytes(residents.streamed);
    std::optional<std::size_t> over;
    for (std::size_t node = 0; node < used.size() && !over; ++node)
      if (used[node] * 8 > chip.memory_bits(MemoryNodeId(node))) over = node;
    if (!over) return residents;
    std::optional<std::size_t> largest;
    std::int64_t most = 0;
    for (std::size_t t = 0; t < group.tensors.size(); ++t) {
      if (residents.streamed[t] || !group.tensors[t].makers.empty()) continue;
      const auto needs = set.needs(t);
      const auto here = needs.find(MemoryNodeId(*over));
      if (here != needs.end() && here->second.whole > most) {
        most = here->second.whole;
        largest = t;
      }
    }
    if (!largest) return std::nullopt;
    residents.streamed[*largest] = true;
  }
}

}  // namespace paretrain::evaluator
