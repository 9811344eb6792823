#include "evaluator/graph/ready_made.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "evaluator/graph/ready_made_finish.h"
#include "evaluator/graph/ready_made_fold.h"
#include "evaluator/graph/ready_made_rules.h"
#include "evaluator/graph/rules/rules.h"
#include "evaluator/graph/step_builder.h"

namespace paretrain::evaluator {

namespace {

bool is_update_of_parameter(const Node& node) {
  return node.name.starts_with("Adam_Update_") && node.type == "Sub" && node.inputs.size() == 2;
}

class Import {
 public:
  Import(const ModelGraph& model, const TrainingOptions& options)
      : model_(model),
        options_(options),
        step_(options, model.name, model.batch),
        phases_(ready_made_phases(model)),
        uses_(value_uses(model, phases_)),
        values_(model.values.size()) {}

  [[nodiscard]] TrainingGraph result() {
    find_chains();
    for (std::size_t value = 0; value < model_.values.size(); ++value)
      if (model_.values[value].kind != ValueKind::Computed) add_given(value);
    for (std::size_t node = 0; node < model_.nodes.size(); ++node)
      if (phases_[node] == Phase::Forward || !options_.inference) add_node(node);
    TrainingGraph graph = std::move(step_.graph());
    finish_ready_made(graph, {model_, phases_, nodes_, monet_, options_.candidates});
    return graph;
  }

 private:
  void find_chains();
  void add_given(std::size_t value);
  [[nodiscard]] StorageDraft given_draft(const Value& given, const ReadyMadeUses& uses) const;
  void add_node(std::size_t index);
  void add_by_rule(const Node& node);
  void add_weight_gradient(const Im2colChain& chain);
  void add_update(const Node& node, const Tensor& parameter);
  void note_candidates(const Node& node, std::size_t first_new_storage);

