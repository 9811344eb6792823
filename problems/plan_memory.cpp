#include "problems/plan_memory.h"

#include <memory>
#include <utility>

namespace paretrain::problems {

namespace {

// Groups of one operator that take no time and move nothing.
class UnpricedModel : public evaluator::GroupModel {
 public:
  [[nodiscard]] std::int64_t max_group_length() const override { return 1; }

  [[nodiscard]] bool is_legal(
      std::span<const evaluator::RunningOperator> operators) const override {
    return operators.size() == 1;
  }

  [[nodiscard]] evaluator::GroupCost cost(const evaluator::GroupContent&) const override {
    return {};
  }
};

}  // namespace

PlanProblem unpriced_problem(const std::string& name,
                             const evaluator::TrainingGraph& graph,
                             const LoweringOptions& options) {
  PlanProblemParts parts;
  parts.name = name;
  parts.graph = lowered_step(graph, options);
  parts.graph.fusion_genes = evaluator::FusionGenes::None;
  parts.model = std::make_unique<const UnpricedModel>();
  return PlanProblem(std::move(parts));
}

PlanMemory plan_memory(const PlanProblem& problem) {
  PlanMemory memory;
  memory.resident = problem.graph().static_bytes;
  for (const evaluator::StepValue& value : problem.graph().values)
    if (value.kind == evaluator::StepValueKind::Resident && value.counted)
      memory.resident += value.bytes;
  memory.keep_all_peak = Bytes(problem.evaluate(problem.keep_all()).peak_bytes);
  return memory;
}

}  // namespace paretrain::problems
