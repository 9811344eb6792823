#include "evaluator/group/single_working_set.h"

#include <algorithm>
#include <map>

#include "base/checked_math.h"
#include "evaluator/group/member_tiling.h"

namespace paretrain::evaluator {
namespace {

class SingleWorkingSet {
 public:
  SingleWorkingSet(const Chip& chip, const GroupShape& group, const SingleTiling& tiling)
      : chip_(chip),
        group_(group),
        member_(group.members.front()),
        nest_(member_.op->nest),
        tiling_(tiling) {}

  [[nodiscard]] bool fits() const {
    if (hands_on_partial_sums()) return false;
    std::map<MemoryNodeId, std::int64_t> used;
    for (const MemberAccess& read : member_.reads)
      if (!is_read_in_place(read)) add_bytes(used, *read.access, operand_of_read(*read.access), 1);
    for (const MemberAccess& write : member_.writes)
      if (!is_made_in_place(write))
        add_bytes(used, *write.access, operand_of_write(*write.access), tiling_.growth);
    for (const GroupTensor& tensor : group_.tensors)
      for (const HoldingPlace* place : {tensor.from, tensor.to})
        if (place != nullptr)
          for (const MemoryNodeId node : place->nodes)
            used[node] += place->share_of(tensor.held_bytes);
    return std::ranges::all_of(used, [&](const auto& entry) {
      return entry.second * 8 <= chip_.memory_bits(entry.first);
    });
  }

 private:
  [[nodiscard]] bool hands_on_partial_sums() const {
    return tiling_.partial && std::ranges::any_of(member_.writes, [&](const MemberAccess& write) {
             return group_.tensors[write.tensor].to != nullptr &&
                    is_summed_in_passes(*write.access);
           });
  }

  [[nodiscard]] bool is_summed_in_passes(const Access& access) const {
    return tensor_visits(access, nest_, tiling_.cuts, access.bytes.number(), Halo::Excluded)
               .passes > 1;
  }

  // What a place holds needs no tiles of its own beside it.
  [[nodiscard]] bool is_read_in_place(const MemberAccess& read) const {
    const HoldingPlace* place = group_.tensors[read.tensor].from;
    return place != nullptr &&
           read_in_place(chip_, *place, tiling_.cores, operand_of_read(*read.access));
  }

  // Sums over a cut loop are wider than what is held.
  [[nodiscard]] bool is_made_in_place(const MemberAccess& write) const {
    const HoldingPlace* place = group_.tensors[write.tensor].to;
    return place != nullptr && !tiling_.partial &&
           made_in_place(chip_, *place, tiling_.cores, operand_of_write(*write.access));
  }

  void add_bytes(std::map<MemoryNodeId, std::int64_t>& used,
                 const Access& access,
                 NestOperand operand,
                 double growth) const {
    const auto& first =
        chip_.core(tiling_.cores.front()).memories[static_cast<std::size_t>(operand)];
    std::int64_t sharing = 0;
    for (const CoreId core : tiling_.cores)
      if (chip_.core(core).memories[static_cast<std::size_t>(operand)].node == first.node)
        ++sharing;
    const auto here = [&](Halo halo) {
      return std::min(touched(access, tiling_.tile, halo),
                      sharing * touched(access, tiling_.per_core, halo));
    };
    std::int64_t bytes = here(Halo::Included);
    if (!is_resident(access, nest_, tiling_.cuts) && tiling_.steps > 1)
      bytes += here(Halo::Excluded);
    used[first.node] += widened_sums(bytes, growth);
  }

  // Model: a tensor that no axis can cut is moved in equal slices, one a tile, or at once.
  [[nodiscard]] std::int64_t touched(const Access& access,
                                     std::span<const LoopCount> counts,
                                     Halo halo) const {
    const std::int64_t bytes = access.bytes.number();
    if (access.axes.empty()) return bytes < tiling_.steps ? bytes : ceil_div(bytes, tiling_.steps);
    return touched_bytes(access, nest_, counts, halo);
  }

  const Chip& chip_;
  const GroupShape& group_;
  const GroupMember& member_;
  const LoopNest& nest_;
  const SingleTiling& tiling_;
};

}  // namespace

bool fits_on_chip(const Chip& chip, const GroupShape& group, const SingleTiling& tiling) {
  return SingleWorkingSet(chip, group, tiling).fits();
}

bool single_way_fits(const Chip& chip, const GroupShape& group, const SingleWay& way) {
  return fits_on_chip(chip, group, single_tiling(*group.members.front().op, way));
}

}  // namespace paretrain::evaluator
