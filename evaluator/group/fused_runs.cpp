#include "evaluator/group/fused_runs.h"

#include <algorithm>
#include <utility>

#include "evaluator/group/blocked_group.h"

namespace paretrain::evaluator {
namespace {

class RunLister {
 public:
  RunLister(const GroupShape& group, const FusedWay& way, const TiledGroup& tiling, std::size_t m)
      : blocks_(group.blocks),
        member_(group.members[m]),
        way_(way),
        tiling_(tiling.members[m]),
        m_(m) {}

  [[nodiscard]] OperatorRun run() {
    run_.op = {member_.whole, way_.contents[m_]};
    run_.core = tiling_.cores.front();
    run_.stage = m_;
    const Slices full = add_variants(tiling_.rows, tiling_.tiles - 1);
    const Slices last = add_variants(tiling_.last_rows, 1);
    run_.last_round = last.full;
    run_.last = last.edge;
    run_.full = tiling_.tiles == 1 ? last.full : full.full;
    run_.edge = tiling_.tiles == 1 ? last.edge : full.edge;
    for (TileVariant& variant : run_.variants) {
      variant.counts = counts_of_whole(member_, std::move(variant.counts));
      variant.times *= blocks_;
    }
    return std::move(run_);
  }

 private:
  // The slices of a tile; the last one may be ragged. Without slices both are the tile.
  struct Slices {
    SharedTile full;
    SharedTile edge;
  };

  // The tile of every core but the last, and that of the last when it differs.
  Slices add_variants(std::int64_t rows, std::int64_t times) {
    if (times == 0) return {};
    const std::vector<LoopCount> tile = {{tiling_.axis, rows}};
    const CoreSplit split =
        core_split(*member_.op, tile, tiling_.axis, way_.split, way_.cores[m_].size());
    const bool ragged = split.loop && split.last_share != split.share;
    const std::size_t first = run_.variants.size();
    add_slices(core_counts(tile, split, split.share), times * (split.cores - (ragged ? 1 : 0)));
    const std::size_t edge = run_.variants.size() - 1;
    if (!ragged) return {{first, first}, {edge, edge}};
    add_slices(core_counts(tile, split, split.last_share), times);
    // Cut into fewer slices the last core is idle in the end.
    const bool alike = tiling_.slice && *split.loop != tiling_.slice->loop;
    const std::size_t last_edge = run_.variants.size() - 1;
    return {{first, edge + 1}, {edge, alike || !tiling_.slice ? last_edge : edge}};
  }

  // Of one core's tile.
  void add_slices(std::vector<LoopCount> counts, std::int64_t times) {
    const auto& slice = tiling_.slice;
    if (!slice) {
      run_.variants.push_back({std::move(counts), times});
      return;
    }
    const std::int64_t whole = count_of(member_.op->nest, counts, slice->loop);
    const std::int64_t count = std::min(whole, slice->count);
    const std::int64_t full = whole / count;
    std::vector<LoopCount> ragged = counts;
    counts.push_back({slice->loop, count});
    run_.variants.push_back({std::move(counts), times * full});
    if (whole % count == 0) return;
    ragged.push_back({slice->loop, whole % count});
    run_.variants.push_back({std::move(ragged), times});
  }

  std::int64_t blocks_;
  const GroupMember& member_;
  const FusedWay& way_;
  const MemberTiling& tiling_;
  std::size_t m_;
  OperatorRun run_;
};

}  // namespace

OperatorRun fused_run(const GroupShape& group,
                      const FusedWay& way,
                      const TiledGroup& tiling,
                      std::size_t m) {
  return RunLister(group, way, tiling, m).run();
}

}  // namespace paretrain::evaluator
