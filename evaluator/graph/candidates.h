// Why: which storages get a keep/recompute gene is a question of who makes and reads them.
#pragma once

#include <optional>

#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::evaluator {

struct CandidateChoice {
  CandidateSet set = CandidateSet::All;
  std::optional<OperatorId> loss_begin;  // the first operator of the loss
};

// Takes `recomputable` from what only the loss reads and from what nobody reads, marks MONET's list
// and fills `candidates` in order of producers.
// Source: DESIGN §3, Genes.
void choose_candidates(TrainingGraph& graph, const CandidateChoice& choice);

}  // namespace paretrain::evaluator
