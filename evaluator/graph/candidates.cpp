#include "evaluator/graph/candidates.h"

#include <string>
#include <vector>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

struct Readers {
  bool any = false;
  bool backward = false;
  bool besides_loss = false;
};

std::vector<Readers> readers_of(const TrainingGraph& graph, std::optional<OperatorId> loss_begin) {
  std::vector<Readers> readers(graph.storages.size());
  for (const Operator& op : graph.operators) {
    const bool loss = loss_begin && op.phase != Phase::Update && op.forward >= *loss_begin;
    for (const Access& access : op.reads) {
      Readers& entry = readers[access.storage.index()];
      entry.any = true;
      entry.backward = entry.backward || op.phase == Phase::Backward;
      entry.besides_loss = entry.besides_loss || !loss;
    }
  }
  return readers;
}

// MONET leaves out tensors by their names.
bool has_excluded_name(const std::string& name) {
  for (const char* part : {"lazy_reset", "loss", "prob"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

bool is_chosen(const Storage& storage, const Readers& readers, CandidateSet set) {
  switch (set) {
    case CandidateSet::All:
      return storage.recomputable;
    case CandidateSet::Saved:
      return storage.recomputable && readers.backward;
    case CandidateSet::Monet:
      return storage.monet_candidate;
  }
  CHECK(false, "a candidate set without a rule");
}

}  // namespace

void choose_candidates(TrainingGraph& graph, const CandidateChoice& choice) {
  const auto readers = readers_of(graph, choice.loss_begin);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    Storage& storage = graph.storages[s];
    storage.recomputable = storage.recomputable && readers[s].any && readers[s].besides_loss;
    storage.monet_candidate =
        storage.recomputable && readers[s].backward && !has_excluded_name(storage.name);
  }
  graph.candidates.clear();
  for (const Operator& op : graph.operators) {
    if (op.phase != Phase::Forward) continue;
    for (const Access& access : op.writes) {
      const std::size_t s = access.storage.index();
      if (is_chosen(graph.storages[s], readers[s], choice.set))
        graph.candidates.push_back(access.storage);
    }
  }
}

}  // namespace paretrain::evaluator
