#include "evaluator/group/single_outline.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/checked_math.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/single_tiling.h"
#include "evaluator/group/single_visits.h"
#include "evaluator/group/single_working_set.h"

namespace paretrain::evaluator {
namespace {

class SingleBuilder {
 public:
  SingleBuilder(const Chip& chip,
                const GroupShape& group,
                const SingleWay& way,
                const SingleTiling& tiling)
      : chip_(chip),
        group_(group),
        way_(way),
        member_(group.members.front()),
        nest_(member_.op->nest),
        tiling_(tiling) {}

  [[nodiscard]] GroupOutline build(const TileCosts& costs) {
    add_operator(costs);
    for (const std::size_t t : order_of_transfers(group_))
      add_tensor(t);
    outline_.tiles = tiling_.cuts.empty() ? 1 : tiling_.cuts.front().tiles;
    outline_.inner_tiles = tiling_.steps / outline_.tiles;
    if (!tiling_.cuts.empty()) outline_.axis = std::string(loop_name(tiling_.cuts.front().loop));
    outline_.split = way_.split;
    outline_.way = way_;
    return std::move(outline_);
  }

 private:
  // ---- operator ----

  void add_operator(const TileCosts& costs) {
    OperatorRun run;
    run.op = {member_.op, way_.content};
    run.core = tiling_.cores.front();
    add_variants(run, 0, {}, 1);
    Stage stage;
    stage.tiles = tiling_.steps;
    stage.round = tiling_.cuts.size() == 2 ? tiling_.cuts[1].tiles : 1;
    stage.waits.push_back({0, -1});
    run.full = turns_.front().tile;
    run.last = turns_.back().tile;
    if (tiling_.cuts.size() == 2) {
      run.edge = tile_of(run, tiling_.cuts[0].count, tiling_.cuts[1].last);
      run.last_round = tile_of(run, tiling_.cuts[0].last, tiling_.cuts[1].count);
    }
    if (tiling_.cuts.size() > 2) run.turns = turns_;
    std::vector<std::int64_t> bounds;
    for (const TileVariant& variant : run.variants)
      bounds.push_back(static_cast<std::int64_t>(
          std::ceil(costs.least_cycles(*run.op.op, run.core, variant.counts))));
    for (const CoreId core : tiling_.cores)
      stage.uses.push_back({chip_.core_resource(core)});
    set_operator_cycles(chip_, stage, run, bounds);
    outline_.stages.push_back(std::move(stage));
    outline_.runs.push_back(std::move(run));
  }

  // The tile of two cuts.
  [[nodiscard]] SharedTile tile_of(const OperatorRun& run,
                                   std::int64_t outer,
                                   std::int64_t inner) const {
    const std::vector<LoopCount> counts = {{tiling_.cuts[0].loop, outer},
                                           {tiling_.cuts[1].loop, inner}};
    const CoreSplit split =
        core_split(*member_.op, counts, tiling_.axis(), way_.split, way_.cores.size());
    const std::vector<LoopCount> first = core_counts(counts, split, split.share);
    const auto at = std::ranges::find_if(turns_, [&](const RepeatedTile& turn) {
      return run.variants[turn.tile.first_core].counts == first;
    });
    CHECK(at != turns_.end(), "a tile of two cuts has no variant");
    return at->tile;
  }

  // Every combination of full and ragged cuts, each for the full and the ragged share of the cores.
  void add_variants(OperatorRun& run,
                    std::size_t cut,
                    std::vector<LoopCount> counts,
                    std::int64_t times) {
    if (cut < tiling_.cuts.size()) {
      const LoopCut& here = tiling_.cuts[cut];
      const bool ragged = here.last != here.count;
      std::vector<LoopCount> full = counts;
      full.push_back({here.loop, here.count});
      if (here.tiles - (ragged ? 1 : 0) > 0)
        add_variants(run, cut + 1, full, times * (here.tiles - (ragged ? 1 : 0)));
      if (!ragged) return;
      counts.push_back({here.loop, here.last});
      add_variants(run, cut + 1, std::move(counts), times);
      return;
    }
    const CoreSplit split =
        core_split(*member_.op, counts, tiling_.axis(), way_.split, way_.cores.size());
    const bool ragged = split.loop && split.last_share != split.share;
    const std::size_t first = run.variants.size();
    turns_.push_back({{first, first + (ragged ? 1 : 0)}, times});
    run.variants.push_back(
        {core_counts(counts, split, split.share), times * (split.cores - (ragged ? 1 : 0))});
    if (ragged) run.variants.push_back({core_counts(counts, split, split.last_share), times});
  }

  // ---- transfers ----

