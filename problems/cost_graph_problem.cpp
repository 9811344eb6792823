#include "problems/cost_graph_problem.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/checked_math.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"

namespace paretrain::problems {

namespace {

using evaluator::GroupContent;
using evaluator::GroupCost;
using evaluator::MemoryRole;
using evaluator::RunningOperator;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepOperatorId;
using evaluator::StepPhase;
using evaluator::StepValue;
using evaluator::StepValueId;
using evaluator::StepValueKind;

// Value 0 is the graph input, value i + 1 is tensor i.
StepValueId tensor(std::int64_t id) {
  return StepValueId(static_cast<std::size_t>(id + 1));
}

// Costs of a cost graph: sums over operators, and traffic where the file turns it on.
class CostGraphModel final : public evaluator::GroupModel {
 public:
  struct OperatorCost {
    std::int64_t latency = 0;
    std::int64_t energy = 0;
    std::int64_t tile_bytes = 0;
  };

  CostGraphModel(std::vector<OperatorCost> operators,
                 std::vector<std::int64_t> value_bytes,
                 std::optional<CostGraphFusion> fusion)
      : operators_(std::move(operators)), value_bytes_(std::move(value_bytes)), fusion_(fusion) {}

  [[nodiscard]] std::int64_t max_group_length() const override {
    return fusion_ ? fusion_->max_group_length : 1;
  }

  [[nodiscard]] bool is_legal(std::span<const RunningOperator> operators) const override {
    if (operators.size() == 1) return true;
    if (!fusion_ || static_cast<std::int64_t>(operators.size()) > fusion_->max_group_length)
      return false;
    std::int64_t left = fusion_->on_chip_bytes;
    for (const RunningOperator& running : operators) {
      const std::int64_t tile = operators_[running.op.index()].tile_bytes;
      if (tile > left) return false;
      left -= tile;
    }
    return true;
  }

  [[nodiscard]] GroupCost cost(const GroupContent& group) const override {
    GroupCost result;
    std::int64_t energy = 0;
    for (const RunningOperator& running : group.operators) {
      const OperatorCost& cost = operators_[running.op.index()];
      result.latency += cost.latency;
      energy += cost.energy;
    }
    if (fusion_) {
      for (const StepValueId id : group.reads)
        result.offchip_bytes += value_bytes_[id.index()];
      for (const StepValueId id : group.writes)
        result.offchip_bytes += value_bytes_[id.index()];
      result.latency = std::max(result.latency, result.offchip_bytes * fusion_->latency_per_byte);
      energy += result.offchip_bytes * fusion_->energy_per_byte;
    }
    result.energy = static_cast<double>(energy);
    return result;
  }

 private:
  std::vector<OperatorCost> operators_;  // by template operator
  std::vector<std::int64_t> value_bytes_;
  std::optional<CostGraphFusion> fusion_;
};

std::string operator_name(const CostGraphNode& node, std::size_t id, std::string_view suffix) {
  return (node.name.empty() ? "node" + std::to_string(id) : node.name) + std::string(suffix);
}

// A step graph with what its operators cost.
struct Lowered {
  StepGraph graph;
  std::vector<CostGraphModel::OperatorCost> costs;
};

void add_forward(const CostGraph& cost_graph, Lowered& lowered) {
  StepValue input;
  input.name = "input";
  input.kind = StepValueKind::Resident;
  input.role = MemoryRole::Inputs;
  input.bytes = Bytes(cost_graph.input_bytes);
  lowered.graph.values.push_back(input);
  for (std::size_t i = 0; i < cost_graph.nodes.size(); ++i) {
    const CostGraphNode& node = cost_graph.nodes[i];
    StepValue output;
    output.name = operator_name(node, i, "");
    output.bytes = Bytes(node.output_bytes);
    output.keep_gene = lowered.graph.keep_genes++;
    lowered.graph.values.push_back(output);
    StepOperator op;
    op.name = operator_name(node, i, "");
    for (const std::int64_t id : node.inputs)
      op.reads.push_back(tensor(id));
    op.writes.push_back(tensor(static_cast<std::int64_t>(i)));
    op.can_recompute = true;
    lowered.graph.operators.push_back(op);
    lowered.costs.push_back({node.forward_latency, node.forward_energy, node.tile_bytes});
  }
}

// Of each node that needs a gradient the value that holds it.
std::vector<StepValueId> add_gradients(const CostGraph& cost_graph,
                                       bool counted,
                                       StepGraph& graph) {
  std::vector<StepValueId> gradients(cost_graph.nodes.size());
  for (std::size_t i = 0; i < cost_graph.nodes.size(); ++i) {
    const CostGraphNode& node = cost_graph.nodes[i];
    if (!node.needs_gradient) continue;
    gradients[i] = StepValueId(graph.values.size());
    StepValue gradient;
    gradient.name = operator_name(node, i, ":grad");
    gradient.kind = StepValueKind::Gradient;
    gradient.role = MemoryRole::Gradients;
    gradient.bytes = Bytes(node.gradient_bytes);
    gradient.counted = counted;
    gradient.exists_from_backward = i + 1 == cost_graph.nodes.size();
    graph.values.push_back(gradient);
  }
  return gradients;
}

void add_backward(const CostGraph& cost_graph, bool count_gradients, Lowered& lowered) {
  const std::vector<StepValueId> gradients =
      add_gradients(cost_graph, count_gradients, lowered.graph);
  for (std::size_t i = cost_graph.nodes.size(); i-- > 0;) {
    const CostGraphNode& node = cost_graph.nodes[i];
    if (!node.needs_gradient) continue;
    StepOperator op;
    op.name = operator_name(node, i, ":backward");
    op.phase = StepPhase::Backward;
    op.forward = StepOperatorId(i);
    for (const std::int64_t id : node.backward_reads)
      op.reads.push_back(tensor(id));
    op.reads.push_back(gradients[i]);
    for (const std::int64_t id : node.inputs) {
      if (id >= 0 && cost_graph.nodes[static_cast<std::size_t>(id)].needs_gradient)
        op.writes.push_back(gradients[static_cast<std::size_t>(id)]);
    }
    lowered.graph.operators.push_back(op);
    lowered.costs.push_back({node.backward_latency, node.backward_energy, node.tile_bytes});
  }
}

// Objectives are doubles, so what a plan adds up may not pass 2^53, up to which they are exact: the
// bound takes every operator twice and each of its operands off chip every time.
class Sums {
 public:
  Sums(const CostGraph& graph, const Lowered& lowered) {
    for (std::size_t o = 0; o < lowered.costs.size(); ++o) {
      const StepOperator& op = lowered.graph.operators[o];
      const int runs = op.phase == StepPhase::Forward ? 2 : 1;
      latency_ += static_cast<Wide>(runs) * static_cast<Wide>(lowered.costs[o].latency);
      energy_ += static_cast<Wide>(runs) * static_cast<Wide>(lowered.costs[o].energy);
      for (const StepValueId id : op.reads)
        moved_ += static_cast<Wide>(runs) * bytes(lowered, id);
      for (const StepValueId id : op.writes)
        moved_ += static_cast<Wide>(2 * runs) * bytes(lowered, id);
    }
    // Of a value at most one copy is alive at a time.
    alive_ = static_cast<Wide>(lowered.graph.static_bytes.number());
    for (const StepValue& value : lowered.graph.values) {
      if (value.counted) alive_ += static_cast<Wide>(value.bytes.number());
    }
    if (!graph.fusion) {
      moved_ = 0;
      return;
    }
    add_traffic(static_cast<Wide>(graph.fusion->latency_per_byte), latency_);
    add_traffic(static_cast<Wide>(graph.fusion->energy_per_byte), energy_);
  }

