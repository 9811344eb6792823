#include "evaluator/group/fused_outline.h"

#include <algorithm>

#include "base/checked_math.h"
#include "evaluator/group/fused_runs.h"
#include "evaluator/group/inner_moves.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/portions.h"
#include "evaluator/group/working_set.h"

namespace paretrain::evaluator {
namespace {

class FusedBuilder {
 public:
  FusedBuilder(const Chip& chip,
               const TileCosts& costs,
               const GroupShape& group,
               const FusedWay& way,
               const TiledGroup& tiling,
               std::vector<bool> streamed)
      : chip_(chip),
        costs_(costs),
        group_(group),
        way_(way),
        tiling_(tiling),
        streamed_(std::move(streamed)) {}

  [[nodiscard]] GroupOutline build() {
    add_operators();
    for (const InnerEdge& edge : tiling_.edges)
      add_edge(edge);
    const std::vector<std::size_t> order = order_of_transfers(group_);
    for (const std::size_t t : order)
      if (group_.tensors[t].fetch_bytes > 0) add_fetch(t);
    for (const std::size_t t : order)
      if (group_.tensors[t].store_bytes > 0) add_store(t);
    outline_.split = way_.split;
    DecidedFusedWay decided{way_, {}, streamed_};
    for (const MemberTiling& member : tiling_.members)
      decided.slices.push_back(member.slice);
    outline_.way = std::move(decided);
    for (const BlockCut& cut : way_.blocks)
      outline_.axis += std::string(loop_name(cut.axis.loops.front())) + ", ";
    outline_.axis += loop_name(way_.axis.loops.front());
    outline_.blocks = group_.blocks;
    outline_.tiles *= group_.blocks;
    return std::move(outline_);
  }

 private:
  void add_operators() {
    for (std::size_t m = 0; m < group_.members.size(); ++m) {
      const MemberTiling& tiling = tiling_.members[m];
      Stage stage = stage_of(m, tiling.level);
      stage.waits.push_back({m, -1});
      const OperatorRun run = fused_run(group_, way_, tiling_, m);
      for (const CoreId core : tiling.cores)
        stage.uses.push_back({chip_.core_resource(core)});
      std::vector<std::int64_t> bounds;
      for (const TileVariant& variant : run.variants)
        bounds.push_back(ceil_cycles(costs_.least_cycles(*run.op.op, run.core, variant.counts)));
      set_operator_cycles(chip_, stage, run, bounds);
      outline_.stages.push_back(std::move(stage));
      outline_.runs.push_back(run);
      outline_.tiles = std::max(outline_.tiles, tiling.tiles);
    }
  }

  // Something done with every slice of a member's tiles.
  [[nodiscard]] Stage stage_of(std::size_t m, std::int64_t level) const {
    const MemberTiling& tiling = tiling_.members[m];
    Stage stage;
    stage.tiles = tiling.tiles * tiling.slices;
    stage.round = tiling.slices;
    stage.order_per = tiling.slices;
    stage.level = level;
    return stage;
  }

  static std::int64_t ceil_cycles(double cycles) {
    const auto whole = static_cast<std::int64_t>(cycles);
    return whole + (static_cast<double>(whole) < cycles ? 1 : 0);
  }

  // ---- between members ----

  // A tile of a stage of `items` a tile waits for one of a stage that has `others` a tile.
  [[nodiscard]] static StageWait wait_for(std::size_t stage,
                                          const TilePace& pace,
                                          std::int64_t items,
                                          std::int64_t others) {
    return {stage, others - 1, items, others, pace};
  }

  // Tile t waits for tile t + lag.
  [[nodiscard]] static StageWait wait_for(std::size_t stage,
                                          std::int64_t lag,
                                          std::int64_t items,
                                          std::int64_t others) {
    return {stage, lag * others + others - 1, items, others};
  }

  [[nodiscard]] StageRoom room_in(std::size_t stage,
                                  std::int64_t slots,
                                  std::int64_t items,
                                  std::int64_t others) const {
    return {stage, slots * others - (others - 1), items, others};
  }

