#include "evaluator/group/schedule.h"

#include <algorithm>
#include <cmath>

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

namespace {

// The stage's use of what the transfer takes, with these cycles.
template <class Cycles>
void add_uses(std::vector<StageUse>& uses, const TransferCost& cost, Cycles&& cycles) {
  for (const ResourceCycles& taken : cost.uses) {
    auto same = std::ranges::find(uses, taken.resource, &StageUse::resource);
    if (same == uses.end()) same = uses.insert(same, StageUse{taken.resource});
    cycles(*same) = taken.cycles;
  }
}

}  // namespace

std::vector<StageUse> stage_uses(const TransferCost& full, const TransferCost& last) {
  std::vector<StageUse> uses;
  add_uses(uses, full, [](StageUse& use) -> std::int64_t& { return use.cycles; });
  add_uses(uses, last, [](StageUse& use) -> std::int64_t& { return use.last_cycles; });
  return uses;
}

std::vector<StageUse> stage_uses(const RoundTransfers& items) {
  std::vector<StageUse> uses = stage_uses(items.others, items.last);
  add_uses(uses, items.first, [](StageUse& use) -> std::int64_t& { return use.first_more; });
  for (StageUse& use : uses)
    use.first_more -= use.cycles;
  return uses;
}

std::vector<StageUse> stage_uses(const RoundTransfers& first_round,
                                 const RoundTransfers& rounds,
                                 const RoundTransfers& last_round) {
  std::vector<StageUse> uses;
  const auto add = [&](const RoundTransfers& round, RoundCycles StageUse::*of) {
    add_uses(uses, round.first, [&](StageUse& use) -> std::int64_t& { return (use.*of).first; });
    add_uses(uses, round.others, [&](StageUse& use) -> std::int64_t& { return (use.*of).others; });
    add_uses(uses, round.last, [&](StageUse& use) -> std::int64_t& { return (use.*of).last; });
  };
  add(rounds, &StageUse::rounds);
  add(last_round, &StageUse::last_round);
  add(first_round, &StageUse::first_round_more);
  for (StageUse& use : uses) {
    use.first_round_more.first -= use.rounds.first;
    use.first_round_more.others -= use.rounds.others;
    use.first_round_more.last -= use.rounds.last;
  }
  return uses;
}

void set_operator_cycles(const Chip& chip,
                         Stage& stage,
                         const OperatorRun& run,
                         std::span<const std::int64_t> cycles) {
  const auto slowest = [&](const SharedTile& tile) {
    return std::max(cycles[tile.first_core], cycles[tile.last_core]);
  };
  std::int64_t sum = 0;
  for (const RepeatedTile& turn : run.turns)
    sum += turn.times * slowest(turn.tile);
  const std::int64_t mean = (sum + stage.tiles / 2) / stage.tiles;
  const std::int64_t full = run.turns.empty() ? slowest(run.full) : mean;
  const std::int64_t last = run.turns.empty() ? slowest(run.last) : mean;
  const std::int64_t last_round = slowest(run.last_round);
  for (StageUse& use : stage.uses)
    if (use.resource.index() < chip.cores().size()) {
      use.cycles = full;
      use.last_cycles = last;
      use.rounds = {full, full, slowest(run.edge)};
      use.last_round = {last_round, last_round, last};
    }
}

ScheduleCost least_cost(const Chip& chip, const GroupOutline& outline) {
  ScheduleCost least;
  least.latency =
      busiest_cycles_of_blocks(outline.stages, chip.resource_names().size(), outline.blocks);
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

std::int64_t least_latency(const Chip& chip, const GroupOutline& outline, std::int64_t limit) {
  return least_makespan_of_blocks(
      outline.stages, chip.resource_names().size(), outline.blocks, limit);
}

bool find_tile(TileCosts& costs,
               const OperatorRun& run,
               std::size_t v,
               std::vector<std::int64_t>& cycles,
               EnergyBreakdown& energy) {
  const TileVariant& variant = run.variants[v];
  const auto cost = costs.cost(run.op, run.core, variant.counts);
  if (!cost) return false;
  energy.on_chip += static_cast<double>(variant.times) * cost->on_chip_pj;
  cycles[v] = whole_cycles(cost->cycles);
  return true;
}

std::vector<std::int64_t> least_cycles(const TileCosts& costs, const OperatorRun& run) {
  std::vector<std::int64_t> cycles;
  for (const TileVariant& variant : run.variants)
    cycles.push_back(whole_cycles(costs.least_cycles(*run.op.op, run.core, variant.counts)));
  return cycles;
}

namespace {

// Visits `visit(run, cycles of its variants)` and sums up the energy of transfers and tiles.
template <class Visit>
std::optional<EnergyBreakdown> visit_tiles(TileCosts& costs,
                                           const GroupOutline& outline,
                                           Visit&& visit) {
  EnergyBreakdown energy = outline.energy;
  std::vector<std::int64_t> cycles;
  for (const OperatorRun& run : outline.runs) {
    cycles.clear();
    for (const TileVariant& variant : run.variants) {
      const auto cost = costs.cost(run.op, run.core, variant.counts);
      if (!cost) return std::nullopt;
      const auto times = static_cast<double>(variant.times);
      energy.compute += times * cost->compute_pj;
      energy.on_chip += times * cost->on_chip_pj;
      cycles.push_back(whole_cycles(cost->cycles));
    }
    visit(run, cycles);
  }
  return energy;
}

}  // namespace

std::optional<EnergyBreakdown> energy_of_tiles(TileCosts& costs, const GroupOutline& outline) {
  return visit_tiles(costs, outline, [](const OperatorRun&, std::span<const std::int64_t>) {});
}

std::optional<ScheduleCost> costed(const Chip& chip,
                                   TileCosts& costs,
                                   GroupOutline& outline,
                                   const LatencyLimit& limit) {
  const auto set = [&](const OperatorRun& run, std::span<const std::int64_t> cycles) {
    set_operator_cycles(chip, outline.stages[run.stage], run, cycles);
  };
  const std::optional<EnergyBreakdown> energy = visit_tiles(costs, outline, set);
  if (!energy) return std::nullopt;
  ScheduleCost result;
  result.energy = *energy;
  result.offchip_bytes = outline.offchip_bytes;
  const std::int64_t most = limit ? limit(result.energy.total()) : kNoLimit;
  result.latency =
      makespan_of_blocks(outline.stages, chip.resource_names().size(), outline.blocks, most).cycles;
  if (result.latency > most) return std::nullopt;
  return result;
}

bool has_mappings(TileCosts& costs, const GroupOutline& outline) {
  return std::ranges::all_of(outline.runs, [&](const OperatorRun& run) {
    return std::ranges::all_of(run.variants, [&](const TileVariant& variant) {
      return costs.cost(run.op, run.core, variant.counts).has_value();
    });
  });
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
