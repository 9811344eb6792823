#include "evaluator/graph/training_step.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "evaluator/graph/candidates.h"
#include "evaluator/graph/gradients.h"
#include "evaluator/graph/loss.h"
#include "evaluator/graph/name_pattern.h"
#include "evaluator/graph/optimizer.h"
#include "evaluator/graph/patterns.h"
#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

std::string type_name(const Node& node) {
  const bool own = node.domain.empty() || node.domain == "ai.onnx";
  return own ? node.type : node.domain + "." + node.type;
}

std::vector<UnsupportedOperator> without_rule(const ModelGraph& model) {
  std::map<std::string, UnsupportedOperator> found;
  for (const Node& node : model.nodes) {
    const bool own = node.domain.empty() || node.domain == "ai.onnx";
    if (own && rule_for(node.type)) continue;
    UnsupportedOperator& entry = found[type_name(node)];
    if (entry.count++ == 0) {
      entry.type = type_name(node);
      entry.first_node = node.name;
    }
  }
  std::vector<UnsupportedOperator> result;
  for (auto& [type, entry] : found)
    result.push_back(std::move(entry));
  return result;
}

void refuse_unsupported(const ModelGraph& model, const TrainingOptions& options) {
  if (options.unknown_operator == UnknownOperator::Elementwise) return;
  std::vector<Problem> problems;
  for (const UnsupportedOperator& entry : without_rule(model))
    problems.push_back({model.name + ": " + entry.first_node,
                        "operator " + entry.type + " (" + std::to_string(entry.count) +
                            " in the model) has no rule for training",
                        "--unknown-op elementwise treats it as an elementwise function"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

// Names of the parameters that --freeze leaves untrained.
std::set<std::string> frozen_parameters(const ModelGraph& model, const TrainingOptions& options) {
  std::set<std::string> frozen;
  std::vector<Problem> problems;
  for (const std::string& pattern : options.freeze) {
    bool found = false;
    for (const Value& value : model.values) {
      if (value.kind != ValueKind::Parameter || !matches_pattern(value.name, pattern)) continue;
      frozen.insert(value.name);
      found = true;
    }
    if (!found)
      problems.push_back({"--freeze " + pattern,
                          "matches no parameter of " + model.name,
                          "`paretrain inspect --json` lists them under parameter_list"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return frozen;
}

std::set<std::size_t> running_statistics(const ModelGraph& model) {
  std::set<std::size_t> values;
  for (const Node& node : model.nodes) {
    if (node.type != "BatchNormalization") continue;
    for (std::size_t i = 3; i < node.inputs.size(); ++i)
      if (node.inputs[i]) values.insert(node.inputs[i]->index());
  }
  return values;
}

bool is_folded_weight(const ModelGraph& model, const Node& node) {
  if (node.type != "Conv" || node.inputs.size() < 2 || !node.inputs[1]) return false;
  return model.value(*node.inputs[1]).name.rfind("onnx::Conv_", 0) == 0;
}

// Exports for inference train differently from the network that they came from. Exporters name a
// weight into which a batch normalisation was folded after the node that reads it.
std::vector<std::string> inference_export_warnings(const ModelGraph& model) {
  std::int64_t folded = 0;
  std::int64_t frozen = 0;
  for (const Node& node : model.nodes) {
    if (is_folded_weight(model, node)) ++folded;
    if (node.type != "BatchNormalization") continue;
    const auto mode = node.attributes.find("training_mode");
    const bool trains = model.opset >= 14 ? mode != node.attributes.end() &&
                                                mode->second == Attribute(std::int64_t{1})
                                          : node.outputs.size() > 1;
    if (!trains) ++frozen;
  }
  std::vector<std::string> warnings;
  if (folded > 0)
    warnings.push_back("this is an export for inference: batch normalisation is folded into " +
                       std::to_string(folded) +
                       " convolutions, so there is nothing to normalise; export in training mode");
  if (frozen > 0)
    warnings.push_back(std::to_string(frozen) +
                       " batch normalisations use statistics that are not of the batch, as exports "
                       "for inference do; export in training mode");
  return warnings;
}

class StepDerivation {
 public:
  StepDerivation(const ModelGraph& model, const TrainingOptions& options)
      : model_(model),
        options_(options),
        step_(options, model.name, model.batch),
        values_(model.values.size()) {}

  TrainingGraph graph() {
    add_leaves();
    add_forward();
    if (!options_.inference) {
      const OperatorId loss_begin(step_.graph().operators.size());
      const auto roots = add_losses(step_, loss_outputs());
      loss_begin_ = loss_begin;
      if (roots.empty())
        step_.graph().warnings.push_back(
            "no trained parameter reaches the loss: nothing is trained");
      add_backward(roots);
    }
    choose_candidates(step_.graph(), {options_.candidates, loss_begin_});
    return std::move(step_.graph());
  }

 private:
  void add_leaves();
  void add_forward();
  void add_backward(const std::vector<std::size_t>& roots);
  [[nodiscard]] std::vector<Tensor> loss_outputs() const;

  const ModelGraph& model_;
  const TrainingOptions& options_;
  StepBuilder step_;
  std::vector<std::optional<Tensor>> values_;
  std::vector<StorageId> trained_;
  std::optional<OperatorId> loss_begin_;
};

void StepDerivation::add_leaves() {
  const auto frozen = frozen_parameters(model_, options_);
  std::set<std::size_t> used;
  for (const Node& node : model_.nodes)
    for (const auto& input : node.inputs)
      if (input) used.insert(input->index());
  const auto statistics = running_statistics(model_);
  for (std::size_t i = 0; i < model_.values.size(); ++i) {
    const Value& value = model_.values[i];
    if (value.kind == ValueKind::Computed) continue;
    if (value.kind == ValueKind::Buffer && !used.contains(i)) continue;
    Tensor tensor;
    tensor.name = value.name;
    tensor.type = value.type;
    tensor.view = whole_view(value.shape);
    tensor.layout = value.shape.size() == 4 ? NestLayout::Image : NestLayout::Tokens;
    StorageDraft draft;
    draft.name = value.name;
    draft.type = value.type;
    draft.shape = value.shape;
    switch (value.kind) {
      case ValueKind::Input:
        draft.role = StorageRole::Input;
        tensor.storage = step_.add_storage(draft);
        break;
      case ValueKind::Parameter:
        draft.role = StorageRole::Parameter;
        draft.kind = ElementKind::Parameter;
        tensor.storage = step_.add_storage(draft);
        tensor.needs_gradient = !options_.inference && !frozen.contains(value.name);
        if (tensor.needs_gradient) trained_.push_back(*tensor.storage);
        break;
      case ValueKind::Buffer:
        draft.role = StorageRole::Buffer;
        if (statistics.contains(i)) draft.kind = ElementKind::Statistic;
        tensor.storage = step_.add_storage(draft);
        break;
      case ValueKind::Constant:
      case ValueKind::Computed:
        break;
    }
    values_[i] = std::move(tensor);
  }
}

void StepDerivation::add_forward() {
  for (const Node& node : model_.nodes) {
    NodeContext context(step_, model_, node, values_);
    const bool own = node.domain.empty() || node.domain == "ai.onnx";
    const auto rule = own ? rule_for(node.type) : std::nullopt;
    if (rule) {
      (*rule)(context);
    } else {
      unknown_elementwise(context);
    }
  }
}

std::vector<Tensor> StepDerivation::loss_outputs() const {
  std::vector<Tensor> outputs;
  std::vector<Problem> problems;
  const auto bound = [&](ValueId id) {
    const auto& tensor = values_[id.index()];
    if (!tensor || !tensor->storage)
      throw InputError({model_.name + ": " + model_.value(id).name,
                        "an output that no operator computes; expected a trained result",
                        "choose another output with --loss-output"});
    return *tensor;
  };
  if (options_.loss_outputs.empty()) {
    if (model_.outputs.empty())
      throw InputError({model_.name, "the model has no output; a loss needs one", ""});
    return {bound(model_.outputs.front())};
  }
  for (const std::string& name : options_.loss_outputs) {
    const auto found = std::find_if(model_.outputs.begin(), model_.outputs.end(), [&](ValueId id) {
      return model_.value(id).name == name;
    });
    if (found == model_.outputs.end()) {
      problems.push_back({"--loss-output " + name, "is no output of " + model_.name, ""});
    } else {
      outputs.push_back(bound(*found));
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return outputs;
}

void StepDerivation::add_backward(const std::vector<std::size_t>& roots) {
  step_.set_phase(Phase::Backward);
  Gradients gradients(step_);
  gradients.run(roots, [&] {
    if (options_.update != UpdatePlacement::Eager) return;
    for (const StorageId parameter : gradients.completed_parameters())
      add_update(step_, parameter, *gradients.parameter_gradient(parameter));
  });
  if (options_.update == UpdatePlacement::Eager) return;
  for (const StorageId parameter : trained_)
    if (const auto gradient = gradients.parameter_gradient(parameter))
      add_update(step_, parameter, *gradient);
}

}  // namespace

std::vector<UnsupportedOperator> unsupported_operators(const ModelGraph& model) {
  return without_rule(recognised_patterns(model).model);
}

TrainingGraph training_step(const ModelGraph& model, const TrainingOptions& options) {
  Recognition recognition = recognised_patterns(model);
  refuse_unsupported(recognition.model, options);
  StepDerivation derivation(recognition.model, options);
  TrainingGraph graph = derivation.graph();
  graph.recognised = std::move(recognition.recognised);
  if (!options.inference)
    for (std::string& warning : inference_export_warnings(model))
      graph.warnings.push_back(std::move(warning));
  return graph;
}

}  // namespace paretrain::evaluator
