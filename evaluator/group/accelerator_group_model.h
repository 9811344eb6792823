// Why: what a fused group of operators costs on a real accelerator, and whether it may be one at
// all. The formulas and every modelling choice: docs/group-cost.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/hardware/accelerator.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::evaluator {

// What a mapping file says about one operator.
struct CoreAllocation {
  std::vector<CoreId> cores;  // empty: chosen by core kind
  // Over how many cores which loop is split: heeded in zigzag mode for operators on their own, and
  // in groups when it is one; everywhere else the tile objective chooses.
  std::optional<Loop> split;
  std::int64_t parts = 1;
};

// By operator index; empty: nothing is said about any operator.
using CoreAllocations = std::vector<CoreAllocation>;

// Whether a tensor may be handed to the next group on chip (--residency).
enum class Residency { Off, On };

struct GroupCostOptions {
  CostModel cost_model = CostModel::Corrected;
  Objective tile_objective = Objective::Latency;
  std::int64_t max_group_length = 6;
  // --residency: a tensor may be handed to the next group on chip.
  Residency residency = Residency::Off;
  // Times that forward and backward run before the update (batch / --micro-batch).
  std::int64_t repetitions = 1;
  // Answers remembered at most, groups and operator tiles each.
  std::size_t remembered = std::size_t{1} << 18U;
  int loop_limit = 6;
};

// Picojoules by where they are spent.
struct EnergyBreakdown {
  double compute = 0;
  double on_chip = 0;
  double off_chip = 0;
  double links = 0;

  [[nodiscard]] double total() const { return compute + on_chip + off_chip + links; }
};

// How busy a core, link, bus or the off-chip memory is while a group runs.
struct ResourceUse {
  std::string name;
  std::int64_t busy_cycles = 0;
};

// A group's cost with its reasons.
struct GroupReport {
  GroupCost cost;
  EnergyBreakdown energy;
  std::int64_t tiles = 1;        // T along the common axis
  std::int64_t inner_tiles = 1;  // further cuts of an operator within a tile
  std::string axis;              // what the first operator is cut along: "OY", "B"; empty if uncut
  std::string split;             // over identical cores: "none", "K", "G", "rows"
  std::vector<ResourceUse> resources;
  std::int64_t repetitions = 1;  // micro-batches that all of the above counts
};

// What the simulator says about a group that runs as it was chosen to (group_simulator.h).
struct GroupSimulation;

// How often remembered answers were used.
struct MemoStatistics {
  std::uint64_t group_hits = 0;
  std::uint64_t group_misses = 0;
  std::uint64_t tile_hits = 0;
  std::uint64_t tile_misses = 0;
};

// Requires: graph and accelerator outlive the model. StepOperatorId i means graph.operators[i],
// StepValueId i means graph.storages[i].
class AcceleratorGroupModel final : public GroupModel {
 public:
  // Errors: InputError when an operator has no core that could run it.
  AcceleratorGroupModel(const TrainingGraph& graph,
                        const Accelerator& accelerator,
                        CoreAllocations allocations,
                        const GroupCostOptions& options);
  ~AcceleratorGroupModel() override;

  [[nodiscard]] std::int64_t max_group_length() const override;
  [[nodiscard]] bool has_fusion_gene(const RunningOperator& producer,
                                     const RunningOperator& consumer) const override;
  [[nodiscard]] bool is_legal(std::span<const RunningOperator> operators) const override;
  [[nodiscard]] GroupCost cost(const GroupContent& group) const override;

  // With Residency::On the answer to cost() depends on what is carried, and some ways of carrying
  // have none.
  [[nodiscard]] std::int64_t most_carried_bytes() const override;
  [[nodiscard]] CarryAnswer carried(const CarryQuestion& question) const override;
  // The cost, if the group has a way with what it carries.
  [[nodiscard]] std::optional<GroupCost> possible_cost(const GroupContent& group) const;
  // Places on chip that may hold what is carried, and where they are: "cores 0, 1, 2, 3".
  [[nodiscard]] std::uint32_t place_count() const;
  [[nodiscard]] const std::string& place_name(std::uint32_t place) const;

  // The same answer with its breakdown.
  [[nodiscard]] GroupReport report(const GroupContent& group) const;
  // The group played tile by tile; once, whatever the number of micro-batches.
  [[nodiscard]] GroupSimulation simulation(const GroupContent& group) const;
  [[nodiscard]] std::span<const std::string> resource_names() const;
  [[nodiscard]] MemoStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace paretrain::evaluator
