#include "problems/lowering.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "evaluator/group/operator_content.h"

namespace paretrain::problems {

using evaluator::Access;
using evaluator::MemoryRole;
using evaluator::Operator;
using evaluator::Phase;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepOperatorId;
using evaluator::StepPhase;
using evaluator::StepValue;
using evaluator::StepValueId;
using evaluator::StepValueKind;
using evaluator::Storage;
using evaluator::StorageRole;
using evaluator::TrainingGraph;

namespace {

// How the operators of the graph touch each storage.
struct Writers {
  std::vector<std::size_t> operators;
  bool accumulate = false;
  bool whole = false;  // some writer writes all of it
};

std::vector<Writers> writers_of(const TrainingGraph& graph) {
  std::vector<Writers> writers(graph.storages.size());
  for (std::size_t o = 0; o < graph.operators.size(); ++o)
    for (const Access& write : graph.operators[o].writes) {
      Writers& entry = writers[write.storage.index()];
      if (entry.operators.empty() || entry.operators.back() != o) entry.operators.push_back(o);
      entry.accumulate = entry.accumulate || write.accumulates;
      entry.whole = entry.whole || write.bytes >= graph.storage(write.storage).bytes;
    }
  return writers;
}

MemoryRole memory_role(StorageRole role) {
  switch (role) {
    case StorageRole::Input:
    case StorageRole::Target:
      return MemoryRole::Inputs;
    case StorageRole::Parameter:
      return MemoryRole::Parameters;
    case StorageRole::ParameterGradient:
    case StorageRole::Gradient:
      return MemoryRole::Gradients;
    case StorageRole::OptimizerState:
      return MemoryRole::OptimizerState;
    case StorageRole::Buffer:
      return MemoryRole::Other;
    case StorageRole::Activation:
    case StorageRole::DropoutMask:
    case StorageRole::Statistic:
      return MemoryRole::Activations;
  }
  CHECK(false, "a storage has a role that does not exist");
  return MemoryRole::Other;
}

bool is_resident(StorageRole role) {
  return role == StorageRole::Input || role == StorageRole::Target ||
         role == StorageRole::Parameter || role == StorageRole::OptimizerState ||
         role == StorageRole::Buffer;
}

StepValueKind value_kind(const TrainingGraph& graph,
                         const Storage& storage,
                         const Writers& writers) {
  if (is_resident(storage.role) || writers.operators.empty()) return StepValueKind::Resident;
  const bool forward = graph.operators[writers.operators.front()].phase == Phase::Forward;
  return forward && writers.operators.size() == 1 ? StepValueKind::Forward
                                                  : StepValueKind::Gradient;
}

std::vector<StepValue> lowered_values(const TrainingGraph& graph,
                                      const LoweringOptions& options,
                                      const std::vector<Writers>& writers) {
  std::vector<StepValue> values;
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    const Storage& storage = graph.storages[s];
    StepValue value;
    value.name = storage.name;
    value.kind = value_kind(graph, storage, writers[s]);
    value.role = memory_role(storage.role);
    value.bytes = storage.bytes;
    if (value.kind == StepValueKind::Gradient) {
      value.disjoint_contributions =
          writers[s].operators.size() > 1 && !writers[s].accumulate && !writers[s].whole;
      value.exists_from_start =
          options.repetitions > 1 && storage.role == StorageRole::ParameterGradient;
    }
    values.push_back(std::move(value));
  }
  return values;
}

// Genes in the order of the operators that make the values.
void number_keep_genes(const TrainingGraph& graph,
                       const std::vector<Writers>& writers,
                       StepGraph& step) {
  std::vector<evaluator::StorageId> candidates;
  for (const evaluator::StorageId candidate : graph.candidates)
    if (step.values[candidate.index()].kind == StepValueKind::Forward)
      candidates.push_back(candidate);
  std::ranges::stable_sort(candidates, {}, [&](evaluator::StorageId id) {
    return writers[id.index()].operators.front();
  });
  for (const evaluator::StorageId candidate : candidates) {
    step.values[candidate.index()].keep_gene = step.keep_genes++;
    step.operators[writers[candidate.index()].operators.front()].can_recompute = true;
  }
}

void add_once(std::vector<StepValueId>& values, evaluator::StorageId storage) {
  const StepValueId value(storage.index());
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

StepPhase step_phase(Phase phase) {
  switch (phase) {
    case Phase::Forward:
      return StepPhase::Forward;
    case Phase::Backward:
      return StepPhase::Backward;
    case Phase::Update:
      return StepPhase::Update;
  }
  CHECK(false, "an operator has a phase that does not exist");
  return StepPhase::Forward;
}

StepOperator lowered_operator(const TrainingGraph& graph,
                              const Operator& op,
                              const LoweringOptions& options) {
  StepOperator result;
  result.name = op.name;
  result.phase = step_phase(op.phase);
  for (const Access& read : op.reads)
    add_once(result.reads, read.storage);
  for (const Access& write : op.writes) {
    const bool resident = is_resident(graph.storage(write.storage).role);
    // Running statistics are the group cost's business alone: no plan changes when they are
    // written.
    if (resident && op.phase != Phase::Update) continue;
    add_once(result.writes, write.storage);
    if (write.accumulates && resident) add_once(result.reads, write.storage);
  }
  CHECK(result.writes.size() <= 64, op.name);
  if (op.phase != Phase::Forward) result.forward = StepOperatorId(op.forward.index());
  result.work = op.macs * (op.phase == Phase::Update ? 1 : options.repetitions);
  return result;
}

}  // namespace

StepGraph lowered_step(const TrainingGraph& graph, const LoweringOptions& options) {
  const std::vector<Writers> writers = writers_of(graph);
  StepGraph step;
  step.values = lowered_values(graph, options, writers);
  for (const Operator& op : graph.operators)
    step.operators.push_back(lowered_operator(graph, op, options));
  number_keep_genes(graph, writers, step);
  step.fusion_genes = options.update == evaluator::UpdatePlacement::Search
                          ? evaluator::FusionGenes::WithUpdates
                          : evaluator::FusionGenes::WithoutUpdates;
  return step;
}

std::uint64_t content_hash(const TrainingGraph& graph) {
  std::uint64_t hash = combined(graph.storages.size(), graph.operators.size());
  for (const Storage& storage : graph.storages) {
    hash = combined(hash, static_cast<std::uint64_t>(storage.role));
    hash = combined(hash, static_cast<std::uint64_t>(storage.bytes.number()));
  }
  for (const Operator& op : graph.operators) {
    hash = combined(hash, hash_of(evaluator::operator_words(op)));
    for (const auto* accesses : {&op.reads, &op.writes})
      for (const Access& access : *accesses)
        hash = combined(hash, access.storage.index());
  }
  return hash;
}

}  // namespace paretrain::problems
