#include <algorithm>
#include <optional>
#include <vector>

#include "base/check.h"
#include "evaluator/graph/training_step.h"

namespace paretrain::evaluator {
namespace {

bool is_index_constant(const Storage& storage) {
  return storage.role == StorageRole::Buffer &&
         (storage.type == ElementType::Int64 || storage.type == ElementType::Int32);
}

bool counts_as_saved(const Storage& storage) {
  switch (storage.role) {
    case StorageRole::Input:
    case StorageRole::Target:
    case StorageRole::Activation:
    case StorageRole::DropoutMask:
    case StorageRole::Statistic:
      return true;
    case StorageRole::Buffer:
      return is_index_constant(storage);
    case StorageRole::Parameter:
    case StorageRole::ParameterGradient:
    case StorageRole::OptimizerState:
    case StorageRole::Gradient:
      return false;
  }
  CHECK(false, "a role that is neither saved nor not");
}

// Storages that the dynamic peak counts: allocated inside the step.
bool is_dynamic(StorageRole role) {
  switch (role) {
    case StorageRole::Activation:
    case StorageRole::DropoutMask:
    case StorageRole::Statistic:
    case StorageRole::Gradient:
    case StorageRole::ParameterGradient:
      return true;
    case StorageRole::Input:
    case StorageRole::Target:
    case StorageRole::Parameter:
    case StorageRole::OptimizerState:
    case StorageRole::Buffer:
      return false;
  }
  CHECK(false, "a role that is neither dynamic nor not");
}

struct Lifetime {
  std::optional<std::size_t> first;
  std::size_t last = 0;
};

std::vector<Lifetime> lifetimes(const TrainingGraph& graph) {
  std::vector<Lifetime> result(graph.storages.size());
  for (std::size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator& op = graph.operators[o];
    for (const auto* accesses : {&op.reads, &op.writes}) {
      for (const Access& access : *accesses) {
        Lifetime& lifetime = result[access.storage.index()];
        if (!lifetime.first) lifetime.first = o;
        lifetime.last = o;
      }
    }
  }
  return result;
}

void add_role(DynamicBytes& bytes, StorageRole role, std::int64_t amount) {
  if (role == StorageRole::ParameterGradient) {
    bytes.parameter_gradients += amount;
  } else if (role == StorageRole::Gradient) {
    bytes.gradients += amount;
  } else {
    bytes.activations += amount;
  }
}

void add_macs(MacSummary& macs, const Operator& op) {
  switch (op.mac_kind) {
    case MacKind::None:
      return;
    case MacKind::Forward:
      macs.forward += op.macs;
      return;
    case MacKind::ForwardActivation:
      macs.forward += op.macs;
      macs.forward_activation += op.macs;
      return;
    case MacKind::InputGradient:
      macs.backward += op.macs;
      macs.backward_input_grad += op.macs;
      return;
    case MacKind::WeightGradient:
      macs.backward += op.macs;
      macs.backward_weight_grad += op.macs;
      return;
    case MacKind::BackwardActivation:
      macs.backward += op.macs;
      macs.backward_activation += op.macs;
      return;
  }
}

void add_operators(StepSummary& summary, const TrainingGraph& graph) {
  for (const Operator& op : graph.operators) {
    add_macs(summary.macs, op);
    switch (op.phase) {
      case Phase::Forward:
        ++summary.forward_operators;
        break;
      case Phase::Backward:
        ++summary.backward_operators;
        break;
      case Phase::Update:
        ++summary.update_operators;
        break;
    }
  }
}

void add_storages(StepSummary& summary, const TrainingGraph& graph) {
  for (const Storage& storage : graph.storages) {
    switch (storage.role) {
      case StorageRole::Parameter:
        ++summary.parameter_tensors;
        summary.parameter_elements += storage.elements;
        summary.parameter_bytes += storage.bytes;
        break;
      case StorageRole::ParameterGradient:
        summary.gradient_bytes += storage.bytes;
        break;
      case StorageRole::OptimizerState:
        summary.optimizer_state_bytes += storage.bytes;
        break;
      case StorageRole::Input:
      case StorageRole::Target:
        summary.input_bytes += storage.bytes;
        break;
      case StorageRole::Buffer:
        summary.buffer_bytes += storage.bytes;
        break;
      case StorageRole::Activation:
      case StorageRole::DropoutMask:
      case StorageRole::Statistic:
      case StorageRole::Gradient:
        break;
    }
  }
}

void add_parameters(StepSummary& summary, const TrainingGraph& graph) {
  std::vector<bool> updated(graph.storages.size(), false);
  for (const Operator& op : graph.operators)
    if (op.phase == Phase::Update)
      for (const Access& access : op.writes)
        updated[access.storage.index()] = true;
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    const Storage& storage = graph.storages[s];
    if (storage.role == StorageRole::Parameter)
      summary.parameters.push_back({storage.name, storage.shape, storage.bytes, updated[s]});
  }
}

void add_candidates(StepSummary& summary, const TrainingGraph& graph) {
  std::vector<bool> read_backward(graph.storages.size(), false);
  std::vector<const Operator*> producer(graph.storages.size(), nullptr);
  for (const Operator& op : graph.operators) {
    for (const Access& access : op.reads)
      if (op.phase == Phase::Backward) read_backward[access.storage.index()] = true;
    for (const Access& access : op.writes)
      if (producer[access.storage.index()] == nullptr) producer[access.storage.index()] = &op;
  }
  for (const StorageId id : graph.candidates) {
    const Storage& storage = graph.storage(id);
    CandidateSummary candidate;
    candidate.name = storage.name;
    if (producer[id.index()] != nullptr) candidate.producer = producer[id.index()]->name;
    candidate.shape = storage.shape;
    candidate.bytes = storage.bytes;
    candidate.read_by_backward = read_backward[id.index()];
    summary.candidates.push_back(std::move(candidate));
  }
}

}  // namespace

