#include "evaluator/graph/ready_made_finish.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace paretrain::evaluator {

namespace {

// Values that an optimizer node reads, as they are or after sums and changes of layout.
std::vector<bool> values_on_the_way_to_updates(const ModelGraph& model,
                                               const std::vector<Phase>& phases) {
  static const std::set<std::string_view> kTransparent{"Reshape",
                                                       "ReduceSum",
                                                       "Sum",
                                                       "Add",
                                                       "Transpose",
                                                       "Squeeze",
                                                       "Unsqueeze",
                                                       "Identity",
                                                       "Cast"};
  std::vector<bool> leads(model.values.size(), false);
  for (std::size_t node = model.nodes.size(); node-- > 0;) {
    const Node& source = model.nodes[node];
    if (phases[node] == Phase::Forward) continue;
    const bool passes =
        kTransparent.contains(source.type) &&
        std::ranges::any_of(source.outputs, [&](const auto& o) { return o && leads[o->index()]; });
    if (phases[node] != Phase::Update && !passes) continue;
    for (const auto& input : source.inputs)
      if (input) leads[input->index()] = true;
  }
  return leads;
}

// The phase in which each storage is written first; forward for what is given.
std::vector<Phase> phases_of_storages(const TrainingGraph& graph) {
  std::vector<std::optional<Phase>> found(graph.storages.size());
  for (const Operator& op : graph.operators)
    for (const Access& access : op.writes)
      if (!found[access.storage.index()]) found[access.storage.index()] = op.phase;
  std::vector<Phase> phases;
  for (const auto& phase : found)
    phases.push_back(phase.value_or(Phase::Forward));
  return phases;
}

void set_roles(TrainingGraph& graph) {
  const std::vector<Phase> made = phases_of_storages(graph);
  for (std::size_t i = 0; i < graph.storages.size(); ++i) {
    if (graph.storages[i].role != StorageRole::Activation || made[i] == Phase::Forward) continue;
    graph.storages[i].role = StorageRole::Gradient;
    graph.storages[i].recomputable = false;
  }
  for (const Operator& op : graph.operators) {
    if (op.phase != Phase::Update) continue;
    for (const Access& access : op.reads) {
      Storage& storage = graph.storages[access.storage.index()];
      const bool is_gradient =
          storage.role == StorageRole::Gradient && made[access.storage.index()] == Phase::Backward;
      if (is_gradient) storage.role = StorageRole::ParameterGradient;
    }
  }
}

void set_product_kinds(TrainingGraph& graph, const ReadyMadeParts& parts) {
  const std::vector<bool> leads = values_on_the_way_to_updates(parts.model, parts.phases);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    Operator& op = graph.operators[i];
    if (op.phase != Phase::Backward || op.mac_kind == MacKind::None) continue;
    const bool reads_parameter = std::ranges::any_of(op.reads, [&](const Access& access) {
      return graph.storage(access.storage).role == StorageRole::Parameter;
    });
    const Node& node = parts.model.nodes[parts.nodes[i]];
    const bool is_for_update =
        std::ranges::any_of(node.outputs, [&](const auto& o) { return o && leads[o->index()]; });
    op.mac_kind = reads_parameter ? MacKind::InputGradient
                  : is_for_update ? MacKind::WeightGradient
                                  : MacKind::BackwardActivation;
  }
}

// Files do not say to which forward operator the others belong: the last one whose result they
// read, else the one before them; for updates the first that reads the parameter.
void set_forward_operators(TrainingGraph& graph) {
  std::vector<std::optional<OperatorId>> maker(graph.storages.size());
  std::vector<std::optional<OperatorId>> reader(graph.storages.size());
  OperatorId current(0);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    Operator& op = graph.operators[i];
    const OperatorId id(i);
    if (op.phase == Phase::Forward) {
      op.forward = id;
      current = id;
      for (const Access& access : op.writes)
        maker[access.storage.index()] = id;
      for (const Access& access : op.reads)
        if (!reader[access.storage.index()]) reader[access.storage.index()] = id;
      continue;
    }
    std::optional<OperatorId> found;
    for (const Access& access : op.reads) {
      const auto& made = maker[access.storage.index()];
      if (made && (!found || *made > *found)) found = made;
    }
    for (const Access& access : op.writes)
      if (op.phase == Phase::Update && reader[access.storage.index()])
        found = reader[access.storage.index()];
    if (found) current = *found;
    op.forward = current;
  }
}

void set_candidates(TrainingGraph& graph, const ReadyMadeParts& parts) {
  std::vector<ReadyMadeUses> uses(graph.storages.size());
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    const bool is_loss = is_loss_gradient(parts.model.nodes[parts.nodes[i]]);
    for (const Access& access : op.reads) {
      ReadyMadeUses& entry = uses[access.storage.index()];
      entry.loss = entry.loss || is_loss;
      entry.forward = entry.forward || op.phase == Phase::Forward;
      entry.backward = entry.backward || (op.phase == Phase::Backward && !is_loss);
      entry.update = entry.update || op.phase == Phase::Update;
    }
  }
  for (const StorageId storage : parts.monet_candidates)
    graph.storages[storage.index()].monet_candidate = true;
  for (std::size_t i = 0; i < graph.storages.size(); ++i) {
    Storage& storage = graph.storages[i];
    const bool besides_loss = uses[i].forward || uses[i].backward || uses[i].update;
    storage.recomputable = storage.recomputable && besides_loss;
  }
  for (const Operator& op : graph.operators) {
    if (op.phase != Phase::Forward) continue;
    for (const Access& access : op.writes) {
      const Storage& storage = graph.storage(access.storage);
      const ReadyMadeUses& read = uses[access.storage.index()];
      const bool is_saved = read.backward || read.loss || read.update;
      const bool is_in_set = parts.candidates == CandidateSet::Monet   ? storage.monet_candidate
                             : parts.candidates == CandidateSet::Saved ? is_saved
                                                                       : true;
      if (storage.recomputable && is_in_set) graph.candidates.push_back(access.storage);
    }
  }
}

}  // namespace

bool is_loss_gradient(const Node& node) {
  return node.type.find("LossGrad") != std::string::npos;
}

std::vector<ReadyMadeUses> value_uses(const ModelGraph& model, const std::vector<Phase>& phases) {
  std::vector<ReadyMadeUses> result(model.values.size());
  for (std::size_t node = 0; node < model.nodes.size(); ++node) {
    for (const auto& input : model.nodes[node].inputs) {
      if (!input) continue;
      ReadyMadeUses& uses = result[input->index()];
      uses.forward = uses.forward || phases[node] == Phase::Forward;
      uses.backward = uses.backward || phases[node] == Phase::Backward;
      uses.update = uses.update || phases[node] == Phase::Update;
      uses.loss = uses.loss || is_loss_gradient(model.nodes[node]);
    }
  }
  return result;
}

void finish_ready_made(TrainingGraph& graph, const ReadyMadeParts& parts) {
  set_roles(graph);
  set_product_kinds(graph, parts);
  set_forward_operators(graph);
  set_candidates(graph, parts);
}

}  // namespace paretrain::evaluator