  void require_small(const std::string& name) const {
    std::vector<Problem> problems;
    const auto check = [&](Wide sum, const std::string& what) {
      if (sum > kMost)
        problems.push_back({name,
                            what + " of all operators and recomputes together pass 2^53",
                            "use a larger unit"});
    };
    check(latency_, "the latencies");
    check(energy_, "the energies");
    check(moved_, "the bytes moved");
    check(alive_, "the bytes");
    if (!problems.empty()) throw InputError(std::move(problems));
  }

 private:
  static constexpr Wide kMost = Wide{1} << 53U;

  static Wide bytes(const Lowered& lowered, StepValueId id) {
    return static_cast<Wide>(lowered.graph.values[id.index()].bytes.number());
  }

  void add_traffic(Wide per_byte, Wide& sum) const {
    if (moved_ > kMost || sum > kMost || (per_byte != 0 && moved_ > kMost / per_byte))
      sum = per_byte == 0 ? sum : kMost + 1;
    else
      sum += moved_ * per_byte;
  }

  Wide latency_ = 0;
  Wide energy_ = 0;
  Wide moved_ = 0;
  Wide alive_ = 0;
};

std::uint64_t identity_of(const Lowered& lowered, const std::optional<CostGraphFusion>& fusion) {
  std::uint64_t hash = 0;
  for (const CostGraphModel::OperatorCost& cost : lowered.costs) {
    for (const std::int64_t number : {cost.latency, cost.energy, cost.tile_bytes})
      hash = combined(hash, static_cast<std::uint64_t>(number));
  }
  if (!fusion) return hash;
  for (const std::int64_t number : {fusion->max_group_length,
                                    fusion->on_chip_bytes,
                                    fusion->latency_per_byte,
                                    fusion->energy_per_byte})
    hash = combined(hash, static_cast<std::uint64_t>(number));
  return hash;
}

}  // namespace

PlanProblem cost_graph_problem(const CostGraph& graph, const CostGraphOptions& options) {
  std::optional<CostGraphFusion> fusion = graph.fusion;
  if (fusion && options.max_group_length) fusion->max_group_length = *options.max_group_length;
  Lowered lowered;
  lowered.graph.static_bytes = Bytes(graph.static_bytes);
  lowered.graph.fusion_genes =
      fusion ? evaluator::FusionGenes::WithoutUpdates : evaluator::FusionGenes::None;
  add_forward(graph, lowered);
  add_backward(graph, options.count_gradients.value_or(graph.count_gradients), lowered);
  Sums(graph, lowered).require_small(graph.source);
  PlanProblemParts parts;
  parts.name = graph.name;
  parts.units = {graph.latency_unit, graph.energy_unit};
  parts.memory_limit_bytes = options.memory_limit_bytes;
  parts.identity = identity_of(lowered, fusion);
  std::vector<std::int64_t> value_bytes;
  for (const StepValue& value : lowered.graph.values)
    value_bytes.push_back(value.bytes.number());
  parts.model =
      std::make_unique<CostGraphModel>(std::move(lowered.costs), std::move(value_bytes), fusion);
  parts.graph = std::move(lowered.graph);
  return PlanProblem(std::move(parts));
}

}  // namespace paretrain::problems
