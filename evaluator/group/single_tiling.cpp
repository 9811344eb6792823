#include "evaluator/group/single_tiling.h"

#include <algorithm>
#include <cmath>

namespace paretrain::evaluator {

std::optional<Loop> SingleTiling::axis() const {
  if (cuts.empty()) return std::nullopt;
  return cuts.front().loop;
}

SingleTiling single_tiling(const Operator& op, const SingleWay& way) {
  SingleTiling tiling;
  tiling.cuts = loop_cuts(op.nest, way.cuts);
  for (const LoopCut& cut : tiling.cuts) {
    tiling.tile.push_back({cut.loop, cut.count});
    tiling.steps *= cut.tiles;
    tiling.partial = tiling.partial || (cut.tiles > 1 && is_reduction(op.nest, cut.loop));
  }
  tiling.split = core_split(op, tiling.tile, tiling.axis(), way.split, way.cores.size());
  tiling.per_core = core_counts(tiling.tile, tiling.split, tiling.split.share);
  tiling.cores.assign(way.cores.begin(), way.cores.begin() + tiling.split.cores);
  if (tiling.partial && op.nest.bits.output_final > 0)
    tiling.growth = std::max(1.0,
                             static_cast<double>(op.nest.bits.output_partial) /
                                 static_cast<double>(op.nest.bits.output_final));
  return tiling;
}

std::int64_t widened_sums(std::int64_t bytes, double growth) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * growth));
}

}  // namespace paretrain::evaluator
