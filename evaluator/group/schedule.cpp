#include "evaluator/group/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

std::int64_t whole_cycles(double cycles) {
  return static_cast<std::int64_t>(std::ceil(cycles));
}

}  // namespace

void add_energy(EnergyBreakdown& energy, const TransferCost& cost, std::int64_t times) {
  const auto factor = static_cast<double>(times);
  energy.on_chip += factor * cost.on_chip_pj;
  energy.off_chip += factor * cost.off_chip_pj;
  energy.links += factor * cost.links_pj;
}

std::vector<StageUse> stage_uses(const TransferCost& full, const TransferCost& last) {
  std::vector<StageUse> uses;
  for (const ResourceCycles& use : full.uses)
    uses.push_back({use.resource, use.cycles, 0});
  for (const ResourceCycles& use : last.uses) {
    const auto same = std::ranges::find(uses, use.resource, &StageUse::resource);
    if (same == uses.end())
      uses.push_back({use.resource, 0, use.cycles});
    else
      same->last_cycles = use.cycles;
  }
  return uses;
}

ScheduleCost least_cost(const Chip& chip, const GroupOutline& outline) {
  ScheduleCost least;
  least.latency =
      makespan_of_blocks(outline.stages, chip.resource_names().size(), outline.blocks).cycles;
  least.energy = outline.energy;
  least.offchip_bytes = outline.offchip_bytes;
  for (const OperatorRun& run : outline.runs)
    for (const TileVariant& variant : run.variants)
      least.energy.compute +=
          static_cast<double>(variant.times) *
          static_cast<double>(tile_operations(run.op.op->nest, variant.counts)) *
          chip.core(run.core).core.array.mac_energy_pj;
  return least;
}

std::optional<ScheduleCost> costed(const Chip& chip, TileCosts& costs, GroupOutline& outline) {
  ScheduleCost result;
  result.energy = outline.energy;
  result.offchip_bytes = outline.offchip_bytes;
  for (const OperatorRun& run : outline.runs) {
    std::array<std::int64_t, 2> cycles{};
    for (std::size_t v = 0; v < run.variants.size(); ++v) {
      const auto cost = costs.cost(run.op, run.core, run.variants[v].counts);
      if (!cost) return std::nullopt;
      const auto times = static_cast<double>(run.variants[v].times);
      result.energy.compute += times * cost->compute_pj;
      result.energy.on_chip += times * cost->on_chip_pj;
      const auto in_turn = static_cast<double>(run.repeat) * cost->cycles;
      if (v == run.full) cycles[0] = whole_cycles(in_turn);
      if (v == run.last) cycles[1] = whole_cycles(in_turn);
    }
    for (StageUse& use : outline.stages[run.stage].uses)
      if (use.resource.index() < chip.cores().size()) {
        use.cycles = cycles[0];
        use.last_cycles = cycles[1];
      }
  }
  result.latency =
      makespan_of_blocks(outline.stages, chip.resource_names().size(), outline.blocks).cycles;
  return result;
}

void put_in_order(GroupOutline& outline, std::span<const std::size_t> places) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places[i]; });
  std::vector<std::size_t> moved_to(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    moved_to[order[i]] = i;
  std::vector<Stage> stages;
  for (const std::size_t i : order) {
    Stage& stage = outline.stages[i];
    for (StageWait& wait : stage.waits)
      wait.stage = moved_to[wait.stage];
    for (StageRoom& room : stage.rooms)
      room.stage = moved_to[room.stage];
    stages.push_back(std::move(stage));
  }
  for (OperatorRun& run : outline.runs)
    run.stage = moved_to[run.stage];
  outline.stages = std::move(stages);
}

namespace {

bool can_split(const Operator& op, std::span<const LoopCount> counts, Loop loop) {
  return count_of(op.nest, counts, loop) > 1 && indexes_all(op.writes, loop);
}

std::optional<Loop> split_loop(const Operator& op,
                               std::span<const LoopCount> counts,
                               std::optional<Loop> axis,
                               SplitKind kind) {
  const std::vector<Loop> columns = {Loop::K, Loop::G, Loop::H};
  std::vector<Loop> rows;
  if (axis) rows.push_back(*axis);
  rows.insert(rows.end(), {Loop::OY, Loop::IY, Loop::D, Loop::B});
  std::vector<Loop> wanted = kind == SplitKind::Rows ? rows : columns;
  const std::vector<Loop>& others = kind == SplitKind::Rows ? columns : rows;
  wanted.insert(wanted.end(), others.begin(), others.end());
  for (const Loop loop : wanted)
    if (can_split(op, counts, loop)) return loop;
  return std::nullopt;
}

}  // namespace

CoreSplit core_split(const Operator& op,
                     std::span<const LoopCount> counts,
                     std::optional<Loop> axis,
                     SplitKind kind,
                     std::size_t cores) {
  CoreSplit split;
  if (kind == SplitKind::None || cores < 2) return split;
  split.loop = split_loop(op, counts, axis, kind);
  if (!split.loop) return split;
  const std::int64_t size = count_of(op.nest, counts, *split.loop);
  split.share = ceil_div(size, static_cast<std::int64_t>(cores));
  split.cores = ceil_div(size, split.share);
  split.last_share = size - split.share * (split.cores - 1);
  return split;
}

std::vector<LoopCount> core_counts(std::span<const LoopCount> counts,
                                   const CoreSplit& split,
                                   std::int64_t share) {
  std::vector<LoopCount> result(counts.begin(), counts.end());
  if (!split.loop) return result;
  const auto same = std::ranges::find(result, *split.loop, &LoopCount::loop);
  if (same == result.end())
    result.push_back({*split.loop, share});
  else
    same->count = std::min(same->count, share);
  return result;
}

}  // namespace paretrain::evaluator
