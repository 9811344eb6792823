#include "problems/model_step.h"

#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/number_text.h"
#include "evaluator/graph/ready_made.h"

namespace paretrain::problems {

using evaluator::UnsupportedOperator;

MicroBatchedModel micro_batched_model(const std::string& model,
                                      const ImportOptions& options,
                                      std::optional<std::int64_t> micro_batch) {
  MicroBatchedModel result{imported_model(model, options), 1};
  if (!micro_batch) return result;
  const std::int64_t batch = result.model.graph.batch;
  if (*micro_batch < 1 || batch % *micro_batch != 0)
    throw InputError(Problem{"--micro-batch",
                             number_text(*micro_batch) +
                                 " was given; expected a divisor of the batch, " +
                                 number_text(batch),
                             ""});
  result.model = imported_model(model, at_batch(options, result.model, *micro_batch));
  result.repetitions = batch / *micro_batch;
  return result;
}

std::vector<UnsupportedOperator> unsupported_operators(const ImportedModel& model) {
  if (model.kind == ModelKind::ReadyMadeTrainingGraph) return {};
  std::map<std::string, UnsupportedOperator> all;
  for (UnsupportedOperator& entry : evaluator::unsupported_operators(model.graph))
    all.emplace(entry.type, entry);
  for (const UnknownOperatorUse& use : model.unknown_operators)
    all.emplace(use.type, UnsupportedOperator{use.type, use.count, use.first_node});
  std::vector<UnsupportedOperator> result;
  for (auto& [type, entry] : all)
    result.push_back(std::move(entry));
  return result;
}

evaluator::TrainingGraph model_step(const ImportedModel& model,
                                    const evaluator::TrainingOptions& options) {
  if (model.kind == ModelKind::ReadyMadeTrainingGraph) {
    evaluator::TrainingGraph graph = evaluator::ready_made_training(model.graph, options);
    graph.imported_nodes = model.nodes;
    return graph;
  }
  if (options.unknown_operator == evaluator::UnknownOperator::Error) {
    std::vector<Problem> problems;
    for (const UnsupportedOperator& entry : unsupported_operators(model))
      problems.push_back({model.name + ": " + entry.first_node,
                          "operator " + entry.type + " (" + std::to_string(entry.count) +
                              " in the model) has no rule for training",
                          "--unknown-op elementwise treats it as an elementwise function"});
    if (!problems.empty()) throw InputError(std::move(problems));
  }
  return evaluator::training_step(model.graph, options);
}

}  // namespace paretrain::problems