  void add_edge(const InnerEdge& edge) {
    const MemberTiling& from = tiling_.members[edge.from];
    const MemberTiling& to = tiling_.members[edge.to];
    const std::int64_t slots = std::max(tiling_.buffers, to.level - from.level + 1);
    Stage& maker = outline_.stages[edge.from];
    Stage& reader = outline_.stages[edge.to];
    if (!edge.moves) {
      reader.waits.push_back(wait_for(edge.from, edge.pace, to.slices, from.slices));
      if (to.level > from.level || !edge.same_cores)
        maker.rooms.push_back(room_in(edge.to, slots, from.slices, to.slices));
      return;
    }
    const ItemBytes bytes = portioned(
        edge.made->bytes.number(), from.tiles, from.rows, axis_size(edge.from), Rounding::Down);
    Stage stage;
    stage.tiles = from.tiles;
    stage.level = from.level;
    stage.waits.push_back(wait_for(edge.from, 0, 1, from.slices));
    stage.rooms.push_back(room_in(edge.to, slots, 1, to.slices));
    stage.uses = stage_uses(move(edge, bytes.full), move(edge, bytes.last));
    for (const Portion& portion : bytes.portions)
      add_energy(outline_.energy, move(edge, portion.bytes), portion.times * group_.blocks);
    const std::size_t index = outline_.stages.size();
    reader.waits.push_back(wait_for(index, edge.pace, to.slices, 1));
    maker.rooms.push_back(room_in(index, tiling_.buffers, from.slices, 1));
    outline_.stages.push_back(std::move(stage));
  }

  [[nodiscard]] std::int64_t axis_size(std::size_t m) const {
    return group_.members[m].op->nest.size(tiling_.members[m].axis);
  }

  [[nodiscard]] TransferCost move(const InnerEdge& edge, std::int64_t bytes) const {
    return inner_move(chip_, group_, tiling_, edge, bytes);
  }

  // ---- off-chip ----

  struct Use {
    std::size_t member = 0;
    const Access* access = nullptr;
    NestOperand operand = NestOperand::I;
  };

  [[nodiscard]] std::vector<Use> fetch_uses(std::size_t t) const {
    std::vector<Use> uses;
    std::vector<Use> results;
    for (std::size_t m = 0; m < group_.members.size(); ++m) {
      for (const MemberAccess& read : group_.members[m].reads)
        if (read.tensor == t) uses.push_back({m, read.access, operand_of_read(*read.access)});
      for (const MemberAccess& write : group_.members[m].writes)
        if (write.tensor == t)
          (write.access->accumulates ? uses : results)
              .push_back({m, write.access, operand_of_write(*write.access)});
    }
    return uses.empty() ? results : uses;
  }

  [[nodiscard]] ItemBytes tile_bytes(const Use& use, std::int64_t total) const {
    const MemberTiling& tiling = tiling_.members[use.member];
    const auto along = slide(*use.access, group_.members[use.member].op->nest, tiling.axis);
    if (!along) return undivided(total);
    return portioned(total, tiling.tiles, along->step * tiling.rows, along->extent, Rounding::Up);
  }

  // What each core of the users takes of `bytes`.
  [[nodiscard]] std::vector<Endpoint> endpoints(const std::vector<Use>& uses,
                                                std::int64_t bytes) const {
    std::vector<Endpoint> ends;
    for (const Use& use : uses) {
      const MemberTiling& tiling = tiling_.members[use.member];
      const LoopNest& nest = group_.members[use.member].op->nest;
      const std::int64_t tile = touched_bytes(*use.access, nest, tiling.tile, Halo::Included);
      const std::int64_t share = touched_bytes(*use.access, nest, tiling.per_core, Halo::Included);
      const std::int64_t part = tile > 0 ? ceil_div(bytes * share, tile) : bytes;
      for (const CoreId core : tiling.cores)
        ends.push_back({core, use.operand, part});
    }
    return ends;
  }

  void add_fetch(std::size_t t) {
    const std::vector<Use> uses = fetch_uses(t);
    if (uses.empty()) return;
    const std::int64_t total = group_.tensors[t].fetch_bytes;
    if (streamed_[t]) {
      stream(uses, t);
      return;
    }
    const bool tiled = is_tiled(group_, tiling_, t);
    const ItemBytes bytes = tiled ? tile_bytes(uses.front(), total) : undivided(total);
    Stage stage;
    stage.tiles = bytes.items;
    stage.uses = stage_uses(fetch(t, uses, bytes.full), fetch(t, uses, bytes.last));
    stage.level = first_level(uses) - 1;
    // What no cut parts is fetched once and stays.
    const bool stays = !tiled && !group_.tensors[t].parted;
    if (stays) stage.occurrence = Occurrence::FirstBlock;
    const std::size_t index = outline_.stages.size();
    for (const Use& use : uses) {
      Stage& reader = outline_.stages[use.member];
      const std::int64_t slices = tiling_.members[use.member].slices;
      reader.waits.push_back(wait_for(index, 0, slices, 1));
      if (bytes.items > 1)
        stage.rooms.push_back(room_in(use.member, reader.level - stage.level + 1, 1, slices));
    }
    outline_.stages.push_back(std::move(stage));
    for (const Portion& portion : bytes.portions)
      account(group_.tensors[t].from,
              fetch(t, uses, portion.bytes),
              portion,
              stays ? 1 : group_.blocks);
  }

