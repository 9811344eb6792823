#include "evaluator/group/single_outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/checked_math.h"
#include "evaluator/group/member_tiling.h"

namespace paretrain::evaluator {
namespace {

// One cut loop: `tiles` tiles of `count` iterations, the last of `last`.
struct Cut {
  Loop loop = Loop::B;
  std::int64_t count = 1;
  std::int64_t last = 1;
  std::int64_t tiles = 1;
};

std::vector<Cut> cuts_of(const LoopNest& nest, std::span<const LoopCount> counts) {
  std::vector<Cut> cuts;
  for (const LoopCount& cut : counts) {
    const std::int64_t size = nest.size(cut.loop);
    const std::int64_t count = std::min(size, cut.count);
    const std::int64_t tiles = ceil_div(size, count);
    cuts.push_back({cut.loop, count, size - count * (tiles - 1), tiles});
  }
  return cuts;
}

// How often a tensor passes over the chip's border while the cut loops run.
struct Passes {
  std::int64_t times = 1;   // whole tensor, by cut loops that do not index it
  std::int64_t chunks = 1;  // separate pieces in all, including repetitions
  double halo = 1;          // growth by halos that are moved again
  bool resident = false;    // no cut loop indexes it: it stays
};

Passes passes(const Access& access, const LoopNest& nest, const std::vector<Cut>& cuts) {
  Passes result;
  std::size_t innermost = cuts.size();
  for (std::size_t i = cuts.size(); i-- > 0 && innermost == cuts.size();)
    if (cuts[i].tiles > 1 && slide(access, nest, cuts[i].loop)) innermost = i;
  result.resident = innermost == cuts.size();
  if (result.resident) return result;
  for (std::size_t i = 0; i <= innermost; ++i) {
    result.chunks *= cuts[i].tiles;
    const auto along = slide(access, nest, cuts[i].loop);
    if (!along) {
      result.times *= cuts[i].tiles;
    } else if (i != innermost) {
      result.halo *= std::max(
          1.0,
          static_cast<double>(along->swept(cuts[i].count)) / static_cast<double>(along->extent));
    }
  }
  return result;
}

bool sums_over_cut(const LoopNest& nest, const std::vector<Cut>& cuts) {
  return std::ranges::any_of(
      cuts, [&](const Cut& cut) { return cut.tiles > 1 && is_reduction(nest, cut.loop); });
}

class SingleBuilder {
 public:
  SingleBuilder(const Chip& chip, const GroupShape& group, const SingleWay& way)
      : chip_(chip),
        group_(group),
        way_(way),
        member_(group.members.front()),
        nest_(member_.op->nest),
        cuts_(cuts_of(nest_, way.cuts)) {
    for (const Cut& cut : cuts_) {
      tile_.push_back({cut.loop, cut.count});
      steps_ *= cut.tiles;
    }
    split_ = core_split(*member_.op, tile_, axis(), way.split, way.cores.size());
    per_core_ = core_counts(tile_, split_, split_.share);
    cores_.assign(way.cores.begin(), way.cores.begin() + split_.cores);
    partial_ = sums_over_cut(nest_, cuts_);
  }

  [[nodiscard]] bool fits() const {
    if (hands_on_partial_sums()) return false;
    std::map<MemoryNodeId, std::int64_t> used;
    for (const MemberAccess& read : member_.reads)
      if (!is_read_in_place(read)) add_bytes(used, *read.access, operand_of_read(*read.access), 1);
    for (const MemberAccess& write : member_.writes)
      if (!is_made_in_place(write))
        add_bytes(used, *write.access, operand_of_write(*write.access), partial_growth());
    for (const GroupTensor& tensor : group_.tensors)
      for (const HoldingPlace* place : {tensor.from, tensor.to})
        if (place != nullptr)
          for (const MemoryNodeId node : place->nodes)
            used[node] += place->share_of(tensor.held_bytes);
    return std::ranges::all_of(used, [&](const auto& entry) {
      return entry.second * 8 <= chip_.memory_bits(entry.first);
    });
  }

  [[nodiscard]] GroupOutline build(const TileCosts& costs) {
    add_operator(costs);
    for (const std::size_t t : order_of_transfers(group_))
      add_tensor(t);
    outline_.tiles = cuts_.empty() ? 1 : cuts_.front().tiles;
    outline_.inner_tiles = steps_ / outline_.tiles;
    if (!cuts_.empty()) outline_.axis = std::string(loop_name(cuts_.front().loop));
    outline_.split = way_.split;
    outline_.way = way_;
    return std::move(outline_);
  }

 private:
  [[nodiscard]] std::optional<Loop> axis() const {
    if (cuts_.empty()) return std::nullopt;
    return cuts_.front().loop;
  }

  // Partial sums are wider than results.
  [[nodiscard]] double partial_growth() const {
    if (!partial_ || nest_.bits.output_final <= 0) return 1;
    return std::max(1.0,
                    static_cast<double>(nest_.bits.output_partial) /
                        static_cast<double>(nest_.bits.output_final));
  }

  // ---- working set ----

