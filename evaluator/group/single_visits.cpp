#include "evaluator/group/single_visits.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked_math.h"

namespace paretrain::evaluator {

std::vector<LoopCut> loop_cuts(const LoopNest& nest, std::span<const LoopCount> counts) {
  std::vector<LoopCut> cuts;
  for (const LoopCount& cut : counts) {
    const std::int64_t size = nest.size(cut.loop);
    const std::int64_t count = std::min(size, cut.count);
    const std::int64_t tiles = ceil_div(size, count);
    cuts.push_back({cut.loop, count, size - count * (tiles - 1), tiles});
  }
  return cuts;
}

namespace {

// Of the cuts that index the tensor and have several tiles.
std::optional<std::size_t> innermost_cut(const Access& access,
                                         const LoopNest& nest,
                                         std::span<const LoopCut> cuts) {
  for (std::size_t i = cuts.size(); i-- > 0;)
    if (cuts[i].tiles > 1 && slide(access, nest, cuts[i].loop)) return i;
  return std::nullopt;
}

class VisitCounter {
 public:
  VisitCounter(const Access& access,
               const LoopNest& nest,
               std::span<const LoopCut> cuts,
               std::int64_t total,
               Halo halo)
      : access_(access), nest_(nest), cuts_(cuts), total_(total), halo_(halo) {}

  [[nodiscard]] TensorVisits visits() {
    const auto innermost = innermost_cut(access_, nest_, cuts_);
    TensorVisits result;
    for (std::size_t c = 0; c < cuts_.size(); ++c)
      (innermost && c <= *innermost ? result.count : result.steps) *= cuts_[c].tiles;
    if (!innermost) {
      result.rounds = {total_, total_, total_};
      result.portions = {{total_, 1}};
      return result;
    }
    innermost_ = *innermost;
    for (std::size_t c = 0; c < innermost_; ++c)
      if (!slide(access_, nest_, cuts_[c].loop)) {
        result.passes *= cuts_[c].tiles;
        result.distance = 1;
      } else {
        result.distance *= cuts_[c].tiles;
      }
    result.distance *= cuts_[innermost_].tiles;
    list_portions(0, total_, result.passes, result.portions);
    set_sizes(result);
    return result;
  }

 private:
  // Indices of the tensor that tile `tile` of the cut moves, and of how many.
  [[nodiscard]] std::int64_t moved(const Slide& along, std::size_t c, std::int64_t tile) const {
    const std::int64_t first = tile * cuts_[c].count;
    const std::int64_t past = std::min(first + cuts_[c].count, along.loop_size);
    const std::int64_t to = past == along.loop_size ? along.extent : along.end_of(past - 1);
    const std::int64_t before = tile > 0 ? along.end_of(first - 1) : 0;
    std::int64_t from = before;
    // Rows that a stride leaves out between tiles count with the next one.
    if (c != innermost_ && halo_ == Halo::Included) from = std::min(from, along.begin_of(first));
    return std::max<std::int64_t>(0, to - from);
  }

  // Tiles from this one on that move equally many indices, because none of them reaches beyond the
  // tensor; at least 1.
  [[nodiscard]] std::int64_t alike_from(const Slide& along,
                                        std::size_t c,
                                        std::int64_t tile) const {
    const std::int64_t count = cuts_[c].count;
    const std::int64_t last_whole = cuts_[c].tiles - 2;
    if (tile == 0 || tile > last_whole || along.step < 1) return 1;
    const bool adds = c == innermost_ || halo_ == Halo::Excluded;
    const std::int64_t from =
        adds ? along.step * (tile * count - 1) + along.reach + 1 : along.step * tile * count;
    const std::int64_t room = along.extent - (along.reach + 1 - along.padding);
    if (from < along.padding || room < 0) return 1;
    const std::int64_t last_inside = (room / along.step + 1) / count - 1;
    return std::max<std::int64_t>(1, std::min(last_inside, last_whole) - tile + 1);
  }

  void list_portions(std::size_t c,
                     std::int64_t bytes,
                     std::int64_t times,
                     std::vector<Portion>& portions) const {
    if (c > innermost_) {
      add_portion(portions, bytes, times);
      return;
    }
    const auto along = slide(access_, nest_, cuts_[c].loop);
    if (!along) {
      list_portions(c + 1, bytes, times, portions);
      return;
    }
    std::vector<Portion> lengths;
    for (std::int64_t tile = 0; tile < cuts_[c].tiles;) {
      const std::int64_t alike = alike_from(*along, c, tile);
      add_portion(lengths, moved(*along, c, tile), alike);
      tile += alike;
    }
    for (const Portion& length : lengths)
      list_portions(
          c + 1, ceil_div(bytes * length.bytes, along->extent), times * length.times, portions);
  }

