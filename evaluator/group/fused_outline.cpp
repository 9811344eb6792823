#include "evaluator/group/fused_outline.h"

#include <algorithm>

#include "base/check.h"
#include "base/checked_math.h"
#include "evaluator/group/blocked_group.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/working_set.h"

namespace paretrain::evaluator {
namespace {

// Bytes of a tensor tile by tile: `full` each, `last` for the last.
struct TileBytes {
  std::int64_t full = 0;
  std::int64_t last = 0;
  std::int64_t tiles = 1;
};

TileBytes cut_bytes(std::int64_t total, std::int64_t tiles, std::int64_t part, std::int64_t whole) {
  TileBytes bytes{total, total, 1};
  if (tiles < 2 || whole <= 0) return bytes;
  bytes.tiles = tiles;
  bytes.full = std::min(ceil_div(total * part, whole), total / (tiles - 1));
  bytes.last = total - bytes.full * (tiles - 1);
  return bytes;
}

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
    put_in_order(outline_, places_);
    return std::move(outline_);
  }

 private:
  void add_operators() {
    for (std::size_t m = 0; m < group_.members.size(); ++m) {
      const MemberTiling& tiling = tiling_.members[m];
      Stage stage;
      stage.tiles = tiling.tiles;
      stage.level = tiling.level;
      OperatorRun run = operator_run(m);
      const auto bound = [&](std::size_t variant) {
        return ceil_cycles(costs_.least_cycles(*run.op.op, run.core, run.variants[variant].counts));
      };
      const std::int64_t full = bound(run.full);
      const std::int64_t last = bound(run.last);
      for (const CoreId core : tiling.cores)
        stage.uses.push_back({chip_.core_resource(core), full, last});
      add_stage(std::move(stage), place_of_operator(m));
      outline_.runs.push_back(std::move(run));
      outline_.tiles = std::max(outline_.tiles, tiling.tiles);
    }
  }

  static std::int64_t ceil_cycles(double cycles) {
    const auto whole = static_cast<std::int64_t>(cycles);
    return whole + (static_cast<double>(whole) < cycles ? 1 : 0);
  }

  [[nodiscard]] OperatorRun operator_run(std::size_t m) const {
    const MemberTiling& tiling = tiling_.members[m];
    OperatorRun run;
    run.op = {group_.members[m].whole, way_.contents[m]};
    run.core = tiling.cores.front();
    run.stage = m;
    add_variants(run, tiling.rows, tiling.tiles - 1, m);
    run.last = run.variants.size();
    add_variants(run, tiling.last_rows, 1, m);
    if (tiling.tiles == 1) run.full = run.last;
    run.repeat = tiling.slices;
    for (TileVariant& variant : run.variants) {
      variant.counts = counts_of_whole(group_.members[m], std::move(variant.counts));
      variant.times *= group_.blocks;
    }
    return run;
  }

  // The tile of every core but the last, and that of the last when it differs.
  void add_variants(OperatorRun& run, std::int64_t rows, std::int64_t times, std::size_t m) const {
    if (times == 0) return;
    const std::vector<LoopCount> tile = {{tiling_.members[m].axis, rows}};
    const CoreSplit split = core_split(
        *group_.members[m].op, tile, tiling_.members[m].axis, way_.split, way_.cores[m].size());
    const bool ragged = split.loop && split.last_share != split.share;
    add_slices(
        run, core_counts(tile, split, split.share), times * (split.cores - (ragged ? 1 : 0)), m);
    if (ragged) add_slices(run, core_counts(tile, split, split.last_share), times, m);
  }

  // The slices of one core's tile; the last one is ragged.
  // Model: in time all slices count as full ones.
  void add_slices(OperatorRun& run,
                  std::vector<LoopCount> counts,
                  std::int64_t times,
                  std::size_t m) const {
    const auto& slice = tiling_.members[m].slice;
    if (!slice) {
      run.variants.push_back({std::move(counts), times});
      return;
    }
    const std::int64_t whole = count_of(group_.members[m].op->nest, counts, slice->loop);
    const std::int64_t count = std::min(whole, slice->count);
    const std::int64_t full = whole / count;
    std::vector<LoopCount> ragged = counts;
    counts.push_back({slice->loop, count});
    run.variants.push_back({std::move(counts), times * full});
    if (whole % count == 0) return;
    ragged.push_back({slice->loop, whole % count});
    run.variants.push_back({std::move(ragged), times});
  }

  // ---- between members ----

