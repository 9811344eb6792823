#include "evaluator/group/simulated_fusion.h"

#include <algorithm>
#include <utility>

#include "base/checked_math.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/simulated_members.h"
#include "evaluator/group/simulated_tasks.h"
#include "evaluator/group/working_set.h"

namespace paretrain::evaluator {
namespace {

class FusionPlayer {
 public:
  FusionPlayer(const Chip& chip,
               TileCosts& costs,
               const GroupShape& group,
               const DecidedFusedWay& decided,
               const PlayedBlock& block)
      : chip_(chip),
        costs_(costs),
        group_(group),
        decided_(decided),
        block_(block),
        tiling_(tiled_group(chip, group, decided.way)) {}

  [[nodiscard]] std::optional<GroupSimulation> run() {
    auto members = simulated_members(chip_, costs_, group_, decided_, tiling_, tasks_);
    if (!members) return std::nullopt;
    members_ = std::move(*members);
    for (const InnerEdge& edge : tiling_.edges)
      add_edge(edge);
    const std::vector<std::size_t> order = order_of_transfers(group_);
    for (const std::size_t t : order)
      add_fetches(t);
    for (const std::size_t t : order)
      add_stores(t);
    return tasks_.played(chip_.resource_names().size());
  }

 private:
  [[nodiscard]] const MemberTiling& tiling(std::size_t m) const { return tiling_.members[m]; }

  [[nodiscard]] const LoopNest& nest(std::size_t m) const { return group_.members[m].op->nest; }

  [[nodiscard]] std::optional<Sweep> sweep(std::size_t m, const Access& access) const {
    return sweep_of(access, nest(m), tiling(m));
  }

  // `later` waits for `earlier` of the tile, if there is one that early.
  void reuse(std::size_t later, const std::vector<std::size_t>& earlier, std::int64_t tile) {
    if (tile < 0 || earlier.empty()) return;
    tasks_.wait(later,
                earlier[static_cast<std::size_t>(
                    std::min<std::int64_t>(tile, static_cast<std::int64_t>(earlier.size()) - 1))]);
  }

  [[nodiscard]] std::vector<std::size_t> ends_of(std::size_t m) const { return members_[m].ends(); }

  // ---- between members ----

  void add_edge(const InnerEdge& edge) {
    const auto made = sweep(edge.from, *edge.made);
    const auto used = sweep(edge.to, *edge.used);
    const std::int64_t behind = tiling(edge.to).level - tiling(edge.from).level;
    const std::int64_t slots = std::max(tiling_.buffers, behind + 1);
    std::vector<std::size_t> arrivals = ends_of(edge.from);
    if (edge.moves) {
      arrivals = add_moves(edge, made);
      for (std::size_t t = 0; t < arrivals.size(); ++t)
        for (const std::size_t medium : media_[t])
          reuse(medium, ends_of(edge.to), static_cast<std::int64_t>(t) - slots);
    } else if (behind > 0 || !edge.same_cores) {
      for (std::size_t t = 0; t < members_[edge.from].tiles.size(); ++t)
        reuse(members_[edge.from].tiles[t].first,
              ends_of(edge.to),
              static_cast<std::int64_t>(t) - slots);
    }
    std::size_t at = 0;
    for (std::size_t t = 0; t < members_[edge.to].tiles.size(); ++t) {
      const auto tile = static_cast<std::int64_t>(t);
      while (made && used && at + 1 < arrivals.size() &&
             made->made_until(static_cast<std::int64_t>(at)) < used->read_until(tile))
        ++at;
      if (!made || !used) at = std::min(t, arrivals.size() - 1);
      tasks_.wait(members_[edge.to].tiles[t].first, arrivals[at]);
    }
  }

  // Each medium of a hand-over is a transfer of its own; the task returned ends with the last.
  std::size_t add_media(std::size_t from, std::int64_t tile, const TransferCost& cost) {
    const std::string name = "move " + std::to_string(tile);
    const std::int64_t order = tiling(from).level + tile;
    SimulatedTask arrival{name, {}, {}, order};
    for (const ResourceCycles& use : cost.uses) {
      SimulatedTask task{name, {use}, {}, order};
      task.waits.push_back(members_[from].tiles[static_cast<std::size_t>(tile)].last);
      arrival.waits.push_back(tasks_.add(std::move(task)));
    }
    media_.push_back(arrival.waits);
    arrival.waits.push_back(members_[from].tiles[static_cast<std::size_t>(tile)].last);
    return tasks_.add(std::move(arrival));
  }