  const ModelGraph& model_;
  const TrainingOptions& options_;
  StepBuilder step_;
  std::vector<Phase> phases_;
  std::vector<ReadyMadeUses> uses_;
  std::vector<std::optional<Tensor>> values_;
  std::vector<Im2colChain> chains_;
  std::set<std::size_t> folded_;                   // nodes of chains
  std::map<std::size_t, std::size_t> chain_ends_;  // their last nodes
  std::vector<std::size_t> nodes_;                 // of the model, by operator
  std::vector<StorageId> monet_;                   // storages of MONET's candidates
};

void Import::find_chains() {
  if (!options_.fold_im2col) return;
  chains_ = im2col_chains(model_);
  for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
    folded_.insert(chains_[chain].nodes.begin(), chains_[chain].nodes.end());
    chain_ends_.emplace(chains_[chain].nodes.back(), chain);
  }
}

StorageDraft Import::given_draft(const Value& given, const ReadyMadeUses& uses) const {
  StorageDraft draft;
  draft.name = given.name;
  draft.type = given.type;
  draft.shape = given.shape;
  switch (given.kind) {
    case ValueKind::Input:
      draft.role = uses.loss ? StorageRole::Target : StorageRole::Input;
      return draft;
    case ValueKind::Parameter:
      draft.role = StorageRole::Parameter;
      draft.kind = ElementKind::Parameter;
      return draft;
    case ValueKind::Buffer:
    case ValueKind::Constant:
    case ValueKind::Computed: {
      const bool is_state = uses.update && !uses.forward && !uses.backward;
      draft.role = is_state ? StorageRole::OptimizerState : StorageRole::Buffer;
      if (is_state) draft.kind = ElementKind::OptimizerState;
      return draft;
    }
  }
  CHECK(false, "a kind of value without a role");
}

void Import::add_given(std::size_t value) {
  const Value& given = model_.values[value];
  const ReadyMadeUses& uses = uses_[value];
  Tensor tensor;
  tensor.name = given.name;
  tensor.type = given.type;
  tensor.view = whole_view(given.shape);
  tensor.layout = given.shape.size() == 4 ? NestLayout::Image : NestLayout::Tokens;
  const bool is_read = uses.forward || uses.backward || uses.update;
  // Single numbers that are no data (learning rates, ratios) occupy nothing.
  const bool occupies = given.kind == ValueKind::Input || element_count(given.shape) > 1;
  if (given.kind != ValueKind::Constant && is_read && occupies)
    tensor.storage = step_.add_storage(given_draft(given, uses));
  values_[value] = std::move(tensor);
}

void Import::add_node(std::size_t index) {
  const auto chain = chain_ends_.find(index);
  if (chain == chain_ends_.end() && folded_.contains(index)) return;
  const Node& node = model_.nodes[index];
  const std::size_t first_storage = step_.graph().storages.size();
  step_.set_phase(phases_[index]);
  if (chain != chain_ends_.end()) {
    add_weight_gradient(chains_[chain->second]);
  } else {
    add_by_rule(node);
    if (phases_[index] == Phase::Forward) note_candidates(node, first_storage);
  }
  nodes_.resize(step_.graph().operators.size(), index);
}

void Import::add_by_rule(const Node& node) {
  if (is_update_of_parameter(node)) {
    const Tensor parameter = *values_[node.inputs[0]->index()];
    const bool is_parameter =
        parameter.storage && step_.storage(*parameter.storage).role == StorageRole::Parameter;
    if (is_parameter) return add_update(node, parameter);
  }
  NodeContext context(step_, model_, node, values_);
  if (const auto rule = ready_made_rule(node)) {
    (*rule)(context);
  } else {
    unknown_elementwise(context);
  }
}

// In place: the parameter's storage is what the next step reads.
void Import::add_update(const Node& node, const Tensor& parameter) {
  PointwiseDraft draft;
  draft.name = node.name;
  draft.type = node.type;
  draft.iteration = parameter.shape();
  draft.layout = NestLayout::Weights;
  draft.reads = {step_.seen(*values_[node.inputs[1]->index()])};
  draft.writes = {step_.seen(parameter)};
  draft.writes[0].accumulates = true;
  step_.add(draft);
  values_[node.outputs[0]->index()] = parameter;
}

void Import::add_weight_gradient(const Im2colChain& chain) {
  const Value& gradient = model_.value(chain.weight_gradient);
  const Tensor& feature = *values_[chain.feature_gradient.index()];
  Tensor made = step_.result(gradient.name, gradient.shape, feature);
  made.layout = NestLayout::Weights;
  ConvolutionOperands operands;
  operands.image = step_.seen(*values_[chain.image.index()]);
  operands.weight = step_.seen(made);
  operands.feature = step_.seen(feature);
  operands.window = chain.window;
  operands.partial_bits = step_.partial_bits(made.type);
  OperatorDraft draft;
  draft.name = gradient.name + ":weight_grad";
  draft.type = "ConvWeightGradient";
  draft.operator_class = OperatorClass::Matrix;
  draft.mac_kind = MacKind::WeightGradient;
  draft.built = convolution_weight_gradient_nest(operands);
  draft.matrix_nest = im2col_weight_gradient_nest(operands);
  step_.add(std::move(draft));
  values_[chain.weight_gradient.index()] = std::move(made);
}

// MONET's candidates are tensors of the forward pass that a later phase reads under their own name.
// A view among them has no storage of its own; when they are what is asked for, it gets one.
void Import::note_candidates(const Node& node, std::size_t first_new_storage) {
  for (const auto& output : node.outputs) {
    if (!output) continue;
    const ReadyMadeUses& uses = uses_[output->index()];
    const std::string& name = model_.value(*output).name;
    std::optional<Tensor>& tensor = values_[output->index()];
    if (!(uses.backward || uses.update) || !is_monet_name(name) || !tensor || !tensor->storage)
      continue;
    const bool is_own = tensor->storage->index() >= first_new_storage;
    if (!is_own && options_.candidates != CandidateSet::Monet) continue;
    if (!is_own) tensor = step_.copied(*tensor, name);
    monet_.push_back(*tensor->storage);
  }
}

void refuse_unknown(const ModelGraph& model, const TrainingOptions& options) {
  if (options.unknown_operator == UnknownOperator::Elementwise) return;

  struct Use {
    std::int64_t count = 0;
    std::string first;
  };

  std::map<std::string, Use> unknown;
  for (const Node& node : model.nodes) {
    if (ready_made_rule(node)) continue;
    Use& use = unknown[node.type];
    if (use.count++ == 0) use.first = node.name;
  }
  std::vector<Problem> problems;
  for (const auto& [type, use] : unknown)
    problems.push_back({model.name + ": " + use.first,
                        "operator " + type + " (" + number_text(use.count) +
                            " in the model) has no rule for training",
                        "--unknown-op elementwise treats it as an elementwise function"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

// What the file decides cannot be chosen.
void refuse_choices(const TrainingOptions& options) {
  std::vector<Problem> problems;
  const auto refuse = [&](const char* option) {
    problems.push_back({option,
                        "a ready-made training graph has its own; expected a forward network",
                        "leave the option out"});
  };
  if (!options.loss_outputs.empty()) refuse("--loss-output");
  if (!options.freeze.empty()) refuse("--freeze");
  if (options.loss != Loss::CrossEntropy) refuse("--loss");
  if (options.optimizer != Optimizer::Adam) refuse("--optimizer");
  if (options.update != UpdatePlacement::End) refuse("--update");
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

std::vector<Phase> ready_made_phases(const ModelGraph& model) {
  std::vector<Phase> phases;
  bool is_forward = true;
  for (const Node& node : model.nodes) {
    const bool is_update = node.name.starts_with("Sum_Grad_") || node.name.starts_with("Adam_");
    is_forward = is_forward && !is_loss_gradient(node);
    phases.push_back(is_forward ? Phase::Forward : is_update ? Phase::Update : Phase::Backward);
  }
  return phases;
}

bool is_monet_name(std::string_view name) {
  return std::ranges::none_of(
      std::array<std::string_view, 3>{"lazy_reset", "loss", "prob"},
      [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

TrainingGraph ready_made_training(const ModelGraph& model, const TrainingOptions& options) {
  refuse_choices(options);
  refuse_unknown(model, options);
  return Import(model, options).result();
}

}  // namespace paretrain::evaluator
