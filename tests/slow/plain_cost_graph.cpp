#include "tests/slow/plain_cost_graph.h"

#include <algorithm>
#include <set>
#include <utility>

namespace paretrain::tests {

using evaluator::GroupContent;
using evaluator::GroupCost;
using evaluator::Phase;
using evaluator::RunningOperator;
using problems::CostGraph;
using problems::CostGraphNode;

namespace {

std::size_t tensor(std::int64_t id) {
  return static_cast<std::size_t>(id + 1);
}

class Build {
 public:
  Build(const CostGraph& graph, CountGradients count) : graph_(graph), count_(count) {}

  PlainStep step() {
    step_.static_bytes = graph_.static_bytes;
    list_forward();
    list_backward();
    for (std::size_t o = 0; o < step_.operators.size(); ++o) {
      step_.order.push_back(o);
      step_.rank.push_back(o);
      for (const std::size_t s : step_.operators[o].reads)
        step_.storages[s].readers.push_back(o);
      for (const std::size_t s : step_.operators[o].writes)
        step_.storages[s].writers.push_back(o);
    }
    list_genes();
    return std::move(step_);
  }

 private:
  const CostGraphNode& node(std::size_t i) const { return graph_.nodes[i]; }

  void list_forward() {
    step_.storages.emplace_back().bytes = graph_.input_bytes;
    step_.storages.back().resident = true;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      step_.storages.emplace_back().bytes = node(i).output_bytes;
      step_.storages.back().maker = i;
      PlainOperator& op = step_.operators.emplace_back();
      op.forward = i;
      op.may_recompute = true;
      for (const std::int64_t id : node(i).inputs)
        op.reads.push_back(tensor(id));
      op.writes = {i + 1};
    }
  }

  void list_backward() {
    const std::size_t count = graph_.nodes.size();
    gradient_.assign(count, 0);
    backward_.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (!node(i).needs_gradient) continue;
      gradient_[i] = step_.storages.size();
      PlainStorage& gradient = step_.storages.emplace_back();
      gradient.bytes = node(i).gradient_bytes;
      gradient.counted = count_ == CountGradients::Yes;
      gradient.exists_from_backward = i + 1 == count;
    }
    for (std::size_t i = count; i-- > 0;) {
      if (!node(i).needs_gradient) continue;
      backward_[i] = step_.operators.size();
      PlainOperator& op = step_.operators.emplace_back();
      op.phase = Phase::Backward;
      op.forward = i;
      for (const std::int64_t id : node(i).backward_reads)
        op.reads.push_back(tensor(id));
      op.reads.push_back(gradient_[i]);
      for (const std::int64_t id : node(i).inputs) {
        if (id >= 0 && node(static_cast<std::size_t>(id)).needs_gradient)
          op.writes.push_back(gradient_[static_cast<std::size_t>(id)]);
      }
    }
  }

  // Nodes ascending: keep, F-F, R-R, R-B, B-B.
  void list_genes() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      step_.storages[i + 1].gene = step_.genes.size();
      step_.genes.push_back({i + 1, {}, {}});
      if (!graph_.fusion) continue;
      for (const bool recompute : {false, true}) {
        for (const std::int64_t p : node(i).inputs) {
          if (p >= 0) add({static_cast<std::size_t>(p), recompute}, {i, recompute});
        }
      }
      if (!node(i).needs_gradient) continue;
      for (const std::int64_t p : node(i).backward_reads) {
        if (p >= 0) add({static_cast<std::size_t>(p), true}, {backward_[i], false});
      }
      for (std::size_t c = 0; c < graph_.nodes.size(); ++c) {
        const std::vector<std::int64_t>& inputs = node(c).inputs;
        const bool reads =
            std::find(inputs.begin(), inputs.end(), static_cast<std::int64_t>(i)) != inputs.end();
        if (reads && node(c).needs_gradient) add({backward_[c], false}, {backward_[i], false});
      }
    }
  }

  void add(PlainRun producer, PlainRun consumer) {
    step_.genes.push_back({std::nullopt, producer, consumer});
  }

  const CostGraph& graph_;
  CountGradients count_;
  PlainStep step_;
  std::vector<std::size_t> gradient_;  // storages, by node
  std::vector<std::size_t> backward_;  // operators, by node
};

}  // namespace

PlainStep plain_step(const CostGraph& graph, CountGradients count) {
  return Build(graph, count).step();
}

PlainGroups plain_groups(const CostGraph& graph, const PlainStep& step) {
  PlainGroups groups;
  groups.longest =
      graph.fusion ? static_cast<std::size_t>(graph.fusion->max_group_length) : std::size_t{1};
  groups.legal = [&](std::span<const RunningOperator> operators) {
    std::int64_t tiles = 0;
    for (const RunningOperator& running : operators)
      tiles += graph.nodes[step.operators[running.op.index()].forward].tile_bytes;
    return tiles <= graph.fusion->on_chip_bytes;
  };
  groups.cost = [&](const GroupContent& group) {
    GroupCost cost;
    std::int64_t energy = 0;
    for (const RunningOperator& running : group.operators) {
      const PlainOperator& op = step.operators[running.op.index()];
      const CostGraphNode& node = graph.nodes[op.forward];
      const bool backward = op.phase == Phase::Backward;
      cost.latency += backward ? node.backward_latency : node.forward_latency;
      energy += backward ? node.backward_energy : node.forward_energy;
    }
    if (graph.fusion) {
      for (const auto* values : {&group.reads, &group.writes}) {
        for (const evaluator::StepValueId value : *values)
          cost.offchip_bytes += step.storages[value.index()].bytes;
      }
      cost.latency = std::max(cost.latency, cost.offchip_bytes * graph.fusion->latency_per_byte);
      energy += cost.offchip_bytes * graph.fusion->energy_per_byte;
    }
    cost.energy = static_cast<double>(energy);
    return cost;
  };
  return groups;
}

}  // namespace paretrain::tests