  // Model: partial sums leave for off-chip memory only.
  [[nodiscard]] bool hands_on_partial_sums() const {
    return partial_ && std::ranges::any_of(member_.writes, [&](const MemberAccess& write) {
             return group_.tensors[write.tensor].to != nullptr &&
                    passes(*write.access, nest_, cuts_).times > 1;
           });
  }

  // What a place holds needs no tiles of its own beside it.
  [[nodiscard]] bool is_read_in_place(const MemberAccess& read) const {
    const HoldingPlace* place = group_.tensors[read.tensor].from;
    return place != nullptr && read_in_place(chip_, *place, cores_, operand_of_read(*read.access));
  }

  // Sums over a cut loop are wider than what is held.
  [[nodiscard]] bool is_made_in_place(const MemberAccess& write) const {
    const HoldingPlace* place = group_.tensors[write.tensor].to;
    return place != nullptr && !partial_ &&
           made_in_place(chip_, *place, cores_, operand_of_write(*write.access));
  }

  void add_bytes(std::map<MemoryNodeId, std::int64_t>& used,
                 const Access& access,
                 NestOperand operand,
                 double growth) const {
    const auto& first = chip_.core(cores_.front()).memories[static_cast<std::size_t>(operand)];
    std::int64_t sharing = 0;
    for (const CoreId core : cores_)
      if (chip_.core(core).memories[static_cast<std::size_t>(operand)].node == first.node)
        ++sharing;
    const auto here = [&](Halo halo) {
      return std::min(touched(access, tile_, halo), sharing * touched(access, per_core_, halo));
    };
    const Passes moves = passes(access, nest_, cuts_);
    std::int64_t bytes = here(Halo::Included);
    if (!moves.resident && steps_ > 1) bytes += here(Halo::Excluded);
    used[first.node] += static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * growth));
  }

  // Model: a tensor that no axis can cut is moved in equal slices, one a tile.
  [[nodiscard]] std::int64_t touched(const Access& access,
                                     std::span<const LoopCount> counts,
                                     Halo halo) const {
    if (access.axes.empty()) return ceil_div(access.bytes.number(), steps_);
    return touched_bytes(access, nest_, counts, halo);
  }

  // ---- operator ----

  void add_operator(const TileCosts& costs) {
    OperatorRun run;
    run.op = {member_.op, way_.content};
    run.core = cores_.front();
    add_variants(run, 0, {}, 1);
    run.full = 0;
    run.last = last_variant_;
    Stage stage;
    stage.tiles = steps_;
    stage.level = 1;
    const auto bound = [&](std::size_t v) {
      return static_cast<std::int64_t>(
          std::ceil(costs.least_cycles(*run.op.op, run.core, run.variants[v].counts)));
    };
    for (const CoreId core : cores_)
      stage.uses.push_back({chip_.core_resource(core), bound(run.full), bound(run.last)});
    outline_.stages.push_back(std::move(stage));
    outline_.runs.push_back(std::move(run));
  }

