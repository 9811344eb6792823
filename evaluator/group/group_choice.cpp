#include "evaluator/group/group_choice.h"

#include <algorithm>
#include <utility>

#include "evaluator/group/blocked_group.h"
#include "evaluator/group/fused_outline.h"
#include "evaluator/group/single_ways.h"
#include "evaluator/group/tile_axis.h"
#include "evaluator/group/way_search.h"

namespace paretrain::evaluator {
namespace {

// Model: tile counts are powers of two and the axis's whole length, 4096 at most.
constexpr std::int64_t kMostTiles = 4096;

// Model: streaming what would fit is worth a look only where it costs no traffic: with one tile.
template <class Visit>
bool visit_depths(FusedWay& way, Visit&& visit) {
  for (const PipelineDepth depth : {PipelineDepth::InTurn, PipelineDepth::Stepped})
    for (const Streaming streaming : {Streaming::WhenTooLarge, Streaming::Always}) {
      if (way.tiles == 1 && depth == PipelineDepth::Stepped) continue;
      if (way.tiles > 1 && streaming == Streaming::Always) continue;
      way.depth = depth;
      way.streaming = streaming;
      if (!visit(std::as_const(way))) return false;
    }
  return true;
}

// Core sets × splits × tile counts × depths of a group, or of its block, along `way.axis`.
template <class Visit>
bool visit_tilings(const ChoiceContext& context,
                   const GroupShape& group,
                   FusedWay way,
                   Visit&& visit) {
  std::int64_t longest = kMostTiles;
  std::size_t alternatives = 1;
  for (std::size_t m = 0; m < group.members.size(); ++m) {
    longest = std::min(longest, group.members[m].op->nest.size(way.axis.loops[m]));
    alternatives = std::max(alternatives, context.core_sets[group.members[m].index].size());
  }
  for (std::size_t alternative = 0; alternative < alternatives; ++alternative) {
    way.cores.clear();
    bool several = false;
    bool unsplit = false;
    for (const GroupMember& member : group.members) {
      const CoreSets& sets = context.core_sets[member.index];
      way.cores.emplace_back(sets[std::min(alternative, sets.size() - 1)]);
      several = several || way.cores.back().size() > 1;
      unsplit = unsplit || (!context.unsplit.empty() && context.unsplit[member.index] != 0);
    }
    for (const SplitKind split : {SplitKind::None, SplitKind::Columns, SplitKind::Rows}) {
      if (split != SplitKind::None && (unsplit || !several)) continue;
      way.split = split;
      for (std::int64_t tiles = 1; tiles / 2 < longest; tiles *= 2) {
        way.tiles = std::min(tiles, longest);
        const auto visit_block = [&](const FusedWay& decided) { return visit(group, decided); };
        if (!visit_depths(way, visit_block)) return false;
      }
    }
  }
  return true;
}

// Calls `visit(group, way)` for every way of a group of several operators until it answers false;
// of a way in blocks the group is one block.
template <class Visit>
void visit_fused_ways(const ChoiceContext& context, const GroupShape& group, Visit&& visit) {
  FusedWay way;
  for (const GroupMember& member : group.members)
    way.contents.push_back(context.contents[member.index]);
  for (const TileAxis& axis : tile_axes(group)) {
    way.axis = axis;
    if (!visit_tilings(context, group, way, visit)) return;
  }
  for (std::vector<BlockCut>& cuts : block_cuts(group)) {
    const auto block = blocked_group(group, cuts);
    if (!block) continue;
    way.blocks = std::move(cuts);
    for (const TileAxis& axis : axes_within_blocks(*block, way.blocks)) {
      way.axis = axis;
      if (!visit_tilings(context, block->shape, way, visit)) return;
    }
  }
}

// Ways are looked for with the memories of `sizes`, which are those of the chip or smaller.
std::optional<GroupChoice> best_of_ways(const ChoiceContext& context,
                                        const GroupShape& group,
                                        const Chip& sizes) {
  WaySearch search(context);
  const auto add = [&](std::optional<GroupOutline> outline) {
    if (outline) search.add(std::move(*outline));
  };
  if (group.members.size() == 1) {
    const std::size_t op = group.members.front().index;
    for (const auto& cores : context.core_sets[op])
      for (const SingleWay& way : single_ways(sizes, group, cores, context.contents[op]))
        add(single_outline(*context.chip, *context.costs, group, way));
    return search.best();
  }
  visit_fused_ways(context, group, [&](const GroupShape& block, const FusedWay& way) {
    add(fused_outline(*context.chip, *context.costs, block, way));
    return true;
  });
  return search.best();
}

}  // namespace

std::optional<GroupChoice> best_choice(const ChoiceContext& context, const GroupShape& group) {
  auto best = best_of_ways(context, group, *context.chip);
  // What fits all instances of a replicated memory together need not map on them.
  if (!best && group.members.size() == 1)
    best = best_of_ways(context, group, *context.single_instances);
  return best;
}

bool has_way(const ChoiceContext& context, const GroupShape& group) {
  bool found = false;
  visit_fused_ways(context, group, [&](const GroupShape& block, const FusedWay& way) {
    const auto outline = fused_outline(*context.chip, *context.costs, block, way);
    found = outline && has_mappings(*context.costs, *outline);
    return !found;
  });
  return found;
}

}  // namespace paretrain::evaluator
