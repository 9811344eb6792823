#include "evaluator/graph/optimizer.h"

#include <string>
#include <vector>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

struct UpdateRule {
  const char* type = "";
  std::vector<const char*> states;
};

UpdateRule rule_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::Sgd:
      return {"Sgd", {}};
    case Optimizer::Momentum:
      return {"Momentum", {"momentum"}};
    case Optimizer::Adam:
      return {"Adam", {"first_moment", "second_moment"}};
    case Optimizer::AdamW:
      return {"AdamW", {"first_moment", "second_moment"}};
  }
  CHECK(false, "an optimizer without a rule");
}

// The forward operator that reads the parameter first.
OperatorId first_reader(const TrainingGraph& graph, StorageId parameter) {
  for (std::size_t i = 0; i < graph.operators.size(); ++i)
    for (const Access& access : graph.operators[i].reads)
      if (access.storage == parameter) return graph.operators[i].forward;
  return OperatorId(0);
}

}  // namespace

void add_update(StepBuilder& step, StorageId parameter, StorageId gradient) {
  const UpdateRule rule = rule_of(step.options().optimizer);
  const Storage updated = step.storage(parameter);
  const TensorView view = whole_view(updated.shape);
  const auto in_place = [&](StorageId storage) {
    OperandView operand = step.seen(storage, view);
    operand.accumulates = true;
    return operand;
  };
  PointwiseDraft draft;
  draft.name = updated.name + ":update";
  draft.type = rule.type;
  draft.iteration = updated.shape;
  draft.layout = NestLayout::Weights;
  draft.reads = {step.seen(gradient, view)};
  draft.writes = {in_place(parameter)};
  for (const char* state : rule.states) {
    StorageDraft storage;
    storage.name = updated.name + ":" + state;
    storage.role = StorageRole::OptimizerState;
    storage.kind = ElementKind::OptimizerState;
    storage.type = updated.type;
    storage.shape = updated.shape;
    draft.writes.push_back(in_place(step.add_storage(storage)));
  }
  const Phase phase = step.phase();
  step.set_phase(Phase::Update);
  step.set_forward(first_reader(step.graph(), parameter));
  step.add(draft);
  step.set_phase(phase);
}

}  // namespace paretrain::evaluator
