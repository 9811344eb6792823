// Why: the tables that the plain evaluator (plain_plan.h) works on, read off the training graph and
// DESIGN 2 to 4 alone: who makes and reads what, and which genes there are. It shares nothing with
// the lowering, the layout and the templates that the fast evaluator works on.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::tests {

// An operator that runs: itself, or its second run in the backward phase.
struct PlainRun {
  std::size_t op = 0;
  bool recompute = false;

  friend auto operator<=>(const PlainRun&, const PlainRun&) = default;
};

// A keep gene has a storage, a fusion gene two ends.
struct PlainGene {
  std::optional<std::size_t> storage;
  PlainRun producer;
  PlainRun consumer;
};

struct PlainStorage {
  std::int64_t bytes = 0;
  bool resident = false;
  bool disjoint = false;              // contributions do not overlap
  bool counted = true;                // in the peak
  bool exists_from_backward = false;  // the gradient of the loss in a cost graph
  std::optional<std::size_t> maker;   // the forward operator that makes it
  std::optional<std::size_t> gene;    // it may be recomputed
  std::vector<std::size_t> readers;   // operators in order of the graph
  std::vector<std::size_t> writers;
};

struct PlainOperator {
  evaluator::Phase phase = evaluator::Phase::Forward;
  std::size_t forward = 0;         // whose genes its own stand beside
  std::vector<std::size_t> reads;  // storages, each once, in the order listed
  std::vector<std::size_t> writes;
  bool may_recompute = false;
};

struct PlainStep {
  std::vector<PlainStorage> storages;
  std::vector<PlainOperator> operators;
  std::vector<std::size_t> order;  // operators in order of execution: forward, then the others
  std::vector<std::size_t> rank;   // of each operator in it
  std::vector<PlainGene> genes;
  std::int64_t static_bytes = 0;
};

enum class UpdateGenes { No, Yes };

// Whether two operators may be a group: pairs that may not have no gene.
using PlainPairIsLegal = std::function<bool(const PlainRun& producer, const PlainRun& consumer)>;

// Requires: no micro-batches; every storage that a forward operator makes has one writer.
[[nodiscard]] PlainStep plain_step(const evaluator::TrainingGraph& graph,
                                   UpdateGenes updates,
                                   const PlainPairIsLegal& legal);

}  // namespace paretrain::tests
