#include "evaluator/graph/loss.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "evaluator/graph/gradients.h"

namespace paretrain::evaluator {
namespace {

// Classes are axis 1 of logits and of maps, the last axis of token sequences.
std::size_t class_axis(const Tensor& logits, const std::string& model) {
  const std::size_t rank = logits.shape().size();
  if (rank == 2 || rank == 4 || rank == 5) return 1;
  if (rank == 3) return 2;
  throw InputError({model + ": " + logits.name,
                    "an output of rank " + std::to_string(rank) +
                        "; cross entropy takes classes by 2 to 5 dimensions",
                    "choose another output with --loss-output or --loss mse"});
}

// One number per sample has no classes: cross entropy means nothing there.
bool takes_squared_error(StepBuilder& step, const Tensor& output) {
  if (step.options().loss == Loss::MeanSquaredError) return true;
  if (output.shape().size() > 1) return false;
  step.graph().warnings.push_back("output " + output.name +
                                  " has no class axis: mean squared error is taken");
  return true;
}

Tensor loss_value(StepBuilder& step, const std::string& name) {
  StorageDraft draft;
  draft.name = name;
  draft.kind = ElementKind::Statistic;
  return step.auxiliary(draft);
}

// Model: outputs of one shape are heads that learn the same labels, as auxiliary classifiers do, so
// their losses read one target.
class Targets {
 public:
  explicit Targets(StepBuilder& step) : step_(step) {}

  // `draft` has the name and the shape of the target, if it is made.
  Tensor of(const Tensor& output, StorageDraft draft) {
    for (const Made& made : made_)
      if (made.output == output.shape() && made.target.type == draft.type) return made.target;
    draft.role = StorageRole::Target;
    made_.push_back({output.shape(), step_.auxiliary(draft)});
    return made_.back().target;
  }

 private:
  struct Made {
    Shape output;
    Tensor target;
  };