  void add_tensor(std::size_t t) {
    const GroupTensor& tensor = group_.tensors[t];
    const Access* read = find(member_.reads, t);
    const Access* write = find(member_.writes, t);
    if (tensor.fetch_bytes > 0 && read != nullptr)
      add_fetches({read, operand_of_read(*read), tensor.from}, tensor.fetch_bytes);
    else if (tensor.fetch_bytes > 0 && write != nullptr)
      add_fetches({write, operand_of_write(*write), tensor.from}, tensor.fetch_bytes);
    if (tensor.store_bytes > 0 && write != nullptr)
      add_stores({write, operand_of_write(*write), tensor.to}, tensor.store_bytes);
  }

  static const Access* find(const std::vector<MemberAccess>& accesses, std::size_t tensor) {
    for (const MemberAccess& access : accesses)
      if (access.tensor == tensor) return access.access;
    return nullptr;
  }

  // To or from off-chip memory, or a place on chip.
  struct Moved {
    const Access* access = nullptr;
    NestOperand operand = NestOperand::I;
    const HoldingPlace* place = nullptr;
  };

  [[nodiscard]] std::vector<Endpoint> ends(const Moved& moved, std::int64_t bytes) const {
    const std::int64_t all = touched_bytes(*moved.access, nest_, tiling_.tile, Halo::Included);
    const std::int64_t share =
        touched_bytes(*moved.access, nest_, tiling_.per_core, Halo::Included);
    std::vector<Endpoint> result;
    for (const CoreId core : tiling_.cores)
      result.push_back({core, moved.operand, all > 0 ? ceil_div(bytes * share, all) : bytes});
    return result;
  }

  [[nodiscard]] TransferCost fetch(const Moved& moved, std::int64_t bytes) const {
    return inward_cost(chip_, moved.place, bytes, ends(moved, bytes));
  }

  [[nodiscard]] TransferCost store(const Moved& moved, std::int64_t bytes) const {
    return outward_cost(chip_, moved.place, bytes, ends(moved, bytes));
  }

  // Transfers are only costed where sizes differ.
  template <class Move>
  [[nodiscard]] static RoundTransfers transfers(const VisitBytes& bytes, Move&& move) {
    RoundTransfers round;
    round.others = move(bytes.others);
    round.first = bytes.first == bytes.others ? round.others : move(bytes.first);
    round.last = bytes.last == bytes.others ? round.others : move(bytes.last);
    return round;
  }

  template <class Move>
  [[nodiscard]] static std::vector<StageUse> round_uses(const VisitBytes& first,
                                                        const VisitBytes& others,
                                                        const VisitBytes& last,
                                                        Move&& move) {
    const RoundTransfers rounds = transfers(others, move);
    const RoundTransfers last_round = last == others ? rounds : transfers(last, move);
    if (first == others) return stage_uses(rounds, rounds, last_round);
    return stage_uses(transfers(first, move), rounds, last_round);
  }

  void account(const Moved& moved,
               const TransferCost& cost,
               std::int64_t bytes,
               std::int64_t times) {
    add_energy(outline_.energy, cost, times);
    if (moved.place == nullptr) outline_.offchip_bytes += bytes * times;
  }

  [[nodiscard]] Stage& op() { return outline_.stages[0]; }

  void add_fetches(const Moved& moved, std::int64_t bytes) {
    const TensorVisits visits =
        tensor_visits(*moved.access, nest_, tiling_.cuts, bytes, Halo::Included);
    for (const Portion& portion : visits.portions)
      account(moved, fetch(moved, portion.bytes), portion.bytes, portion.times);
    if (visits.round > 1)
      add_rounds(moved, visits);
    else
      add_bursts(moved, visits);
  }

  // Every step another part.
  void add_rounds(const Moved& moved, const TensorVisits& visits) {
    Stage stage;
    stage.tiles = visits.count;
    stage.round = visits.round;
    stage.uses = round_uses(visits.first_round, visits.rounds, visits.last_round, [&](auto bytes) {
      return fetch(moved, bytes);
    });
    stage.rooms.push_back({0, 2});
    op().waits.push_back({outline_.stages.size(), 0});
    outline_.stages.push_back(std::move(stage));
  }

  // The first part at once. A part that is used for many steps comes in as many bursts while the
  // one before is in use.
  void add_bursts(const Moved& moved, const TensorVisits& visits) {
    Stage first;
    const TransferCost at_once = fetch(moved, visits.rounds.first);
    first.uses = stage_uses(at_once, at_once);
    op().waits.push_back({outline_.stages.size(), 0});
    outline_.stages.push_back(std::move(first));
    if (visits.count == 1) return;
    std::vector<StageUse> uses =
        stage_uses(fetch(moved, visits.rounds.others), fetch(moved, visits.rounds.last));
    const std::int64_t bursts = bursts_of(uses, visits.steps);
    const std::size_t index = outline_.stages.size();
    Stage stage;
    stage.tiles = (visits.count - 1) * bursts;
    stage.round = bursts;
    stage.level = visits.steps;
    stage.order_per = bursts;
    stage.order_times = visits.steps;
    for (const StageUse& use : uses)
      stage.uses.push_back(in_bursts(use, bursts));
    if (visits.steps > 1) stage.waits = {{index - 1, 0}, {index, -1}};
    stage.rooms.push_back({0, 1, bursts, visits.steps});
    op().waits.push_back({index, -1, visits.steps, bursts});
    outline_.stages.push_back(std::move(stage));
  }

