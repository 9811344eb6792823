// Why: while the cut loops of an operator run, each of its tensors is visited part by part, some
// parts again and again. How many bytes every visit moves decides traffic, energy and time.
// Rules: docs/group-cost.md, single operators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/group/portions.h"
#include "evaluator/group/tile.h"

namespace paretrain::evaluator {

// One cut loop: `tiles` tiles of `count` iterations, the last of `last`.
struct LoopCut {
  Loop loop = Loop::B;
  std::int64_t count = 1;
  std::int64_t last = 1;
  std::int64_t tiles = 1;
};

[[nodiscard]] std::vector<LoopCut> loop_cuts(const LoopNest& nest,
                                             std::span<const LoopCount> counts);

struct VisitBytes {
  std::int64_t first = 0;
  std::int64_t others = 0;
  std::int64_t last = 0;
  friend bool operator==(const VisitBytes&, const VisitBytes&) = default;
};

// A visit is a stretch of steps in which a tensor's part stays the same. Visits come in passes over
// the parts. `round` is above 1 when the inner of two cuts moves from part to part: then so many
// visits make a round.
struct TensorVisits {
  std::int64_t count = 1;
  std::int64_t steps = 1;     // of each
  std::int64_t passes = 1;    // visits of every part
  std::int64_t distance = 1;  // visits until a part comes again; of no meaning with one pass
  std::int64_t round = 1;
  VisitBytes rounds;       // without rounds `others` is of all but the first and the last visit
  VisitBytes first_round;  // with rounds only, and likewise the last
  VisitBytes last_round;
  std::vector<Portion> portions;  // sizes of all visits
};

// No cut loop indexes the tensor: it is visited once.
[[nodiscard]] bool is_resident(const Access& access,
                               const LoopNest& nest,
                               std::span<const LoopCut> cuts);

// `total` are the bytes of the whole tensor. With the halo included, what only the innermost loop
// of the tensor moves on keeps what it has; without, every element counts once a pass.
// Model: a tensor that no axis can cut moves in equal parts, one a step, or at once when it has
// fewer bytes than there are steps. Visits between the first and the last along a cut count as
// equal in time, each a fair share of what they move; with more than two cuts all but the first.
[[nodiscard]] TensorVisits tensor_visits(const Access& access,
                                         const LoopNest& nest,
                                         std::span<const LoopCut> cuts,
                                         std::int64_t total,
                                         Halo halo);

}  // namespace paretrain::evaluator
