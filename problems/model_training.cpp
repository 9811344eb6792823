#include "problems/model_training.h"

#include "base/check.h"
#include "evaluator/graph/ready_made.h"
#include "evaluator/graph/training_step.h"

namespace paretrain::problems {

evaluator::TrainingGraph training_graph_of(const ImportedModel& model,
                                           const evaluator::TrainingOptions& options) {
  switch (model.kind) {
    case ModelKind::ForwardGraph:
      return evaluator::training_step(model.graph, options);
    case ModelKind::ReadyMadeTrainingGraph: {
      evaluator::TrainingGraph graph = evaluator::ready_made_training(model.graph, options);
      graph.imported_nodes = model.nodes;
      return graph;
    }
  }
  CHECK(false, "a kind of model without a training graph");
}

}  // namespace paretrain::problems
