// Why: one training step as the plan, the cost model and the reports see it: which operators run,
// which storages they read and write, and how each is looped over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/graph/model_graph.h"

namespace paretrain::evaluator {

using StorageId = Id<struct StorageTag>;
using OperatorId = Id<struct OperatorTag>;

// What a storage is for; decides how it is counted (docs/cost-model.md, memory).
enum class StorageRole {
  Input,              // model input: alive the whole step
  Target,             // loss target: alive the whole step
  Parameter,          // with its master copy
  ParameterGradient,  // complete after its last writer
  OptimizerState,
  Buffer,       // initializers that are not trained: alive the whole step, counted under `other`
  Activation,   // made by a forward operator; also sign bits, pooling indices, log-probabilities,
                // the loss
  DropoutMask,  // made by a forward operator; kept, unless it is replayed from its seed
  Statistic,    // made by a forward operator; always kept
  Gradient      // of an activation, or a temporary of the backward phase
};

// A block of memory. Views are not storages: readers of a view read the storage it looks into.
struct Storage {
  std::string name;  // of the ONNX value that made it, or derived from it ("…:mask", "…:grad")
  StorageRole role = StorageRole::Activation;
  ElementType type = ElementType::Float32;
  Shape shape;  // of the tensor that made it
  std::int64_t elements = 0;
  Bytes bytes;                   // with the precision preset applied
  bool recomputable = false;     // has a keep/recompute gene under `--candidates all`
  bool monet_candidate = false;  // is in MONET's list
};

// How an operator touches one storage. An operator lists a storage once for each different view it
// has of it: a product of q and k that are parts of one buffer has two accesses to that buffer.
struct Access {
  StorageId storage;
  // Of the part that is touched, at the storage's precision (a slice touches less than the whole).
  // 0: the operator does not touch the storage but it must be alive until the operator has run,
  // because a framework keeps it for that (no traffic, no axes).
  Bytes bytes;
  // For each dimension of the tensor as this operator sees it: the loops that index it. Empty when
  // the operator touches the tensor as a whole (no axis can be cut).
  std::vector<AxisIndex> axes;
  std::vector<std::int64_t> strides;   // of the same dimensions, in elements of the storage
  std::optional<NestOperand> operand;  // which operand of the nest it is, when it is one
  bool accumulates = false;  // a write that adds to what is there (not the first contribution)
};

enum class Phase { Forward, Backward, Update };

enum class OperatorClass { Matrix, Pooling, Elementwise, Reduction, DataMovement };

// Which multiply-accumulates an operator does, as reports count them; None for everything but
// matrix-like operators.
enum class MacKind {
  None,
  Forward,
  ForwardActivation,
  InputGradient,
  WeightGradient,
  BackwardActivation
};

struct Operator {
  std::string name;  // node name, with a suffix for derived ones ("conv1:weight_grad")
  std::string type;  // "Conv", "ConvWeightGradient", "BatchNormalizationStatistics", "Adam", …
  Phase phase = Phase::Forward;
  OperatorClass operator_class = OperatorClass::Elementwise;
  MacKind mac_kind = MacKind::None;
  std::int64_t macs = 0;
  LoopNest nest;
  // For a convolution's weight gradient: the same work as a matrix product with implicit im2col
  // (DESIGN §5).
  std::optional<LoopNest> matrix_nest;
  std::vector<Access> reads;
  // Besides what it makes, a forward operator may write a Buffer (running statistics). A write that
  // accumulates also fetches what is there; the storage is then not among the reads.
  std::vector<Access> writes;
  OperatorId forward;  // the forward operator it belongs to (itself in the forward phase)
};

// A pattern of nodes that was found and treated as the one operator that a framework runs.
struct RecognisedPattern {
  std::string pattern;
  std::int64_t count = 0;
};

// Nodes of a ready-made training graph by phase, as the file has them.
struct ImportedNodes {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  std::int64_t optimizer = 0;
};

// Operators stand in order of execution: forward, backward, update. Forward storages have exactly
// one writer; gradients may have several, the first allocates, the others accumulate.
struct TrainingGraph {
  std::string name;
  std::int64_t batch = 1;
  std::vector<Storage> storages;
  std::vector<Operator> operators;
  std::vector<StorageId> candidates;  // storages with a keep gene, in order of their producers
  std::vector<RecognisedPattern> recognised;    // by name
  std::optional<ImportedNodes> imported_nodes;  // of a ready-made training graph
  std::vector<std::string> warnings;            // each once, for people

  [[nodiscard]] const Storage& storage(StorageId id) const { return storages[id.index()]; }
};

}  // namespace paretrain::evaluator
