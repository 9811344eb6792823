// Why: a plan is judged by three numbers, but a user wants to see where they come from: what runs
// when, what it costs, what is alive, and what holds the peak.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "evaluator/plan/group_model.h"
#include "evaluator/plan/step_graph.h"

namespace paretrain::evaluator {

using BytesByRole = std::array<Bytes, kMemoryRoleCount>;  // index: MemoryRole

// A block of off-chip memory. Of a Forward value there may be two: what the forward operator made
// and what its recompute made.
struct ValueCopy {
  StepValueId value;
  bool recomputed = false;
  Bytes bytes;
};

// One group of the plan, in order of execution.
struct PlanStep {
  std::vector<RunningOperator> operators;  // in original order
  std::vector<ValueCopy> reads;            // from off-chip memory
  std::vector<ValueCopy> writes;           // to off-chip memory
  std::vector<ValueCopy> internal;         // made in this group, never off chip
  std::vector<CarriedValue> carried_in;    // handed over by the group before
  std::vector<CarriedValue> carried_out;   // handed to the group behind
  GroupCost cost;
  BytesByRole alive;  // off-chip bytes while it runs, resident and static ones included
  Bytes alive_total;
};

struct PlanExplanation {
  std::vector<PlanStep> steps;
  std::size_t peak_step = 0;  // the first with the largest alive_total
  Bytes peak;
  // Non-resident copies alive at the peak, largest first, ties by value; then the resident values
  // likewise in `resident`.
  std::vector<ValueCopy> alive_at_peak;
  std::vector<ValueCopy> resident;
  std::vector<StepValueId> recomputed;  // values with a recomputed copy, in order of values
};

}  // namespace paretrain::evaluator
