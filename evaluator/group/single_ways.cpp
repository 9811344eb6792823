#include "evaluator/group/single_ways.h"

#include <algorithm>

#include "base/checked_math.h"
#include "evaluator/group/single_working_set.h"

namespace paretrain::evaluator {
namespace {

// Model: at most this many tiles along the axis; a tile that is still too large is cut further.
constexpr std::int64_t kMostTiles = 4096;
// Model: inner cuts into 2, 4, … this many parts are always looked at.
constexpr std::int64_t kMostInnerParts = 16;

std::vector<Loop> axes_of(const Operator& op) {
  std::vector<Loop> axes;
  const bool gradient = op.mac_kind == MacKind::WeightGradient;
  const std::vector<Loop> wanted =
      gradient ? std::vector<Loop>{Loop::C, Loop::FY, Loop::K, Loop::B, Loop::D}
               : std::vector<Loop>{Loop::B, Loop::OY, Loop::IY, Loop::D, Loop::H, Loop::K, Loop::C};
  for (const Loop loop : wanted)
    if (op.nest.size(loop) > 1) axes.push_back(loop);
  return axes;
}

// Loops that may be cut within a tile, in the order in which they are taken.
std::vector<Loop> inner_loops(const Operator& op, std::span<const LoopCount> cuts) {
  std::vector<Loop> loops;
  for (const Loop loop : {Loop::K,
                          Loop::G,
                          Loop::H,
                          Loop::D,
                          Loop::OY,
                          Loop::IY,
                          Loop::B,
                          Loop::OX,
                          Loop::IX,
                          Loop::C,
                          Loop::FY,
                          Loop::FX})
    if (op.nest.size(loop) > 1 && std::ranges::find(cuts, loop, &LoopCount::loop) == cuts.end())
      loops.push_back(loop);
  return loops;
}

class WayFinder {
 public:
  WayFinder(const Chip& chip,
            const GroupShape& group,
            std::span<const CoreId> cores,
            std::uint32_t content)
      : chip_(chip),
        group_(group),
        op_(*group.members.front().op),
        cores_(cores),
        content_(content) {}

  [[nodiscard]] std::vector<SingleWay> ways() {
    for (const SplitKind split : {SplitKind::None, SplitKind::Columns, SplitKind::Rows}) {
      if (split != SplitKind::None && cores_.size() < 2) continue;
      split_ = split;
      add({});
      for (const Loop axis : axes_of(op_)) {
        const std::int64_t size = op_.nest.size(axis);
        std::int64_t before = size;
        for (std::int64_t tiles = 2; tiles / 2 < std::min(size, kMostTiles); tiles *= 2) {
          const std::int64_t rows = ceil_div(size, std::min(tiles, size));
          if (rows != before) add({{axis, rows}});
          before = rows;
        }
      }
    }
    return std::move(ways_);
  }

 private:
  [[nodiscard]] bool fits(const std::vector<LoopCount>& cuts) const {
    return single_way_fits(chip_, group_, SingleWay{cuts, cores_, content_, split_});
  }

  // The cut as it is and with a few inner cuts, whichever fit; if none does, the least cuts that
  // do. Except for those last ones the list does not depend on the memory.
  void add(const std::vector<LoopCount>& cuts) {
    bool any = fits(cuts);
    if (any) ways_.push_back({cuts, cores_, content_, split_});
    const std::vector<Loop> inner = inner_loops(op_, cuts);
    if (!inner.empty() && !cuts.empty()) {
      const std::int64_t size = op_.nest.size(inner.front());
      for (std::int64_t parts = 2; parts <= std::min(kMostInnerParts, size); parts *= 2) {
        std::vector<LoopCount> finer = cuts;
        finer.push_back({inner.front(), ceil_div(size, parts)});
        if (!fits(finer)) continue;
        any = true;
        add_orders(finer);
      }
    }
    if (!any) add_least(cuts, inner);
  }

  void add_least(std::vector<LoopCount> cuts, const std::vector<Loop>& inner) {
    for (const Loop loop : inner) {
      cuts.push_back({loop, op_.nest.size(loop)});
      while (cuts.back().count > 1) {
        cuts.back().count = ceil_div(cuts.back().count, 2);
        if (!fits(cuts)) continue;
        for (int finer = 0; finer < 3; ++finer) {
          add_orders(cuts);
          if (cuts.back().count == 1) return;
          cuts.back().count = ceil_div(cuts.back().count, 2);
        }
        return;
      }
    }
  }

  // Either of the outermost and the innermost loop outermost.
  void add_orders(const std::vector<LoopCount>& cuts) {
    ways_.push_back({cuts, cores_, content_, split_});
    if (cuts.size() < 2) return;
    std::vector<LoopCount> turned = cuts;
    std::swap(turned.front(), turned.back());
    ways_.push_back({std::move(turned), cores_, content_, split_});
  }

  const Chip& chip_;
  const GroupShape& group_;
  const Operator& op_;
  std::span<const CoreId> cores_;
  std::uint32_t content_;
  SplitKind split_ = SplitKind::None;
  std::vector<SingleWay> ways_;
};

}  // namespace

std::vector<SingleWay> single_ways(const Chip& chip,
                                   const GroupShape& group,
                                   std::span<const CoreId> cores,
                                   std::uint32_t content) {
  return WayFinder(chip, group, cores, content).ways();
}

}  // namespace paretrain::evaluator
