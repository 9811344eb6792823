// Why: from a forward network to one whole training step, and the figures by which people check it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::evaluator {

struct UnsupportedOperator {
  std::string type;  // with its domain when that is not ai.onnx
  std::int64_t count = 0;
  std::string first_node;
};

// Operators of the model without a rule, after patterns have been recognised; sorted by type.
[[nodiscard]] std::vector<UnsupportedOperator> unsupported_operators(const ModelGraph& model);

// Forward operators in graph order, the loss, our own backward pass and the optimizer's updates.
// Errors: InputError naming every operator without a rule (unless
// `unknown_operator` is Elementwise), every loss output or freeze pattern that matches nothing, and
// shapes that a loss cannot take.
// Cost: linear in nodes, apart from sorting names.
// Source: docs/training-graph.md.
[[nodiscard]] TrainingGraph training_step(const ModelGraph& model, const TrainingOptions& options);

struct MacSummary {
  std::int64_t forward = 0;             // all of the forward phase
  std::int64_t forward_activation = 0;  // the part that multiplies two activations
  std::int64_t backward = 0;            // all of the backward phase
  std::int64_t backward_input_grad = 0;
  std::int64_t backward_weight_grad = 0;
  std::int64_t backward_activation = 0;
};

// Bytes alive at one moment by role, without parameters, states, inputs and targets.
struct DynamicBytes {
  std::int64_t activations = 0;
  std::int64_t gradients = 0;            // of activations, and temporaries of the backward phase
  std::int64_t parameter_gradients = 0;  // 0 before their first contribution
};

// The highest moment of a keep-all step without fusion.
struct DynamicPeak {
  Bytes bytes;
  Phase phase = Phase::Forward;
  std::string operator_name;
  DynamicBytes by_role;
};

struct CandidateSummary {
  std::string name;
  std::string producer;  // name of the operator that makes it
  Shape shape;
  Bytes bytes;
  bool read_by_backward = false;
};

struct ParameterSummary {
  std::string name;
  Shape shape;
  Bytes bytes;
  bool trained = false;  // an update writes it
};

// What `inspect` reports, with the meanings of its keys.
struct StepSummary {
  std::string model;
  std::int64_t batch = 1;
  std::int64_t forward_operators = 0;
  std::int64_t backward_operators = 0;
  std::int64_t update_operators = 0;
  std::optional<ImportedNodes> imported_nodes;
  MacSummary macs;
  std::int64_t parameter_tensors = 0;
  std::int64_t parameter_elements = 0;
  Bytes parameter_bytes;
  Bytes gradient_bytes;
  Bytes optimizer_state_bytes;
  Bytes input_bytes;   // inputs and targets
  Bytes buffer_bytes;  // running statistics, masks
  std::int64_t saved_tensors = 0;
  Bytes saved_bytes;
  Bytes saved_input_bytes;  // included in saved_bytes
  DynamicPeak peak;
  std::vector<CandidateSummary> candidates;
  std::vector<RecognisedPattern> recognised;
  std::vector<ParameterSummary> parameters;  // in the model's order
};

// Works for derived and for ready-made training graphs alike.
[[nodiscard]] StepSummary step_summary(const TrainingGraph& graph);

// Storages that outlive the forward phase because the backward phase reads them, in order of their
// makers; parameters and buffers excluded (index constants of an embedding are counted: frameworks
// make them in the step), model inputs and targets included.
[[nodiscard]] std::vector<StorageId> saved_storages(const TrainingGraph& graph);

[[nodiscard]] DynamicPeak keep_all_peak(const TrainingGraph& graph);

}  // namespace paretrain::evaluator
