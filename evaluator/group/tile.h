// Why: a tile is an operator with some of its loops cut short. How much of each tensor it touches,
// and which loop nest it is, follow from that alone. Formulas: docs/group-cost.md, tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/graph/training_graph.h"

namespace paretrain::evaluator {

// A loop of which a tile runs only `count` iterations.
struct LoopCount {
  Loop loop = Loop::B;
  std::int64_t count = 1;
  friend bool operator==(const LoopCount&, const LoopCount&) = default;
};

// How an access moves along a dimension of its tensor as a loop advances: iteration i touches
// indices step × i − padding … + reach.
struct Slide {
  std::size_t dimension = 0;
  std::int64_t step = 1;
  std::int64_t reach = 0;    // indices beyond the first that one iteration touches
  std::int64_t padding = 0;  // in front
  std::int64_t extent = 1;   // of the dimension
  std::int64_t loop_size = 1;

  // Indices that `count` iterations touch, halo included, and those that `count` more add.
  [[nodiscard]] std::int64_t window(std::int64_t count) const;
  [[nodiscard]] std::int64_t advance(std::int64_t count) const;
  // First index that iteration i touches, and the one after the last, within the dimension.
  [[nodiscard]] std::int64_t begin_of(std::int64_t iteration) const;
  [[nodiscard]] std::int64_t end_of(std::int64_t iteration) const;
  // Indices that tiles of `count` iterations touch, all tiles together: halos count in each.
  [[nodiscard]] std::int64_t swept(std::int64_t count) const;
};

// Empty when the loop does not index the tensor.
[[nodiscard]] std::optional<Slide> slide(const Access& access, const LoopNest& nest, Loop loop);

// Every write is indexed by the loop: tiles along it make disjoint results.
[[nodiscard]] bool indexes_all(std::span<const Access> writes, Loop loop);

// Whether bytes include the halo (what must be on chip at once) or only what a further tile adds.
enum class Halo { Included, Excluded };

// Bytes of the access that a tile touches: bytes × Π over cut loops (window or advance) / extent,
// rounded up.
[[nodiscard]] std::int64_t touched_bytes(const Access& access,
                                         const LoopNest& nest,
                                         std::span<const LoopCount> counts,
                                         Halo halo);

// The nest with the loops cut and the clipping extents with them.
[[nodiscard]] LoopNest tile_nest(const LoopNest& nest, std::span<const LoopCount> counts);

// The matrix form of a weight gradient for a tile that is cut in the loops of the convolution form:
// K is K, D scales with the other loops of the result, C with the loops that are summed over.
[[nodiscard]] LoopNest matrix_tile_nest(const LoopNest& matrix,
                                        const LoopNest& nest,
                                        std::span<const LoopCount> counts);

// Whether any operand O of the nest is not indexed by the loop, so that a cut leaves partial sums.
[[nodiscard]] bool is_reduction(const LoopNest& nest, Loop loop);

// Product of the tile's loops.
[[nodiscard]] std::int64_t tile_operations(const LoopNest& nest, std::span<const LoopCount> counts);

// Iterations of the loop in the tile.
[[nodiscard]] std::int64_t count_of(const LoopNest& nest,
                                    std::span<const LoopCount> counts,
                                    Loop loop);

}  // namespace paretrain::evaluator
