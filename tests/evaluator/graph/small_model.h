// Why: rules are tested on networks of a few nodes whose numbers can be worked out by hand.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::tests {

using evaluator::Shape;
using evaluator::ValueId;

class SmallModel {
 public:
  using Attributes = std::map<std::string, evaluator::Attribute>;
  using Inputs = std::vector<std::optional<ValueId>>;

  SmallModel();

  ValueId input(const std::string& name,
                Shape shape,
                evaluator::ElementType type = evaluator::ElementType::Float32);
  ValueId parameter(const std::string& name, Shape shape);
  ValueId buffer(const std::string& name, Shape shape, evaluator::ElementType type);
  ValueId number(double value);
  ValueId integers(std::vector<std::int64_t> values);
  // A node with one result named like the node.
  ValueId node(const std::string& name,
               const std::string& type,
               Inputs inputs,
               Shape shape,
               Attributes attributes = {});
  std::vector<ValueId> node_with_results(const std::string& name,
                                         const std::string& type,
                                         Inputs inputs,
                                         std::vector<Shape> shapes,
                                         Attributes attributes = {});
  void output(ValueId value);

  [[nodiscard]] const evaluator::ModelGraph& graph() const { return graph_; }

 private:
  ValueId add(const std::string& name, Shape shape, evaluator::ValueKind kind);

  evaluator::ModelGraph graph_;
};

// Options of the reference measurements: fp32, momentum, what PyTorch keeps on a CPU.
[[nodiscard]] evaluator::TrainingOptions measured_options();

[[nodiscard]] const evaluator::Storage* storage_named(const evaluator::TrainingGraph& graph,
                                                      const std::string& name);
[[nodiscard]] const evaluator::Operator* operator_named(const evaluator::TrainingGraph& graph,
                                                        const std::string& name);
// Names of the saved storages that are neither inputs nor targets, sorted.
[[nodiscard]] std::vector<std::string> saved_names(const evaluator::TrainingGraph& graph);
// Every law that holds for any training graph; empty when all hold.
[[nodiscard]] std::string broken_law(const evaluator::TrainingGraph& graph);

}  // namespace paretrain::tests
