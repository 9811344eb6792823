// Why: recomputation, order, fusion and lifetimes are rules about values, their makers and their
// readers. This is the one structure that those rules work on; cost graphs and training graphs are
// both lowered to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace paretrain::evaluator {

using StepValueId = Id<struct StepValueTag>;
using StepOperatorId = Id<struct StepOperatorTag>;

enum class MemoryRole { Parameters, Gradients, OptimizerState, Activations, Inputs, Other };
inline constexpr std::size_t kMemoryRoleCount = 6;

enum class StepValueKind {
  Resident,  // alive during the whole step whatever the plan: inputs, parameters, states, buffers
  Forward,   // one forward operator makes it; it may be recomputed when it has a keep gene, else it
             // is kept
  Gradient   // one or more backward operators contribute to it; freed after its last reader
};

struct StepValue {
  StepValueKind kind = StepValueKind::Forward;
  MemoryRole role = MemoryRole::Activations;
  Bytes bytes;
  std::optional<std::uint32_t> keep_gene;  // index among the keep genes, in forward order
  bool counted = true;  // false: takes part in everything but the peak (--count-gradients off)
  // The gradient of the loss in a cost graph: it exists from the first step after the forward
  // phase, nobody makes it.
  bool exists_from_backward = false;
  // A result of the step (loss, model output that must leave the chip): written even without a
  // reader.
  bool leaves_step = false;
};

enum class StepPhase { Forward, Backward, Update };

// Values read and written, each listed once. A backward operator that reads a Forward value reads
// the kept copy or the recomputed one; a forward operator reads forward copies; its recompute twin
// has the same reads and, of the writes, those that are missing.
struct StepOperator {
  StepPhase phase = StepPhase::Forward;
  std::vector<StepValueId> reads;
  std::vector<StepValueId> writes;
  bool can_recompute = false;  // forward operators some of whose results have a keep gene
};

// Operators stand in order of execution (forward, backward, update). The template of a genome has a
// twin R for every forward operator F.
struct StepGraph {
  std::vector<StepValue> values;
  std::vector<StepOperator> operators;
  std::uint32_t keep_genes = 0;
  Bytes static_bytes;  // added to every peak
};

}  // namespace paretrain::evaluator
