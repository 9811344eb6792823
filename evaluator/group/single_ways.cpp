#include "evaluator/group/single_ways.h"

#include <algorithm>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

// Model: at most this many tiles along the axis; a tile that is still too large is cut further.
constexpr std::int64_t kMostTiles = 4096;

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

  // The cut as it is when it fits, else with the least inner cuts that make it fit.
  void add(std::vector<LoopCount> cuts) {
    if (fits(cuts)) {
      ways_.push_back({cuts, cores_, content_, split_});
      return;
    }
    for (const Loop loop : inner_loops(op_, cuts)) {
      cuts.push_back({loop, op_.nest.size(loop)});
      while (cuts.back().count > 1) {
        cuts.back().count = ceil_div(cuts.back().count, 2);
        if (!fits(cuts)) continue;
        add_orders(cuts);
        return;
      }
    }
  }

  // Either of the two outer loops outermost, and the innermost cut up to four times finer.
  void add_orders(std::vector<LoopCount> cuts) {
    for (int finer = 0; finer < 3; ++finer) {
      ways_.push_back({cuts, cores_, content_, split_});
      if (cuts.size() > 1) {
        std::vector<LoopCount> turned = cuts;
        std::swap(turned.front(), turned.back());
        ways_.push_back({turned, cores_, content_, split_});
      }
      if (cuts.back().count == 1) return;
      cuts.back().count = ceil_div(cuts.back().count, 2);
    }
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