  std::vector<std::size_t> add_moves(const InnerEdge& edge, const std::optional<Sweep>& made) {
    std::vector<std::size_t> moves;
    media_.clear();
    const std::int64_t bytes = edge.made->bytes.number();
    const auto tiles = static_cast<std::int64_t>(members_[edge.from].tiles.size());
    std::int64_t before = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      std::int64_t until = bytes;
      if (made && tile + 1 < tiles) until = bytes * ((tile + 1) * made->rows) / made->size;
      const TransferCost cost = handover_cost(chip_, pairs(edge, until - before));
      before = until;
      tasks_.account(cost);
      moves.push_back(add_media(edge.from, tile, cost));
      reuse(members_[edge.from].tiles[static_cast<std::size_t>(tile)].first,
            moves,
            tile - tiling_.buffers >= 0 ? tile - tiling_.buffers : -1);
    }
    return moves;
  }

  [[nodiscard]] std::vector<Handover> pairs(const InnerEdge& edge, std::int64_t bytes) const {
    const MemberTiling& from = tiling(edge.from);
    const MemberTiling& to = tiling(edge.to);
    const NestOperand source = operand_of_write(*edge.made);
    const NestOperand sink = operand_of_read(*edge.used);
    std::vector<Handover> result;
    if (edge.halo_bytes > 0) {
      for (std::size_t c = 1; c < to.cores.size(); ++c)
        result.push_back({{to.cores[c], source, std::min(bytes, edge.halo_bytes)},
                          {to.cores[c - 1], sink, std::min(bytes, edge.halo_bytes)}});
      return result;
    }
    const auto senders = static_cast<std::int64_t>(from.cores.size());
    const bool parted =
        to.split.loop && slide(*edge.used, nest(edge.to), *to.split.loop).has_value();
    const std::int64_t needed =
        parted ? ceil_div(bytes, static_cast<std::int64_t>(to.cores.size())) : bytes;
    const auto node = [&](CoreId core, NestOperand operand) {
      return chip_.core(core).memories[static_cast<std::size_t>(operand)].node;
    };
    for (const CoreId a : from.cores)
      for (const CoreId b : to.cores)
        if (a != b && node(a, source) != node(b, sink))
          result.push_back(
              {{a, source, ceil_div(bytes, senders)}, {b, sink, ceil_div(needed, senders)}});
    return result;
  }

  // ---- off-chip ----

  struct Use {
    std::size_t member = 0;
    const Access* access = nullptr;
    NestOperand operand = NestOperand::I;
  };

  [[nodiscard]] std::vector<Use> users(std::size_t t) const {
    std::vector<Use> readers;
    std::vector<Use> adders;
    std::vector<Use> makers;
    for (std::size_t m = 0; m < group_.members.size(); ++m) {
      for (const MemberAccess& read : group_.members[m].reads)
        if (read.tensor == t) readers.push_back({m, read.access, operand_of_read(*read.access)});
      for (const MemberAccess& write : group_.members[m].writes)
        if (write.tensor == t)
          (write.access->accumulates ? readers : makers)
              .push_back({m, write.access, operand_of_write(*write.access)});
    }
    return readers.empty() ? makers : readers;
  }

  [[nodiscard]] std::vector<Endpoint> ends(const std::vector<Use>& uses, std::int64_t bytes) const {
    std::vector<Endpoint> result;
    for (const Use& use : uses) {
      const MemberTiling& member = tiling(use.member);
      const std::int64_t tile =
          touched_bytes(*use.access, nest(use.member), member.tile, Halo::Included);
      const std::int64_t share =
          touched_bytes(*use.access, nest(use.member), member.per_core, Halo::Included);
      for (const CoreId core : member.cores)
        result.push_back({core, use.operand, tile > 0 ? ceil_div(bytes * share, tile) : bytes});
    }
    return result;
  }

  std::size_t add_fetch(std::size_t t,
                        const std::vector<Use>& uses,
                        std::int64_t bytes,
                        std::int64_t tile) {
    const HoldingPlace* from = group_.tensors[t].from;
    const TransferCost cost = inward_cost(chip_, from, bytes, ends(uses, bytes));
    tasks_.account(cost);
    if (from == nullptr) tasks_.account_bytes(bytes);
    // Before the member that needs it first, as a program would order its transfers.
    std::int64_t level = tiling(uses.front().member).level;
    for (const Use& use : uses)
      level = std::min(level, tiling(use.member).level);
    return tasks_.add({"fetch " + std::to_string(tile), cost.uses, {}, level - 1 + tile});
  }

