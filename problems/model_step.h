// Why: a file holds a forward network or a whole training step; whoever asks for the step of a
// model should not need to know which.
#pragma once

#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"
#include "evaluator/graph/training_step.h"
#include "problems/model_import.h"

namespace paretrain::problems {

// Operators without a rule, of the importer's shapes or of the training step; sorted by type. Empty
// for ready-made training graphs, which name theirs when they are read.
[[nodiscard]] std::vector<evaluator::UnsupportedOperator> unsupported_operators(
    const ImportedModel& model);

// The derived step of a forward network, or the ready-made one as it is.
// Errors: InputError naming every operator without a rule unless unknown operators are elementwise.
[[nodiscard]] evaluator::TrainingGraph model_step(const ImportedModel& model,
                                                  const evaluator::TrainingOptions& options);

}  // namespace paretrain::problems
