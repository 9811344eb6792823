// Why: recomputation, order, fusion and lifetimes are rules about values, their makers and their
// readers. This is the one structure that those rules work on; cost graphs and training graphs are
// both lowered to it. The rules themselves: docs/plan.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace paretrain::evaluator {

using StepValueId = Id<struct StepValueTag>;
using StepOperatorId = Id<struct StepOperatorTag>;

enum class MemoryRole { Parameters, Gradients, OptimizerState, Activations, Inputs, Other };
inline constexpr std::size_t kMemoryRoleCount = 6;

enum class StepValueKind {
  Resident,  // alive during the whole step whatever the plan: inputs, parameters, states, buffers;
             // an update operator that writes one runs after every other reader of it
  Forward,   // one forward operator makes it; it may be recomputed when it has a keep gene, else it
             // is kept
  Gradient   // backward or update operators make it, each adding its contribution; alive from the
             // first contribution to the last use
};

struct StepValue {
  std::string name;
  StepValueKind kind = StepValueKind::Forward;
  MemoryRole role = MemoryRole::Activations;
  Bytes bytes;
  // Index among the keep genes; genes are numbered in the order of the operators that make the
  // values.
  std::optional<std::uint32_t> keep_gene;
  bool counted = true;  // false: takes part in everything but the peak (--count-gradients off)
  // Gradients only. The gradient of the loss in a cost graph exists from the first step after the
  // forward phase; parameter gradients of the second and later micro-batches exist from the start.
  // What exists beforehand is read by a group that adds to it.
  bool exists_from_backward = false;
  bool exists_from_start = false;
  // Gradients only: alive until the end of the step, also after the last reader.
  bool exists_to_end = false;
  // Gradients only: the contributors write parts that do not overlap (the gradient of a Split), so
  // none of them reads what the others wrote.
  bool disjoint_contributions = false;
  // A result of the step (loss, model output that must leave the chip): written to off-chip memory
  // even when all its readers are in its maker's group.
  bool leaves_step = false;
};

enum class StepPhase { Forward, Backward, Update };

// Values read and written, each listed once. A backward operator that reads a Forward value reads
// the kept copy or the recomputed one; a forward operator reads forward copies; its recompute twin
// has the same reads and, of the writes, those that are missing.
struct StepOperator {
  std::string name;
  StepPhase phase = StepPhase::Forward;
  std::vector<StepValueId> reads;
  std::vector<StepValueId> writes;  // at most 64 of a forward operator
  bool can_recompute = false;       // exactly: a forward operator with a keep gene on a result
  std::optional<StepOperatorId> forward;  // of a backward or update operator: the forward operator
                                          // whose genes its own stand beside
  std::int64_t work = 0;  // multiply-accumulates, summed over recomputes for reports
};

// Which template edges have a fusion gene. Edges are F-F, R-R, R-B, B-B and, where asked for, B-U.
enum class FusionGenes { None, WithoutUpdates, WithUpdates };

// Operators stand in order of execution: all forward operators, then backward and update operators
// as they are placed (`end`: updates last; `eager` and `search`: right after their gradients are
// complete). The template of a genome has a twin R for every forward operator F.
struct StepGraph {
  std::vector<StepValue> values;
  std::vector<StepOperator> operators;
  std::uint32_t keep_genes = 0;
  FusionGenes fusion_genes = FusionGenes::WithoutUpdates;
  Bytes static_bytes;  // added to every peak, under MemoryRole::Other
};

}  // namespace paretrain::evaluator