  [[nodiscard]] TransferCost fetch(std::size_t t,
                                   const std::vector<Use>& uses,
                                   std::int64_t bytes) const {
    return inward_cost(chip_, group_.tensors[t].from, bytes, endpoints(uses, bytes));
  }

  [[nodiscard]] std::int64_t first_level(const std::vector<Use>& uses) const {
    std::int64_t level = tiling_.members[uses.front().member].level;
    for (const Use& use : uses)
      level = std::min(level, tiling_.members[use.member].level);
    return level;
  }

  // What is fetched again with every tile comes slice by slice, ahead of the slices that read it.
  void stream(const std::vector<Use>& uses, std::size_t t) {
    const std::size_t m = uses.front().member;
    const MemberTiling& tiling = tiling_.members[m];
    const ItemBytes bytes =
        portioned(group_.tensors[t].fetch_bytes, tiling.slices, 1, tiling.slices, Rounding::Down);
    const TransferCost full = fetch(t, uses, bytes.full);
    const TransferCost last = fetch(t, uses, bytes.last);
    Stage stage = stage_of(m, tiling.level - 1);
    const RoundTransfers round{full, full, last};
    stage.uses = tiling.slices > 1 ? stage_uses(round, round, round) : stage_uses(full, last);
    stage.rooms.push_back({m, 2});
    outline_.stages[m].waits.push_back({outline_.stages.size(), 0});
    outline_.stages.push_back(std::move(stage));
    for (const Portion& portion : bytes.portions)
      account(group_.tensors[t].from,
              fetch(t, uses, portion.bytes),
              portion,
              tiling.tiles * group_.blocks);
    outline_.inner_tiles = std::max(outline_.inner_tiles, tiling.slices);
  }

  void account(const HoldingPlace* place,
               const TransferCost& cost,
               const Portion& portion,
               std::int64_t repetitions) {
    add_energy(outline_.energy, cost, portion.times * repetitions);
    if (place == nullptr) outline_.offchip_bytes += portion.bytes * portion.times * repetitions;
  }

  void add_store(std::size_t t) {
    const std::size_t maker = group_.tensors[t].makers.back();
    const MemberTiling& tiling = tiling_.members[maker];
    Use use{maker, nullptr, NestOperand::O};
    for (const MemberAccess& write : group_.members[maker].writes)
      if (write.tensor == t) use = {maker, write.access, operand_of_write(*write.access)};
    const ItemBytes bytes = tile_bytes(use, group_.tensors[t].store_bytes);
    const HoldingPlace* to = group_.tensors[t].to;
    const auto store = [&](std::int64_t part) {
      return outward_cost(chip_, to, part, endpoints({use}, part));
    };
    Stage stage;
    stage.tiles = bytes.items;
    stage.uses = stage_uses(store(bytes.full), store(bytes.last));
    const bool at_end = bytes.items == 1;
    const std::int64_t lag = at_end ? tiling.tiles - 1 : 0;
    stage.level = tiling.level + 1 + lag;
    stage.waits.push_back(wait_for(maker, lag, 1, tiling.slices));
    if (!at_end)
      outline_.stages[maker].rooms.push_back(room_in(outline_.stages.size(), 2, tiling.slices, 1));
    // Sums over blocks leave with the last one.
    const bool stays = !group_.tensors[t].parted;
    if (stays) stage.occurrence = Occurrence::LastBlock;
    outline_.stages.push_back(std::move(stage));
    for (const Portion& portion : bytes.portions)
      account(to, store(portion.bytes), portion, stays ? 1 : group_.blocks);
  }

  const Chip& chip_;
  const TileCosts& costs_;
  const GroupShape& group_;
  const FusedWay& way_;
  const TiledGroup& tiling_;
  std::vector<bool> streamed_;
  GroupOutline outline_;
};

}  // namespace

std::optional<GroupOutline> fused_outline(const Chip& chip,
                                          const TileCosts& costs,
                                          const GroupShape& group,
                                          const FusedWay& way) {
  TiledGroup tiling = tiled_group(chip, group, way);
  std::vector<bool> streamed = sliced_to_fit(chip, group, way.streaming, tiling);
  if (streamed.empty()) return std::nullopt;
  return FusedBuilder(chip, costs, group, way, tiling, std::move(streamed)).build();
}

}  // namespace paretrain::evaluator
