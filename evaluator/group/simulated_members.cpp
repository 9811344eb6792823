#include "evaluator/group/simulated_members.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "evaluator/group/blocked_group.h"

namespace paretrain::evaluator {
namespace {

class MemberPlayer {
 public:
  MemberPlayer(const Chip& chip,
               TileCosts& costs,
               const GroupMember& member,
               const MemberTiling& tiling,
               TaskList& tasks)
      : chip_(chip),
        costs_(costs),
        member_(member),
        nest_(member.op->nest),
        tiling_(tiling),
        tasks_(tasks) {}

  // How the member is shared out, and what of it is a slice.
  struct Decided {
    SplitKind split = SplitKind::None;
    std::size_t cores = 1;  // that it may use
    std::uint32_t content = 0;
    std::optional<LoopCount> slice;
  };

  [[nodiscard]] std::optional<SimulatedMember> run(const Decided& decided) {
    const std::int64_t size = nest_.size(tiling_.axis);
    for (std::int64_t tile = 0; tile < tiling_.tiles; ++tile) {
      const std::int64_t rows = std::min(tiling_.rows, size - tile * tiling_.rows);
      if (!add_tile(decided, tile, rows)) return std::nullopt;
    }
    return std::move(result_);
  }

 private:
  bool add_tile(const Decided& decided, std::int64_t tile, std::int64_t rows) {
    const std::vector<LoopCount> cut = {{tiling_.axis, rows}};
    const CoreSplit split =
        core_split(*member_.op, cut, tiling_.axis, decided.split, decided.cores);
    const std::vector<LoopCount> share = core_counts(cut, split, split.share);
    const auto& slice = decided.slice;
    const std::int64_t whole = slice ? count_of(nest_, share, slice->loop) : 1;
    const std::int64_t piece = slice ? std::min(whole, slice->count) : 1;
    TileTasks tasks;
    for (std::int64_t done = 0; done < whole; done += piece) {
      const auto cycles = piece_cycles(decided, cut, split, done, piece);
      if (!cycles) return false;
      SimulatedTask task;
      task.name = member_.op->name + " " + std::to_string(tile);
      task.tile = tiling_.level + tile;
      for (const CoreId core : tiling_.cores)
        task.uses.push_back({chip_.core_resource(core), *cycles});
      if (!result_.pieces.empty()) task.waits.push_back(result_.pieces.back());
      tasks.last = tasks_.add(std::move(task));
      if (done == 0) tasks.first = tasks.last;
      result_.pieces.push_back(tasks.last);
      ++tasks.slices;
    }
    result_.tiles.push_back(tasks);
    return true;
  }

  // Of the slowest core.
  std::optional<std::int64_t> piece_cycles(const Decided& decided,
                                           const std::vector<LoopCount>& cut,
                                           const CoreSplit& split,
                                           std::int64_t done,
                                           std::int64_t piece) {
    std::int64_t cycles = 0;
    for (std::int64_t core = 0; core < split.cores; ++core) {
      std::vector<LoopCount> counts =
          core_counts(cut, split, core + 1 == split.cores ? split.last_share : split.share);
      if (decided.slice) {
        const std::int64_t own = count_of(nest_, counts, decided.slice->loop);
        if (done >= own) continue;
        counts.push_back({decided.slice->loop, std::min(piece, own - done)});
      }
      const auto cost = costs_.cost({member_.whole, decided.content},
                                    tiling_.cores[0],
                                    counts_of_whole(member_, std::move(counts)));
      if (!cost) return std::nullopt;
      tasks_.energy().compute += cost->compute_pj;
      tasks_.energy().on_chip += cost->on_chip_pj;
      cycles = std::max(cycles, static_cast<std::int64_t>(std::ceil(cost->cycles)));
    }
    return cycles;
  }

  const Chip& chip_;
  TileCosts& costs_;
  const GroupMember& member_;
  const LoopNest& nest_;
  const MemberTiling& tiling_;
  TaskList& tasks_;
  SimulatedMember result_;
};

}  // namespace

std::vector<std::size_t> SimulatedMember::ends() const {
  std::vector<std::size_t> ends;
  for (const TileTasks& tasks : tiles)
    ends.push_back(tasks.last);
  return ends;
}

std::optional<std::vector<SimulatedMember>> simulated_members(const Chip& chip,
                                                              TileCosts& costs,
                                                              const GroupShape& group,
                                                              const DecidedFusedWay& decided,
                                                              const TiledGroup& tiling,
                                                              TaskList& tasks) {
  std::vector<SimulatedMember> members;
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    auto member = MemberPlayer(chip, costs, group.members[m], tiling.members[m], tasks)
                      .run({decided.way.split,
                            decided.way.cores[m].size(),
                            decided.way.contents[m],
                            decided.slices[m]});
    if (!member) return std::nullopt;
    members.push_back(std::move(*member));
  }
  return members;
}

std::int64_t Sweep::read_until(std::int64_t tile) const {
  return slide.end_of(std::min(size, (tile + 1) * rows) - 1) * stride;
}

std::int64_t Sweep::made_until(std::int64_t tile) const {
  if ((tile + 1) * rows >= size) return slide.extent * stride;
  return slide.begin_of((tile + 1) * rows) * stride;
}

std::optional<Sweep> sweep_of(const Access& access,
                              const LoopNest& nest,
                              const MemberTiling& tiling) {
  const auto along = slide(access, nest, tiling.axis);
  if (!along) return std::nullopt;
  const std::int64_t stride =
      along->dimension < access.strides.size() ? access.strides[along->dimension] : 1;
  return Sweep{*along, stride, tiling.rows, nest.size(tiling.axis)};
}

}  // namespace paretrain::evaluator