  StepBuilder& step_;
  std::vector<Made> made_;
};

PointwiseDraft draft_of(const std::string& name, const std::string& type, const Tensor& like) {
  PointwiseDraft draft;
  draft.name = name;
  draft.type = type;
  draft.iteration = like.shape();
  draft.layout = like.layout;
  return draft;
}

Tensor add_log_softmax(StepBuilder& step, const Tensor& logits, const std::string& prefix) {
  StorageDraft made;
  made.name = prefix + "log_probabilities";
  made.kind = ElementKind::Statistic;
  made.shape = logits.shape();
  Tensor result = step.auxiliary(made);
  result.layout = logits.layout;
  result.needs_gradient = logits.needs_gradient;
  PointwiseDraft draft = draft_of(prefix + "log_softmax", "LogSoftmax", logits);
  draft.reads = {step.seen(logits)};
  draft.writes = {step.seen(result)};
  step.add(draft);
  step.record({logits}, {result}, [=](Gradients& gradients) {
    gradients.contribute(logits, [&](const OperandView& target) {
      PointwiseDraft back =
          draft_of(prefix + "log_softmax:input_grad", "LogSoftmaxGradient", logits);
      back.reads = {gradients.of(result), gradients.step().seen(result)};
      back.writes = {target};
      gradients.step().add(back);
    });
  });
  return result;
}

// One log-probability per target is read; the total weight is what frameworks divide by.
Tensor add_likelihood(StepBuilder& step,
                      const Tensor& log_probabilities,
                      std::size_t axis,
                      Targets& targets,
                      const std::string& prefix) {
  Tensor picked = log_probabilities;
  picked.view = without_axis(picked.view, axis);
  StorageDraft classes;
  classes.name = prefix + "target";
  classes.type = ElementType::Int64;
  classes.shape = picked.shape();
  Tensor target = targets.of(log_probabilities, classes);
  target.layout = picked.layout;
  const Tensor loss = loss_value(step, prefix + "loss");
  PointwiseDraft draft =
      draft_of(prefix + "negative_log_likelihood", "NegativeLogLikelihood", picked);
  draft.operator_class = OperatorClass::Reduction;
  draft.reads = {step.seen(picked), step.seen(target)};
  draft.writes = {step.seen(loss)};
  std::vector<Tensor> weights;
  if (step.keeps_like_framework()) {
    weights = {step.statistic(prefix + "total_weight", {})};
    draft.writes.push_back(step.seen(weights.front()));
  }
  step.add(draft);
  const bool keeps_values = step.keeps_like_framework();
  step.record({log_probabilities}, {loss}, [=](Gradients& gradients) {
    StepBuilder& builder = gradients.step();
    gradients.contribute(log_probabilities, [&](const OperandView& written) {
      PointwiseDraft back = draft_of(prefix + "negative_log_likelihood:input_grad",
                                     "NegativeLogLikelihoodGradient",
                                     log_probabilities);
      Tensor spread = target;
      spread.view = with_axis(target.view, axis);
      back.reads = {builder.seen(spread)};
      for (const Tensor& weight : weights)
        back.reads.push_back(builder.seen(weight));
      back.writes = {written};
      builder.add(back);
    });
    if (keeps_values) builder.hold(*log_probabilities.storage);
  });
  return loss;
}

Tensor add_squared_error(StepBuilder& step,
                         const Tensor& output,
                         Targets& targets,
                         const std::string& prefix) {
  StorageDraft wanted;
  wanted.name = prefix + "target";
  wanted.type = output.type;
  wanted.shape = output.shape();
  Tensor target = targets.of(output, wanted);
  target.layout = output.layout;
  const Tensor loss = loss_value(step, prefix + "loss");
  PointwiseDraft error = draft_of(prefix + "squared_error", "SquaredError", output);
  StorageDraft squares;
  squares.name = prefix + "squared_errors";
  squares.kind = ElementKind::Statistic;
  squares.shape = output.shape();
  const Tensor squared = step.auxiliary(squares);
  error.reads = {step.seen(output), step.seen(target)};
  error.writes = {step.seen(squared)};
  step.add(error);
  PointwiseDraft mean = draft_of(prefix + "mean_squared_error", "MeanSquaredError", output);
  mean.operator_class = OperatorClass::Reduction;
  mean.reads = {step.seen(squared)};
  mean.writes = {step.seen(loss)};
  step.add(mean);
  step.record({output}, {loss}, [=](Gradients& gradients) {
    StepBuilder& builder = gradients.step();
    StorageDraft scaled;
    scaled.name = prefix + "squared_errors:grad";
    scaled.role = StorageRole::Gradient;
    scaled.kind = ElementKind::Statistic;
    const Tensor scale = builder.auxiliary(scaled);
    PointwiseDraft first =
        draft_of(prefix + "mean_squared_error:input_grad", "MeanSquaredErrorGradient", scale);
    first.writes = {builder.seen(scale)};
    builder.add(first);
    gradients.contribute(output, [&](const OperandView& written) {
      PointwiseDraft back =
          draft_of(prefix + "squared_error:input_grad", "SquaredErrorGradient", output);
      back.reads = {builder.seen(output), builder.seen(target), builder.seen(scale)};
      back.writes = {written};
      builder.add(back);
    });
  });
  return loss;
}

void add_sum(StepBuilder& step, const std::vector<Tensor>& losses) {
  if (losses.size() < 2) return;
  const Tensor total = loss_value(step, "loss");
  PointwiseDraft draft = draft_of("loss_sum", "Sum", total);
  for (const Tensor& loss : losses)
    draft.reads.push_back(step.seen(loss));
  draft.writes = {step.seen(total)};
  step.add(draft);
}

}  // namespace

std::vector<std::size_t> add_losses(StepBuilder& step, std::vector<Tensor> outputs) {
  std::vector<std::size_t> roots;
  std::vector<Tensor> losses;
  Targets targets(step);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    const std::string prefix = outputs.size() == 1 ? "" : output.name + ":";
    const std::size_t before = step.tape().size();
    if (takes_squared_error(step, output)) {
      losses.push_back(add_squared_error(step, output, targets, prefix));
    } else {
      const std::size_t axis = class_axis(output, step.graph().name);
      const Tensor log_probabilities = add_log_softmax(step, output, prefix);
      losses.push_back(add_likelihood(step, log_probabilities, axis, targets, prefix));
    }
    if (step.tape().size() > before) roots.push_back(step.tape().size() - 1);
  }
  add_sum(step, losses);
  return roots;
}

}  // namespace paretrain::evaluator