  // Every combination of full and ragged cuts, each for the full and the ragged share of the cores.
  void add_variants(OperatorRun& run,
                    std::size_t cut,
                    std::vector<LoopCount> counts,
                    std::int64_t times) {
    if (cut < cuts_.size()) {
      const Cut& here = cuts_[cut];
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
    const CoreSplit split = core_split(*member_.op, counts, axis(), way_.split, way_.cores.size());
    const bool ragged = split.loop && split.last_share != split.share;
    last_variant_ = run.variants.size();
    run.variants.push_back(
        {core_counts(counts, split, split.share), times * (split.cores - (ragged ? 1 : 0))});
    if (ragged) run.variants.push_back({core_counts(counts, split, split.last_share), times});
  }

  // ---- transfers ----

  enum class Way { In, Out };

  // To or from off-chip memory, or a place on chip.
  struct Course {
    Way way = Way::In;
    const HoldingPlace* place = nullptr;
  };

  void add_tensor(std::size_t t) {
    const GroupTensor& tensor = group_.tensors[t];
    const Access* read = find(member_.reads, t);
    const Access* write = find(member_.writes, t);
    if (tensor.fetch_bytes > 0 && read != nullptr)
      add_moves(*read, operand_of_read(*read), tensor.fetch_bytes, {Way::In, tensor.from});
    else if (tensor.fetch_bytes > 0 && write != nullptr)
      add_moves(*write, operand_of_write(*write), tensor.fetch_bytes, {Way::In, tensor.from});
    if (tensor.store_bytes == 0 || write == nullptr) return;
    const Passes moves = passes(*write, nest_, cuts_);
    add_moves(*write, operand_of_write(*write), tensor.store_bytes, {Way::Out, tensor.to});
    if (moves.times > 1 && partial_) add_partial_sums(*write, tensor.store_bytes, moves);
  }

  static const Access* find(const std::vector<MemberAccess>& accesses, std::size_t tensor) {
    for (const MemberAccess& access : accesses)
      if (access.tensor == tensor) return access.access;
    return nullptr;
  }

  // Partial sums that do not fit leave the chip and come back, wider than results.
  void add_partial_sums(const Access& access, std::int64_t bytes, const Passes& moves) {
    const auto wide =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * partial_growth()));
    const std::int64_t pieces = moves.chunks - moves.chunks / moves.times;
    for (const Way way : {Way::In, Way::Out})
      add_pieces(
          {&access, operand_of_write(access), wide * (moves.times - 1), pieces, {way, nullptr}});
  }

  void add_moves(const Access& access, NestOperand operand, std::int64_t bytes, Course course) {
    const Passes moves = passes(access, nest_, cuts_);
    if (access.axes.empty() && steps_ > 1) {
      add_pieces({&access, operand, bytes, std::min(steps_, bytes), course});
      return;
    }
    if (moves.resident) {
      add_energy(outline_.energy, transfer({&access, operand, bytes, 1, course}, bytes), 1);
      if (course.place == nullptr) outline_.offchip_bytes += bytes;
      add_once({&access, operand, bytes, 1, course}, bytes);
      return;
    }
    const bool inwards = course.way == Way::In;
    const std::int64_t times = inwards || !partial_ ? moves.times : 1;
    const auto total = static_cast<std::int64_t>(std::ceil(
        static_cast<double>(bytes) * static_cast<double>(times) * (inwards ? moves.halo : 1.0)));
    add_pieces({&access, operand, total, moves.chunks / moves.times * times, course});
  }

  // Bytes that pass over the border of the chip in equal pieces.
  struct Move {
    const Access* access = nullptr;
    NestOperand operand = NestOperand::I;
    std::int64_t total = 0;
    std::int64_t pieces = 1;
    Course course;
  };

  [[nodiscard]] TransferCost transfer(const Move& move, std::int64_t bytes) const {
    const std::int64_t all = touched_bytes(*move.access, nest_, tile_, Halo::Included);
    const std::int64_t share = touched_bytes(*move.access, nest_, per_core_, Halo::Included);
    std::vector<Endpoint> ends;
    for (const CoreId core : cores_)
      ends.push_back({core, move.operand, all > 0 ? ceil_div(bytes * share, all) : bytes});
    return move.course.way == Way::In ? inward_cost(chip_, move.course.place, bytes, ends)
                                      : outward_cost(chip_, move.course.place, bytes, ends);
  }

  // A stage before the first tile or after the last.
  void add_once(const Move& move, std::int64_t bytes) {
    if (bytes == 0) return;
    const TransferCost cost = transfer(move, bytes);
    Stage stage;
    stage.uses = stage_uses(cost, cost);
    if (move.course.way == Way::In) {
      outline_.stages[0].waits.push_back({outline_.stages.size(), 0});
    } else {
      stage.level = steps_ + 1;
      stage.waits.push_back({0, steps_ - 1});
    }
    outline_.stages.push_back(std::move(stage));
  }

  void add_pieces(const Move& move) {
    const std::int64_t piece = move.total / move.pieces;
    add_energy(outline_.energy, transfer(move, piece), move.pieces - 1);
    add_energy(outline_.energy, transfer(move, move.total - piece * (move.pieces - 1)), 1);
    if (move.course.place == nullptr) outline_.offchip_bytes += move.total;
    add_stages(move);
  }

  // Model: what moves less often than once a tile is spread evenly over the tiles, but for the
  // first piece in and the last piece out, which nothing hides.
  void add_stages(const Move& move) {
    const std::int64_t extra =
        std::max<std::int64_t>(0, move.total / move.pieces - move.total / steps_);
    add_once(move, extra);
    const std::int64_t rest = move.total - extra;
    const std::int64_t full = rest / steps_;
    Stage stage;
    stage.tiles = steps_;
    stage.uses = stage_uses(transfer(move, full), transfer(move, rest - full * (steps_ - 1)));
    const std::size_t index = outline_.stages.size();
    Stage& op = outline_.stages[0];
    if (move.course.way == Way::In) {
      stage.rooms.push_back({0, 2});
      op.waits.push_back({index, 0});
    } else {
      stage.level = 2;
      stage.waits.push_back({0, 0});
      op.rooms.push_back({index, 2});
    }
    outline_.stages.push_back(std::move(stage));
  }

  const Chip& chip_;
  const GroupShape& group_;
  const SingleWay& way_;
  const GroupMember& member_;
  const LoopNest& nest_;
  std::vector<Cut> cuts_;
  std::vector<LoopCount> tile_;
  std::vector<LoopCount> per_core_;
  CoreSplit split_;
  std::vector<CoreId> cores_;
  std::int64_t steps_ = 1;
  bool partial_ = false;
  std::size_t last_variant_ = 0;
  GroupOutline outline_;
};

}  // namespace

bool single_way_fits(const Chip& chip, const GroupShape& group, const SingleWay& way) {
  return SingleBuilder(chip, group, way).fits();
}

std::optional<GroupOutline> single_outline(const Chip& chip,
                                           const TileCosts& costs,
                                           const GroupShape& group,
                                           const SingleWay& way) {
  SingleBuilder builder(chip, group, way);
  if (!builder.fits()) return std::nullopt;
  return builder.build(costs);
}

}  // namespace paretrain::evaluator
