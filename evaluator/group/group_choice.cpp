#include "evaluator/group/group_choice.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "base/shared_loop.h"
#include "evaluator/group/blocked_group.h"
#include "evaluator/group/fused_outline.h"
#include "evaluator/group/single_ways.h"
#include "evaluator/group/tile_axis.h"
#include "evaluator/group/way_search.h"

namespace paretrain::evaluator {
namespace {

// Model: tile counts are powers of two and the axis's whole length, 4096 at most.
constexpr std::int64_t kMostTiles = 4096;

// Legality asks for any way; so many are looked at before the next ones are made.
constexpr std::size_t kWaysAtOnce = 16;

// The group, or a block of it, and how it runs.
struct WayOfGroup {
  const GroupShape* group;
  FusedWay way;
};

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
// of a way in blocks the group is one of `blocks`, which gets them.
template <class Visit>
void visit_fused_ways(const ChoiceContext& context,
                      const GroupShape& group,
                      std::deque<BlockedGroup>& blocks,
                      Visit&& visit) {
  FusedWay way;
  for (const GroupMember& member : group.members)
    way.contents.push_back(context.contents[member.index]);
  for (const TileAxis& axis : tile_axes(group)) {
    way.axis = axis;
    if (!visit_tilings(context, group, way, visit)) return;
  }
  for (std::vector<BlockCut>& cuts : block_cuts(group)) {
    auto blocked = blocked_group(group, cuts);
    if (!blocked) continue;
    const BlockedGroup& block = blocks.emplace_back(std::move(*blocked));
    way.blocks = std::move(cuts);
    for (const TileAxis& axis : axes_within_blocks(block, way.blocks)) {
      way.axis = axis;
      if (!visit_tilings(context, block.shape, way, visit)) return;
    }
  }
}

std::optional<GroupOutline> outlined(const ChoiceContext& context, const WayOfGroup& way) {
  return fused_outline(*context.chip, *context.costs, *way.group, way.way);
}

// Ways are looked for with the memories of `sizes`, which are those of the chip or smaller.
std::optional<GroupChoice> best_single_way(const ChoiceContext& context,
                                           const GroupShape& group,
                                           const Chip& sizes) {
  const std::size_t op = group.members.front().index;
  std::vector<SingleWay> ways;
  for (const auto& cores : context.core_sets[op])
    for (SingleWay& way : single_ways(sizes, group, cores, context.contents[op]))
      ways.push_back(std::move(way));
  const auto outline = [&](std::size_t w) {
    return single_outline(*context.chip, *context.costs, group, ways[w]);
  };
  return WaySearch(context, ways.size(), outline).best();
}

std::optional<GroupChoice> best_fused_way(const ChoiceContext& context, const GroupShape& group) {
  std::deque<BlockedGroup> blocks;
  std::vector<WayOfGroup> ways;
  visit_fused_ways(context, group, blocks, [&](const GroupShape& block, const FusedWay& way) {
    ways.push_back({&block, way});
    return true;
  });
  const auto outline = [&](std::size_t w) { return outlined(context, ways[w]); };
  return WaySearch(context, ways.size(), outline).best();
}

}  // namespace

std::optional<GroupChoice> best_choice(const ChoiceContext& context, const GroupShape& group) {
  if (group.members.size() > 1) return best_fused_way(context, group);
  auto best = best_single_way(context, group, *context.chip);
  // What fits all instances of a replicated memory together need not map on them.
  if (!best) best = best_single_way(context, group, *context.single_instances);
  return best;
}

bool has_way(const ChoiceContext& context, const GroupShape& group) {
  std::atomic<bool> found{false};
  std::deque<BlockedGroup> blocks;
  std::vector<WayOfGroup> ways;
  const auto look = [&] {
    shared_for(ways.size(), [&](std::size_t w) {
      if (found.load(std::memory_order_relaxed)) return;
      const auto outline = outlined(context, ways[w]);
      if (outline && has_mappings(*context.costs, *outline)) found = true;
    });
    ways.clear();
  };
  visit_fused_ways(context, group, blocks, [&](const GroupShape& block, const FusedWay& way) {
    ways.push_back({&block, way});
    if (ways.size() == kWaysAtOnce) look();
    return !found;
  });
  look();
  return found;
}

}  // namespace paretrain::evaluator
