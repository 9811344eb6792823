#include "evaluator/group/member_tiling.h"

#include <algorithm>

#include "base/checked_math.h"

namespace paretrain::evaluator {

NestOperand operand_of_read(const Access& access) {
  return access.operand.value_or(NestOperand::I);
}

NestOperand operand_of_write(const Access& access) {
  return access.operand.value_or(NestOperand::O);
}

namespace {

MemberTiling tiling_of(const GroupMember& member,
                       Loop axis,
                       const FusedWay& way,
                       std::span<const CoreId> cores) {
  MemberTiling tiling;
  const std::int64_t size = member.op->nest.size(axis);
  tiling.axis = axis;
  tiling.rows = ceil_div(size, way.tiles);
  tiling.tiles = ceil_div(size, tiling.rows);
  tiling.last_rows = size - tiling.rows * (tiling.tiles - 1);
  tiling.tile = {{axis, tiling.rows}};
  tiling.split = core_split(*member.op, tiling.tile, axis, way.split, cores.size());
  tiling.cores.assign(cores.begin(), cores.begin() + tiling.split.cores);
  tiling.per_core = core_counts(tiling.tile, tiling.split, tiling.split.share);
  return tiling;
}

const OperandMemory& memory_at(const Chip& chip, CoreId core, NestOperand operand) {
  return chip.core(core).memories[static_cast<std::size_t>(operand)];
}

class EdgeFinder {
 public:
  EdgeFinder(const Chip& chip, const GroupShape& group, const std::vector<MemberTiling>& tilings)
      : chip_(chip), group_(group), tilings_(tilings) {}

  [[nodiscard]] std::vector<InnerEdge> edges() const {
    std::vector<InnerEdge> result;
    for (std::size_t to = 0; to < group_.members.size(); ++to)
      for (std::size_t t = 0; t < group_.tensors.size(); ++t) {
        const GroupTensor& tensor = group_.tensors[t];
        const auto maker = last_maker_before(tensor, to);
        if (!maker) continue;
        if (const Access* read = access_of(group_.members[to].reads, t))
          result.push_back(edge(t, *maker, to, *read));
        else if (const Access* added = access_of(group_.members[to].writes, t);
                 added != nullptr && added->accumulates)
          result.push_back(edge(t, *maker, to, *added));
      }
    return result;
  }

 private:
  static std::optional<std::size_t> last_maker_before(const GroupTensor& tensor, std::size_t to) {
    std::optional<std::size_t> last;
    for (const std::size_t maker : tensor.makers)
      if (maker < to) last = maker;
    return last;
  }

  static const Access* access_of(const std::vector<MemberAccess>& accesses, std::size_t tensor) {
    for (const MemberAccess& access : accesses)
      if (access.tensor == tensor) return access.access;
    return nullptr;
  }

  [[nodiscard]] InnerEdge edge(std::size_t tensor,
                               std::size_t from,
                               std::size_t to,
                               const Access& used) const {
    InnerEdge result;
    result.tensor = tensor;
    result.from = from;
    result.to = to;
    result.made = access_of(group_.members[from].writes, tensor);
    result.used = &used;
    const LoopNest& maker = group_.members[from].op->nest;
    const LoopNest& reader = group_.members[to].op->nest;
    const TileDependence dependence{
        result.made, &maker, tilings_[from].axis, &used, &reader, tilings_[to].axis};
    result.lag = tile_lag(dependence, tilings_[from].rows, tilings_[to].rows);
    result.pace = tile_pace(dependence, tilings_[from].rows, tilings_[to].rows);
    result.same_cores = tilings_[from].cores == tilings_[to].cores;
    place(result, maker, reader);
    return result;
  }

  // Whether the reader finds the tensor where the maker left it.
  void place(InnerEdge& edge, const LoopNest& maker, const LoopNest& reader) const {
    const MemberTiling& from = tilings_[edge.from];
    const MemberTiling& to = tilings_[edge.to];
    const auto node_from = memory_at(chip_, from.cores.front(), operand_of_write(*edge.made)).node;
    const auto node_to = memory_at(chip_, to.cores.front(), operand_of_read(*edge.used)).node;
    const bool one_memory = node_from == node_to && from.cores.size() == 1 && to.cores.size() == 1;
    if (one_memory || (edge.same_cores && from.cores.size() == 1)) return;
    if (edge.same_cores && from.split.loop && to.split.loop) {
      const auto made = slide(*edge.made, maker, *from.split.loop);
      const auto used = slide(*edge.used, reader, *to.split.loop);
      if (are_cut_alike(*edge.made, made, *edge.used, used)) {
        const std::int64_t window = touched_bytes(*edge.used, reader, to.per_core, Halo::Included);
        const std::int64_t own = touched_bytes(*edge.used, reader, to.per_core, Halo::Excluded);
        edge.halo_bytes = *to.split.loop == to.axis ? window - own : 0;
        edge.moves = edge.halo_bytes > 0;
        return;
      }
    }
    edge.moves = true;
  }

  const Chip& chip_;
  const GroupShape& group_;
  const std::vector<MemberTiling>& tilings_;
};

// Model: a member follows what it reads by the tiles that must be done, and when stepped by one
// more where another core makes it.
void set_levels(TiledGroup& group, PipelineDepth depth) {
  for (std::size_t m = 0; m < group.members.size(); ++m)
    for (const InnerEdge& edge : group.edges) {
      if (edge.to != m) continue;
      const bool apart = depth == PipelineDepth::Stepped && (edge.moves || !edge.same_cores);
      group.members[m].level = std::max(
          group.members[m].level, group.members[edge.from].level + edge.lag + (apart ? 1 : 0));
    }
}

}  // namespace

TiledGroup tiled_group(const Chip& chip, const GroupShape& group, const FusedWay& way) {
  TiledGroup result;
  result.buffers = way.depth == PipelineDepth::Stepped ? 2 : 1;
  for (std::size_t m = 0; m < group.members.size(); ++m)
    result.members.push_back(tiling_of(group.members[m], way.axis.loops[m], way, way.cores[m]));
  result.edges = EdgeFinder(chip, group, result.members).edges();
  set_levels(result, way.depth);
  return result;
}

}  // namespace paretrain::evaluator
