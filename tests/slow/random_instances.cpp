#include "tests/slow/random_instances.h"

#include <algorithm>
#include <string>
#include <vector>

#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"

namespace paretrain::tests {

using evaluator::TrainingGraph;
using evaluator::TrainingOptions;
using evaluator::UpdatePlacement;
using evaluator::ValueId;
using problems::CostGraph;
using problems::CostGraphNode;

namespace {

bool one_in(std::uint64_t count, RandomStream& random) {
  return random.below(count) == 0;
}

std::int64_t up_to(std::int64_t most, RandomStream& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
}

// Zero now and then.
std::int64_t size(std::int64_t most, RandomStream& random) {
  return one_in(8, random) ? 0 : 1 + up_to(most - 1, random);
}

CostGraphNode random_node(std::size_t i, RandomStream& random) {
  CostGraphNode node;
  const auto before = static_cast<std::int64_t>(i) - 1;
  node.inputs = {before};
  while (one_in(3, random)) {
    const std::int64_t other = up_to(before + 1, random) - 1;
    const bool known =
        std::find(node.inputs.begin(), node.inputs.end(), other) != node.inputs.end();
    if (!known && one_in(2, random))
      node.inputs.insert(node.inputs.begin(), other);
    else if (!known)
      node.inputs.push_back(other);
  }
  if (i > 1 && one_in(6, random) && node.inputs.size() == 1)
    node.inputs.front() = up_to(before, random) - 1;
  for (const std::int64_t input : node.inputs) {
    if (!one_in(3, random)) node.backward_reads.push_back(input);
  }
  if (one_in(3, random)) node.backward_reads.push_back(static_cast<std::int64_t>(i));
  node.forward_latency = size(20, random);
  node.backward_latency = size(40, random);
  node.forward_energy = size(20, random);
  node.backward_energy = size(40, random);
  node.output_bytes = size(12, random);
  node.gradient_bytes = one_in(4, random) ? size(12, random) : node.output_bytes;
  node.tile_bytes = up_to(6, random);
  node.needs_gradient = !one_in(8, random);
  return node;
}

class RandomModel {
 public:
  RandomModel(std::size_t nodes, RandomStream& random) : random_(random) {
    const std::int64_t channels = std::int64_t{4} << random.below(4);
    shape_ = {1 + up_to(1, random), channels, 0, 0};
    shape_[2] = shape_[3] = std::int64_t{4} << random.below(4);
    values_.push_back(model_.input("x", shape_));
    for (std::size_t n = 0; n < nodes; ++n)
      add_node(n);
    model_.output(values_.back());
  }

  [[nodiscard]] const evaluator::ModelGraph& graph() const { return model_.graph(); }

 private:
  // Mostly the last value.
  ValueId any() {
    return one_in(3, random_) ? values_[random_.below(values_.size())] : values_.back();
  }

  void add_node(std::size_t n) {
    const std::string name = "n" + std::to_string(n);
    const std::uint64_t kind = n == 0 ? 0 : random_.below(6);
    if (kind < 2) {
      const std::int64_t window = one_in(2, random_) ? 3 : 1;
      const ValueId weight = model_.parameter(name + ".w", {shape_[1], shape_[1], window, window});
      const std::int64_t pad = window / 2;
      values_.push_back(model_.node(name,
                                    "Conv",
                                    {any(), weight},
                                    shape_,
                                    {{"kernel_shape", std::vector<std::int64_t>{window, window}},
                                     {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}}));
    } else if (kind == 2 && values_.size() > 1) {
      values_.push_back(model_.node(name, "Add", {values_[values_.size() - 2], any()}, shape_));
    } else if (kind == 3) {
      values_.push_back(model_.node(name, "Mul", {any(), any()}, shape_));
    } else {
      values_.push_back(
          model_.node(name, one_in(2, random_) ? "Relu" : "Sigmoid", {any()}, shape_));
    }
  }

  RandomStream& random_;
  SmallModel model_;
  evaluator::Shape shape_;
  std::vector<ValueId> values_;
};

}  // namespace

CostGraph random_fused_cost_graph(std::size_t nodes, RandomStream& random) {
  CostGraph graph;
  graph.source = "random graph";
  graph.input_bytes = size(8, random);
  graph.static_bytes = up_to(3, random);
  graph.fusion = problems::CostGraphFusion{
      2 + up_to(3, random), 4 + up_to(14, random), up_to(3, random), up_to(3, random)};
  for (std::size_t i = 0; i < nodes; ++i)
    graph.nodes.push_back(random_node(i, random));
  return graph;
}

TrainingGraph random_training_graph(std::size_t nodes,
                                    UpdatePlacement update,
                                    RandomStream& random) {
  const RandomModel model(nodes, random);
  TrainingOptions options;
  options.precision = evaluator::Precision::Fp16;
  options.optimizer = evaluator::Optimizer::Sgd;
  options.update = update;
  options.loss =
      one_in(2, random) ? evaluator::Loss::CrossEntropy : evaluator::Loss::MeanSquaredError;
  options.saved = one_in(2, random) ? evaluator::SavedSet::Minimal : evaluator::SavedSet::Framework;
  return evaluator::training_step(model.graph(), options);
}

}  // namespace paretrain::tests