  void add_edge(const InnerEdge& edge) {
    const MemberTiling& from = tiling_.members[edge.from];
    const MemberTiling& to = tiling_.members[edge.to];
    if (!edge.moves) {
      outline_.stages[edge.to].waits.push_back({edge.from, edge.lag});
      if (to.level > from.level || !edge.same_cores)
        outline_.stages[edge.from].rooms.push_back(
            {edge.to, std::max(tiling_.buffers, to.level - from.level + 1)});
      return;
    }
    Stage stage;
    stage.tiles = from.tiles;
    stage.level = from.level;
    stage.waits.push_back({edge.from, 0});
    stage.rooms.push_back({edge.to, std::max(tiling_.buffers, to.level - from.level + 1)});
    const TransferCost full = move_cost(edge, from.rows);
    const TransferCost last = move_cost(edge, from.last_rows);
    stage.uses = stage_uses(full, last);
    add_energy(outline_.energy, full, (from.tiles - 1) * group_.blocks);
    add_energy(outline_.energy, last, group_.blocks);
    const std::size_t index = add_stage(std::move(stage), place_of_move(edge));
    outline_.stages[edge.to].waits.push_back({index, edge.lag});
    outline_.stages[edge.from].rooms.push_back({index, tiling_.buffers});
  }

  [[nodiscard]] TransferCost move_cost(const InnerEdge& edge, std::int64_t rows) const {
    const MemberTiling& from = tiling_.members[edge.from];
    const LoopNest& maker = group_.members[edge.from].op->nest;
    const std::vector<LoopCount> tile = {{from.axis, rows}};
    const std::int64_t all = touched_bytes(*edge.made, maker, tile, Halo::Excluded);
    return handover_cost(chip_,
                         edge.halo_bytes > 0 ? halo_pairs(edge, all) : whole_pairs(edge, all));
  }

  // Each core takes the halo of its rows from the next one.
  [[nodiscard]] std::vector<Handover> halo_pairs(const InnerEdge& edge, std::int64_t all) const {
    const MemberTiling& to = tiling_.members[edge.to];
    std::vector<Handover> pairs;
    const std::int64_t bytes = std::min(all, edge.halo_bytes);
    for (std::size_t c = 1; c < to.cores.size(); ++c)
      pairs.push_back({{to.cores[c], operand_of_write(*edge.made), bytes},
                       {to.cores[c - 1], operand_of_read(*edge.used), bytes}});
    return pairs;
  }

  // Every reading core takes its part from every core that made some of it.
  [[nodiscard]] std::vector<Handover> whole_pairs(const InnerEdge& edge, std::int64_t all) const {
    const MemberTiling& from = tiling_.members[edge.from];
    const MemberTiling& to = tiling_.members[edge.to];
    const auto makers = static_cast<std::int64_t>(from.cores.size());
    const std::int64_t part = ceil_div(all, makers);
    const std::int64_t needed = ceil_div(all, shares_of_reader(edge));
    std::vector<Handover> pairs;
    for (const CoreId sender : from.cores)
      for (const CoreId receiver : to.cores) {
        const Endpoint source{sender, operand_of_write(*edge.made), part};
        const Endpoint sink{receiver, operand_of_read(*edge.used), ceil_div(needed, makers)};
        if (!is_one_memory(source, sink)) pairs.push_back({source, sink});
      }
    return pairs;
  }

  // In how many parts the reading cores share the tensor; 1 when each needs all of it.
  [[nodiscard]] std::int64_t shares_of_reader(const InnerEdge& edge) const {
    const MemberTiling& to = tiling_.members[edge.to];
    if (!to.split.loop) return 1;
    const bool parted =
        slide(*edge.used, group_.members[edge.to].op->nest, *to.split.loop).has_value();
    return parted ? static_cast<std::int64_t>(to.cores.size()) : 1;
  }

