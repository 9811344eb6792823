// Why: what a ready-made file leaves unsaid (what a storage is for, which product is which
// gradient, which forward operator another belongs to) follows from who reads what.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::evaluator {

// Who reads a value.
struct ReadyMadeUses {
  bool forward = false;
  bool backward = false;
  bool update = false;
  bool loss = false;  // the gradient of the loss
};

[[nodiscard]] bool is_loss_gradient(const Node& node);

// By value of the model.
[[nodiscard]] std::vector<ReadyMadeUses> value_uses(const ModelGraph& model,
                                                    const std::vector<Phase>& phases);

// How a graph came about. Requires: `nodes` has one entry per operator.
struct ReadyMadeParts {
  const ModelGraph& model;
  const std::vector<Phase>& phases;       // by node
  const std::vector<std::size_t>& nodes;  // by operator: the node that it came from
  const std::vector<StorageId>& monet_candidates;
  CandidateSet candidates = CandidateSet::All;
};

// Sets roles of storages made after the forward phase, the kinds of backward products, the forward
// operator of every other operator, and the candidates.
void finish_ready_made(TrainingGraph& graph, const ReadyMadeParts& parts);

}  // namespace paretrain::evaluator