std::vector<StorageId> saved_storages(const TrainingGraph& graph) {
  std::vector<bool> read_backward(graph.storages.size(), false);
  for (const Operator& op : graph.operators)
    if (op.phase == Phase::Backward)
      for (const Access& access : op.reads)
        read_backward[access.storage.index()] = true;
  std::vector<StorageId> saved;
  for (std::size_t s = 0; s < graph.storages.size(); ++s)
    if (read_backward[s] && counts_as_saved(graph.storages[s])) saved.emplace_back(s);
  return saved;
}

DynamicPeak keep_all_peak(const TrainingGraph& graph) {
  const auto lives = lifetimes(graph);
  std::vector<std::vector<std::size_t>> begins(graph.operators.size());
  std::vector<std::vector<std::size_t>> ends(graph.operators.size());
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    if (!lives[s].first || !is_dynamic(graph.storages[s].role)) continue;
    begins[*lives[s].first].push_back(s);
    ends[lives[s].last].push_back(s);
  }
  DynamicPeak peak;
  DynamicBytes alive;
  for (std::size_t o = 0; o < graph.operators.size(); ++o) {
    for (const std::size_t s : begins[o])
      add_role(alive, graph.storages[s].role, graph.storages[s].bytes.number());
    const std::int64_t total = alive.activations + alive.gradients + alive.parameter_gradients;
    if (total > peak.bytes.number())
      peak = {Bytes(total), graph.operators[o].phase, graph.operators[o].name, alive};
    for (const std::size_t s : ends[o])
      add_role(alive, graph.storages[s].role, -graph.storages[s].bytes.number());
  }
  return peak;
}

StepSummary step_summary(const TrainingGraph& graph) {
  StepSummary summary;
  summary.model = graph.name;
  summary.batch = graph.batch;
  summary.imported_nodes = graph.imported_nodes;
  summary.recognised = graph.recognised;
  add_operators(summary, graph);
  add_storages(summary, graph);
  for (const StorageId id : saved_storages(graph)) {
    const Storage& storage = graph.storage(id);
    ++summary.saved_tensors;
    summary.saved_bytes += storage.bytes;
    const bool input = storage.role == StorageRole::Input || storage.role == StorageRole::Target;
    if (input) summary.saved_input_bytes += storage.bytes;
  }
  summary.peak = keep_all_peak(graph);
  add_candidates(summary, graph);
  add_parameters(summary, graph);
  return summary;
}

}  // namespace paretrain::evaluator