  [[nodiscard]] bool is_one_memory(const Endpoint& a, const Endpoint& b) const {
    const auto node = [&](const Endpoint& end) {
      return chip_.core(end.core).memories[static_cast<std::size_t>(end.operand)].node;
    };
    return a.core == b.core || node(a) == node(b);
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

  [[nodiscard]] TileBytes tile_bytes(const Use& use, std::int64_t total) const {
    const MemberTiling& tiling = tiling_.members[use.member];
    const auto along = slide(*use.access, group_.members[use.member].op->nest, tiling.axis);
    if (!along) return {total, total, 1};
    return cut_bytes(total, tiling.tiles, along->advance(tiling.rows), along->extent);
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
    const TileBytes bytes = tiled ? tile_bytes(uses.front(), total) : TileBytes{total, total, 1};
    const HoldingPlace* from = group_.tensors[t].from;
    const TransferCost full = inward_cost(chip_, from, bytes.full, endpoints(uses, bytes.full));
    const TransferCost last = inward_cost(chip_, from, bytes.last, endpoints(uses, bytes.last));
    Stage stage;
    stage.tiles = bytes.tiles;
    stage.uses = stage_uses(full, last);
    stage.level = first_level(uses) - 1;
    // What no cut parts is fetched once and stays.
    const bool stays = !tiled && !group_.tensors[t].parted;
    if (stays) stage.occurrence = Occurrence::FirstBlock;
    const std::size_t index = outline_.stages.size();
    for (const Use& use : uses) {
      Stage& reader = outline_.stages[use.member];
      reader.waits.push_back({index, 0});
      if (bytes.tiles > 1) stage.rooms.push_back({use.member, reader.level - stage.level + 1});
    }
    add_stage(std::move(stage), kFetches);
    account(from, full, last, bytes, stays ? 1 : group_.blocks);
  }

  [[nodiscard]] std::int64_t first_level(const std::vector<Use>& uses) const {
    std::int64_t level = tiling_.members[uses.front().member].level;
    for (const Use& use : uses)
      level = std::min(level, tiling_.members[use.member].level);
    return level;
  }

  // Model: what is fetched again with every tile comes slice by slice: the first slice ahead of the
  // operator, the others while it runs, on their media together with it.
  void stream(const std::vector<Use>& uses, std::size_t t) {
    const std::size_t m = uses.front().member;
    const std::int64_t total = group_.tensors[t].fetch_bytes;
    const HoldingPlace* from = group_.tensors[t].from;
    const std::int64_t first = ceil_div(total, tiling_.members[m].slices);
    const TransferCost ahead = inward_cost(chip_, from, first, endpoints(uses, first));
    const TransferCost along =
        inward_cost(chip_, from, total - first, endpoints(uses, total - first));
    Stage stage;
    stage.tiles = outline_.stages[m].tiles;
    stage.level = tiling_.members[m].level - 1;
    stage.uses = stage_uses(ahead, ahead);
    stage.rooms.push_back({m, 2});
    const std::size_t index = add_stage(std::move(stage), kFetches);
    Stage& op = outline_.stages[m];
    op.waits.push_back({index, 0});
    for (const ResourceCycles& taken : along.uses) {
      const auto same = std::ranges::find(op.uses, taken.resource, &StageUse::resource);
      if (same == op.uses.end()) {
        op.uses.push_back({taken.resource, taken.cycles, taken.cycles});
      } else {
        same->cycles += taken.cycles;
        same->last_cycles += taken.cycles;
      }
    }
    add_energy(outline_.energy, ahead, op.tiles * group_.blocks);
    add_energy(outline_.energy, along, op.tiles * group_.blocks);
    if (from == nullptr) outline_.offchip_bytes += total * op.tiles * group_.blocks;
    outline_.inner_tiles = std::max(outline_.inner_tiles, tiling_.members[m].slices);
  }

  void account(const HoldingPlace* place,
               const TransferCost& full,
               const TransferCost& last,
               const TileBytes& bytes,
               std::int64_t blocks) {
    add_energy(outline_.energy, full, (bytes.tiles - 1) * blocks);
    add_energy(outline_.energy, last, blocks);
    if (place == nullptr)
      outline_.offchip_bytes += (bytes.full * (bytes.tiles - 1) + bytes.last) * blocks;
  }

  void add_store(std::size_t t) {
    const std::size_t maker = group_.tensors[t].makers.back();
    const MemberTiling& tiling = tiling_.members[maker];
    Use use{maker, nullptr, NestOperand::O};
    for (const MemberAccess& write : group_.members[maker].writes)
      if (write.tensor == t) use = {maker, write.access, operand_of_write(*write.access)};
    const TileBytes bytes = tile_bytes(use, group_.tensors[t].store_bytes);
    const HoldingPlace* to = group_.tensors[t].to;
    const TransferCost full = outward_cost(chip_, to, bytes.full, endpoints({use}, bytes.full));
    const TransferCost last = outward_cost(chip_, to, bytes.last, endpoints({use}, bytes.last));
    Stage stage;
    stage.tiles = bytes.tiles;
    stage.uses = stage_uses(full, last);
    const bool at_end = bytes.tiles == 1;
    const std::int64_t lag = at_end ? tiling.tiles - 1 : 0;
    stage.level = tiling.level + 1 + lag;
    stage.waits.push_back({maker, lag});
    if (!at_end) outline_.stages[maker].rooms.push_back({outline_.stages.size(), 2});
    // Sums over blocks leave with the last one.
    const bool stays = !group_.tensors[t].parted;
    if (stays) stage.occurrence = Occurrence::LastBlock;
    add_stage(std::move(stage), kStores);
    account(to, full, last, bytes, stays ? 1 : group_.blocks);
  }

  // ---- order within a step: fetches and stores of other tiles first, then members in turn, each
  // followed by what it hands over ----

  static constexpr std::size_t kFetches = 0;
  static constexpr std::size_t kStores = 1;

  static std::size_t place_of_operator(std::size_t m) { return 2 + 2 * m; }

  static std::size_t place_of_move(const InnerEdge& edge) { return 3 + 2 * edge.from; }

  std::size_t add_stage(Stage stage, std::size_t place) {
    outline_.stages.push_back(std::move(stage));
    places_.push_back(place);
    return places_.size() - 1;
  }

  const Chip& chip_;
  const TileCosts& costs_;
  const GroupShape& group_;
  const FusedWay& way_;
  const TiledGroup& tiling_;
  std::vector<bool> streamed_;
  std::vector<std::size_t> places_;
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
