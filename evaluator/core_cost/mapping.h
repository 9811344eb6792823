// Why: how a loop nest is laid over a core in space and time: what a user may prescribe, and what
// the search for the best mapping answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// Spatial unrolling asked for, per array axis D1, D2, …; an axis without a value is open and is
// unrolled by search, an axis with an empty list is left unused. Shape: as Array::sizes, or shorter
// (missing axes are open).
using Dataflow = std::vector<std::optional<std::vector<UnrollFactor>>>;

// One temporal loop. Orders and levels list them inner to outer.
struct TemporalLoop {
  Loop loop = Loop::K;
  std::int64_t size = 1;
  friend bool operator==(const TemporalLoop&, const TemporalLoop&) = default;
};

// One loop on one array axis. `fractional` is what energy and allocation see (the mean number of
// units in use), `whole` what latency sees.
struct SpatialLoop {
  Loop loop = Loop::K;
  std::size_t axis = 0;
  double fractional = 1;
  double whole = 1;
};

// Where an operand keeps which temporal loops. Shape: one entry per level of that operand.
struct OperandLevel {
  std::size_t memory = 0;  // index into Core::memories
  std::vector<TemporalLoop> loops;
};

struct Mapping {
  Dataflow requested;  // after reduction to the nest and to the array
  std::vector<SpatialLoop> spatial;
  std::vector<TemporalLoop> order;
  std::array<std::vector<OperandLevel>, kNestOperandCount> levels;  // indexed by NestOperand
};

}  // namespace paretrain::evaluator
