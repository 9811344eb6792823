// Why: group costs are tested on small graphs made by hand, through the same nest builders that the
// training graph uses, so that no model file and no autodiff stands between a test and its subject.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/graph/nests.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::tests {

// A chain of forward operators, 8 bits per element.
class SmallGraph {
 public:
  explicit SmallGraph(std::int64_t bits = 8) : bits_(bits) {}

  [[nodiscard]] evaluator::StorageId tensor(const std::string& name,
                                            const evaluator::Shape& shape,
                                            evaluator::StorageRole role);
  // Each returns what it makes.
  evaluator::StorageId convolution(evaluator::StorageId image,
                                   std::int64_t channels,
                                   std::int64_t kernel,
                                   std::int64_t stride);
  evaluator::StorageId relu(evaluator::StorageId x);
  evaluator::StorageId add(evaluator::StorageId a, evaluator::StorageId b);
  // x [rows, C] times a parameter [C, columns].
  evaluator::StorageId product(evaluator::StorageId x, std::int64_t columns);
  // Sums over all axes but the second: what batch norm's statistics do.
  evaluator::StorageId channel_sum(evaluator::StorageId x);

  [[nodiscard]] const evaluator::TrainingGraph& graph() const { return graph_; }

  [[nodiscard]] evaluator::TrainingGraph& graph() { return graph_; }

 private:
  [[nodiscard]] evaluator::OperandView view(evaluator::StorageId id) const;
  evaluator::StorageId add_operator(const std::string& type,
                                    evaluator::OperatorClass operator_class,
                                    evaluator::BuiltNest built,
                                    evaluator::StorageId result);

  std::int64_t bits_;
  evaluator::TrainingGraph graph_;
};

// Operators first … last of the graph as one group: what is made outside is read, what nobody
// inside reads is written.
struct GroupOf {
  GroupOf(const evaluator::TrainingGraph& graph, std::size_t first, std::size_t last);

  [[nodiscard]] evaluator::GroupContent content() const { return {operators, reads, writes}; }

  std::vector<evaluator::RunningOperator> operators;
  std::vector<evaluator::StepValueId> reads;
  std::vector<evaluator::StepValueId> writes;
};

}  // namespace paretrain::tests