  // Bytes of the visit at these tiles. Shape: by cut.
  [[nodiscard]] std::int64_t size_at(std::span<const std::int64_t> tiles) const {
    std::int64_t bytes = total_;
    for (std::size_t c = 0; c <= innermost_; ++c)
      if (const auto along = slide(access_, nest_, cuts_[c].loop))
        bytes = ceil_div(bytes * moved(*along, c, tiles[c]), along->extent);
    return bytes;
  }

  void set_sizes(TensorVisits& visits) const {
    std::vector<std::int64_t> tiles(cuts_.size(), 0);
    visits.rounds.first = size_at(tiles);
    if (cuts_.size() > 2) {
      std::int64_t rest = -visits.rounds.first;
      for (const Portion& portion : visits.portions)
        rest += portion.bytes * portion.times;
      const std::int64_t mean = ceil_div(std::max<std::int64_t>(0, rest), visits.count - 1);
      visits.rounds.others = visits.rounds.last = mean;
      return;
    }
    if (innermost_ == 0) {
      visits.rounds = along_cut(0, tiles);
      return;
    }
    visits.round = cuts_[1].tiles;
    visits.first_round = along_cut(1, tiles);
    tiles[0] = middle_tile(0);
    visits.rounds = along_cut(1, tiles);
    tiles[0] = cuts_[0].tiles - 1;
    visits.last_round = along_cut(1, tiles);
  }

  [[nodiscard]] std::int64_t middle_tile(std::size_t c) const { return cuts_[c].tiles > 2 ? 1 : 0; }

  [[nodiscard]] VisitBytes along_cut(std::size_t c, std::vector<std::int64_t> tiles) const {
    VisitBytes bytes;
    tiles[c] = 0;
    bytes.first = size_at(tiles);
    tiles[c] = middle_tile(c);
    bytes.others = cuts_[c].tiles > 3 ? middle_size(c, tiles) : size_at(tiles);
    tiles[c] = cuts_[c].tiles - 1;
    bytes.last = size_at(tiles);
    return bytes;
  }

  // Of the tiles of the cut that are neither first nor last, on average: strides may give them
  // different sizes. Requires: the cut is the innermost of the tensor.
  [[nodiscard]] std::int64_t middle_size(std::size_t c, std::span<const std::int64_t> at) const {
    std::int64_t bytes = total_;
    for (std::size_t outer = 0; outer < c; ++outer)
      if (const auto along = slide(access_, nest_, cuts_[outer].loop))
        bytes = ceil_div(bytes * moved(*along, outer, at[outer]), along->extent);
    const auto along = slide(access_, nest_, cuts_[c].loop);
    const std::int64_t tiles = cuts_[c].tiles - 2;
    const std::int64_t indices =
        along->end_of((tiles + 1) * cuts_[c].count - 1) - along->end_of(cuts_[c].count - 1);
    return ceil_div(bytes * indices, along->extent * tiles);
  }

  const Access& access_;
  const LoopNest& nest_;
  std::span<const LoopCut> cuts_;
  std::int64_t total_;
  Halo halo_;
  std::size_t innermost_ = 0;
};

// Equal parts, one a step.
TensorVisits even_visits(std::span<const LoopCut> cuts, std::int64_t total) {
  TensorVisits visits;
  for (const LoopCut& cut : cuts)
    visits.count *= cut.tiles;
  if (total < visits.count) std::swap(visits.count, visits.steps);
  ItemBytes bytes = portioned(total, visits.count, 1, visits.count, Rounding::Down);
  visits.rounds = {visits.count > 1 ? bytes.full : bytes.last, bytes.full, bytes.last};
  visits.portions = std::move(bytes.portions);
  return visits;
}

}  // namespace

bool is_resident(const Access& access, const LoopNest& nest, std::span<const LoopCut> cuts) {
  return !innermost_cut(access, nest, cuts);
}

TensorVisits tensor_visits(const Access& access,
                           const LoopNest& nest,
                           std::span<const LoopCut> cuts,
                           std::int64_t total,
                           Halo halo) {
  if (access.axes.empty()) return even_visits(cuts, total);
  return VisitCounter(access, nest, cuts, total, halo).visits();
}

}  // namespace paretrain::evaluator
