// Why: commands want the training step of a model whatever kind of file it came from.
#pragma once

#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"
#include "problems/model_import.h"

namespace paretrain::problems {

// A forward graph gets our own backward pass (evaluator/graph/training_step.h); a ready-made
// training graph is taken as it is (evaluator/graph/ready_made.h).
// Errors: InputError as those two throw it.
[[nodiscard]] evaluator::TrainingGraph training_graph_of(const ImportedModel& model,
                                                         const evaluator::TrainingOptions& options);

}  // namespace paretrain::problems