  // One a step, or so many fewer, evenly, that none is without a cycle.
  static std::int64_t bursts_of(std::span<const StageUse> uses, std::int64_t steps) {
    std::int64_t bursts = steps;
    for (const StageUse& use : uses)
      for (const std::int64_t cycles : {use.cycles, use.last_cycles})
        if (cycles > 0) bursts = std::min(bursts, cycles);
    while (steps % bursts != 0)
      --bursts;
    return bursts;
  }

  static StageUse in_bursts(StageUse use, std::int64_t bursts) {
    const auto parts = [&](std::int64_t cycles) {
      const std::int64_t more = ceil_div(cycles, bursts);
      const std::int64_t part = more * (bursts - 1) <= cycles ? more : cycles / bursts;
      return RoundCycles{part, part, cycles - part * (bursts - 1)};
    };
    use.rounds = parts(use.cycles);
    use.last_round = parts(use.last_cycles);
    return use;
  }

  // Sums that are visited again leave and come back, wider than results.
  void add_stores(const Moved& moved, std::int64_t bytes) {
    const TensorVisits visits =
        tensor_visits(*moved.access, nest_, tiling_.cuts, bytes, Halo::Excluded);
    const bool returns = tiling_.partial && visits.passes > 1;
    for (const Portion& portion : visits.portions) {
      const std::int64_t last = returns ? portion.times / visits.passes : portion.times;
      account(moved, store(moved, portion.bytes), portion.bytes, last);
      if (!returns) continue;
      const std::int64_t wide = widened(portion.bytes);
      account(moved, store(moved, wide), wide, portion.times - last);
      account(moved, fetch(moved, wide), wide, portion.times - last);
    }
    const auto left = [&](const VisitBytes& sizes) { return returns ? widened(sizes) : sizes; };
    const auto move = [&](std::int64_t part) { return store(moved, part); };
    Stage stage;
    stage.tiles = visits.count;
    stage.round = visits.round;
    stage.level = visits.steps - 1;
    stage.order_times = visits.steps;
    VisitBytes items = left(visits.rounds);
    items.last = visits.rounds.last;
    stage.uses =
        visits.round > 1
            ? round_uses(left(visits.first_round), left(visits.rounds), visits.last_round, move)
            : stage_uses(transfers(items, move));
    stage.waits.push_back({0, visits.steps - 1, 1, visits.steps});
    const std::size_t index = outline_.stages.size();
    op().rooms.push_back({index, 2, visits.steps, 1});
    outline_.stages.push_back(std::move(stage));
    if (returns) add_returns(moved, visits, index);
  }

  // A part that comes back takes the buffer of the visit before the last.
  void add_returns(const Moved& moved, const TensorVisits& visits, std::size_t leaving) {
    Stage stage;
    stage.tiles = visits.count - visits.distance;
    stage.round = visits.round;
    stage.order_times = visits.steps;
    stage.level = visits.distance * visits.steps;
    const RoundTransfers rounds =
        transfers(widened(visits.rounds), [&](std::int64_t part) { return fetch(moved, part); });
    stage.uses = visits.round > 1 ? stage_uses(rounds, rounds, rounds)
                                  : stage_uses(rounds.others, rounds.last);
    stage.waits.push_back({leaving, visits.distance - 2});
    op().waits.push_back({outline_.stages.size(), -visits.distance, visits.steps, 1});
    outline_.stages.push_back(std::move(stage));
  }

  [[nodiscard]] std::int64_t widened(std::int64_t bytes) const {
    return widened_sums(bytes, tiling_.growth);
  }

  [[nodiscard]] VisitBytes widened(const VisitBytes& bytes) const {
    return {widened(bytes.first), widened(bytes.others), widened(bytes.last)};
  }

  const Chip& chip_;
  const GroupShape& group_;
  const SingleWay& way_;
  const GroupMember& member_;
  const LoopNest& nest_;
  const SingleTiling& tiling_;
  std::vector<RepeatedTile> turns_;  // every combination of full and ragged cuts
  GroupOutline outline_;
};

}  // namespace

std::optional<GroupOutline> single_outline(const Chip& chip,
                                           const TileCosts& costs,
                                           const GroupShape& group,
                                           const SingleWay& way) {
  const SingleTiling tiling = single_tiling(*group.members.front().op, way);
  if (!fits_on_chip(chip, group, tiling)) return std::nullopt;
  return SingleBuilder(chip, group, way, tiling).build(costs);
}

}  // namespace paretrain::evaluator
