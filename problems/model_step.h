// Why: a file holds a forward network or a whole training step; whoever asks for the step of a
// model should not need to know which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"
#include "evaluator/graph/training_step.h"
#include "problems/model_import.h"

namespace paretrain::problems {

// A model whose batch is one micro-batch, and how many of them make a step.
struct MicroBatchedModel {
  ImportedModel model;
  std::int64_t repetitions = 1;
};

// `model` is an .onnx file or the name of a built-in model; without `micro_batch` (samples) the
// step is one pass over the whole batch.
// Errors: InputError for everything that is wrong with the file, the options, or a micro-batch that
// does not divide the batch.
[[nodiscard]] MicroBatchedModel micro_batched_model(const std::string& model,
                                                    const ImportOptions& options,
                                                    std::optional<std::int64_t> micro_batch);

// Operators without a rule, of the importer's shapes or of the training step; sorted by type. Empty
// for ready-made training graphs, which name theirs when they are read.
[[nodiscard]] std::vector<evaluator::UnsupportedOperator> unsupported_operators(
    const ImportedModel& model);

// The derived step of a forward network, or the ready-made one as it is.
// Errors: InputError naming every operator without a rule unless unknown operators are elementwise.
[[nodiscard]] evaluator::TrainingGraph model_step(const ImportedModel& model,
                                                  const evaluator::TrainingOptions& options);

}  // namespace paretrain::problems