  void add_fetches(std::size_t t) {
    const std::int64_t total = group_.tensors[t].fetch_bytes;
    const std::vector<Use> uses = users(t);
    if (total == 0 || uses.empty()) return;
    const bool stays =
        !decided_.streamed[t] && !group_.tensors[t].parted && !is_tiled(group_, tiling_, t);
    if (stays && !block_.first) return;
    if (decided_.streamed[t]) {
      add_slices(t, uses);
      return;
    }
    const auto first = is_tiled(group_, tiling_, t)
                           ? sweep(uses.front().member, *uses.front().access)
                           : std::nullopt;
    std::vector<std::size_t> fetches;
    const std::int64_t tiles = first ? tiling(uses.front().member).tiles : 1;
    std::int64_t before = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      std::int64_t until = total;
      if (tile + 1 < tiles)
        until = std::min(
            total,
            ceil_div(total * first->slide.step * (tile + 1) * first->rows, first->slide.extent));
      fetches.push_back(add_fetch(t, uses, until - before, tile));
      before = until;
    }
    for (const Use& use : uses)
      wire_fetch(use, uses, fetches, first);
  }

  void wire_fetch(const Use& use,
                  const std::vector<Use>& uses,
                  const std::vector<std::size_t>& fetches,
                  const std::optional<Sweep>& first) {
    std::int64_t level = tiling(use.member).level;
    for (const Use& other : uses)
      level = std::min(level, tiling(other.member).level);
    const std::int64_t slots = tiling(use.member).level - level + 2;
    for (std::size_t t = 0; t < members_[use.member].tiles.size(); ++t) {
      const std::size_t needed = std::min(t, fetches.size() - 1);
      tasks_.wait(members_[use.member].tiles[t].first, fetches[first ? needed : 0]);
    }
    if (fetches.size() < 2) return;
    for (std::size_t t = 0; t < fetches.size(); ++t)
      reuse(fetches[t], ends_of(use.member), static_cast<std::int64_t>(t) - slots);
  }

  // Slice after slice, tile after tile; two are on chip.
  void add_slices(std::size_t t, const std::vector<Use>& uses) {
    const std::int64_t total = group_.tensors[t].fetch_bytes;
    const std::size_t m = uses.front().member;
    const std::vector<std::size_t>& pieces = members_[m].pieces;
    std::size_t p = 0;
    for (std::size_t tile = 0; tile < members_[m].tiles.size(); ++tile) {
      // A ragged last tile may be shared out in another way, and then has other slices.
      const std::int64_t count = members_[m].tiles[tile].slices;
      for (std::int64_t s = 0; s < count; ++s, ++p) {
        const std::int64_t bytes = total * (s + 1) / count - total * s / count;
        const std::size_t fetch = add_fetch(t, uses, bytes, static_cast<std::int64_t>(tile));
        tasks_.wait(pieces[p], fetch);
        if (p >= 2) tasks_.wait(fetch, pieces[p - 2]);
      }
    }
  }

  void add_stores(std::size_t t) {
    const std::int64_t total = group_.tensors[t].store_bytes;
    if (total == 0 || (!block_.last && !group_.tensors[t].parted)) return;
    const std::size_t m = group_.tensors[t].makers.back();
    Use use{m, nullptr, NestOperand::O};
    for (const MemberAccess& write : group_.members[m].writes)
      if (write.tensor == t) use = {m, write.access, operand_of_write(*write.access)};
    const auto made = sweep(m, *use.access);
    const std::int64_t tiles = made ? tiling(m).tiles : 1;
    std::vector<std::size_t> stores;
    std::int64_t before = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      std::int64_t until = total;
      if (tile + 1 < tiles)
        until = std::min(
            total,
            ceil_div(total * made->slide.step * (tile + 1) * made->rows, made->slide.extent));
      const HoldingPlace* to = group_.tensors[t].to;
      const TransferCost cost =
          outward_cost(chip_, to, until - before, ends({use}, until - before));
      tasks_.account(cost);
      if (to == nullptr) tasks_.account_bytes(until - before);
      before = until;
      SimulatedTask task{
          "store " + std::to_string(tile), cost.uses, {}, tiling(m).level + 1 + tile};
      task.waits.push_back(made ? members_[m].tiles[static_cast<std::size_t>(tile)].last
                                : members_[m].tiles.back().last);
      stores.push_back(tasks_.add(std::move(task)));
      if (tiles > 1)
        reuse(members_[m].tiles[static_cast<std::size_t>(tile)].first, stores, tile - 2);
    }
  }

  const Chip& chip_;
  TileCosts& costs_;
  const GroupShape& group_;
  const DecidedFusedWay& decided_;
  PlayedBlock block_;
  TiledGroup tiling_;
  TaskList tasks_;
  std::vector<SimulatedMember> members_;
  std::vector<std::vector<std::size_t>> media_;  // by tile of the edge at hand: its transfers
};

}  // namespace

std::optional<GroupSimulation> simulated_fusion(const Chip& chip,
                                                TileCosts& costs,
                                                const GroupShape& group,
                                                const DecidedFusedWay& decided,
                                                const PlayedBlock& block) {
  return FusionPlayer(chip, costs, group, decided, block).run();
}

}  // namespace paretrain::evaluator
