#include "evaluator/group/zigzag_operator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <variant>
#include <vector>

#include "base/checked_math.h"
#include "evaluator/core_cost/core_cost_search.h"

namespace paretrain::evaluator {

bool is_free_in_stream(const Operator& op) {
  static constexpr std::array<std::string_view, 8> kDummies = {
      "Sum", "LogSoftmax", "LRN", "Identity", "Dropout", "LayerNormalization", "Clip", "Erf"};
  return op.operator_class == OperatorClass::DataMovement ||
         std::ranges::find(kDummies, op.type) != kDummies.end();
}

namespace {

void drop_axis(std::vector<AxisIndex>& axes, Loop loop) {
  std::erase_if(axes, [&](const AxisIndex& axis) { return axis.first == loop; });
}

// Softmax is four layers: maximum, exponential (four cycles), sum, division by the sum.
std::vector<LoopNest> layers_of(const Operator& op) {
  if (op.type != "Softmax") return {op.nest};
  LoopNest reduction = op.nest;
  reduction.operand(NestOperand::W).clear();
  drop_axis(reduction.operand(NestOperand::O), Loop::K);
  LoopNest exponential = op.nest;
  exponential.operand(NestOperand::W).clear();
  exponential.cycles_per_operation = 4;
  LoopNest division = op.nest;
  division.operand(NestOperand::W) = op.nest.operand(NestOperand::O);
  drop_axis(division.operand(NestOperand::W), Loop::K);
  return {reduction, exponential, reduction, division};
}

// Bits that one part moves over the border of the chip, by operand.
using OperandBitsMoved = std::array<double, kNestOperandCount>;

struct LayerCost {
  double cycles = 0;
  EnergyBreakdown energy;
  OperandBitsMoved moved{};
};

std::optional<LayerCost> layer_cost(const Core& core,
                                    const LoopNest& nest,
                                    const CoreCostOptions& options) {
  const CoreCostResult result = best_core_cost(core, nest, options);
  const auto* mapped = std::get_if<MappedCost>(&result);
  if (mapped == nullptr) return std::nullopt;
  LayerCost cost;
  cost.cycles = mapped->cost.total_cycles();
  cost.energy.compute = mapped->cost.mac_energy_pj;
  for (const LevelTraffic& traffic : mapped->cost.traffic) {
    const Memory& memory = core.memories[traffic.memory];
    for (std::size_t d = 0; d < kDirectionCount; ++d) {
      (memory.is_dram ? cost.energy.off_chip : cost.energy.on_chip) += traffic.energy_pj[d];
      if (memory.is_dram && !memory.ports.empty())
        cost.moved[static_cast<std::size_t>(traffic.operand)] +=
            traffic.accesses[d] * static_cast<double>(memory.ports.front().bandwidth_max_bits);
    }
  }
  return cost;
}

// Model: parts that ask for more than the link carries take as many times longer (b.5): one input
// is broadcast, everything else is asked for by every part.
double link_factor(const LayerCost& cost, const ZigzagOperator& request) {
  if (cost.cycles <= 0) return 1;
  const double inputs = cost.moved[static_cast<std::size_t>(NestOperand::I)];
  double bits = inputs;
  for (std::size_t o = 0; o < kNestOperandCount; ++o)
    if (o != static_cast<std::size_t>(NestOperand::I))
      bits += cost.moved[o] * static_cast<double>(request.parts);
  return std::max(1.0, std::ceil(bits / cost.cycles / static_cast<double>(request.link_bits)));
}

}  // namespace

std::optional<ScheduleCost> zigzag_operator_cost(const ZigzagOperator& request,
                                                 const CoreCostOptions& options) {
  ScheduleCost total;
  if (is_free_in_stream(*request.op)) return total;
  double cycles = 0;
  double bits = 0;
  for (const LoopNest& layer : layers_of(*request.op)) {
    LoopNest nest = layer;
    ZigzagOperator part = request;
    part.parts = 1;
    if (request.split && nest.size(*request.split) > 1) {
      part.parts = std::min(request.parts, nest.size(*request.split));
      const std::array cut{
          LoopCount{*request.split, ceil_div(nest.size(*request.split), part.parts)}};
      nest = tile_nest(nest, cut);
    }
    const auto cost = layer_cost(*request.level, nest, options);
    if (!cost) return std::nullopt;
    const auto parts = static_cast<double>(part.parts);
    cycles += cost->cycles * link_factor(*cost, part);
    total.energy.compute += parts * cost->energy.compute;
    total.energy.on_chip += parts * cost->energy.on_chip;
    total.energy.off_chip += parts * cost->energy.off_chip;
    for (const double moved : cost->moved)
      bits += parts * moved;
  }
  total.latency = static_cast<std::int64_t>(std::ceil(cycles));
  total.offchip_bytes = static_cast<std::int64_t>(std::ceil(bits / 8));
  return total;
}

}  // namespace paretrain::evaluator
