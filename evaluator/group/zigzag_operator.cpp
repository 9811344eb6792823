#include "evaluator/group/zigzag_operator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>
#include <vector>

#include "base/checked_math.h"
#include "evaluator/core_cost/stream_ranking.h"
#include "evaluator/group/stream_layers.h"

namespace paretrain::evaluator {

namespace {

struct LayerCost {
  double cycles = 0;  // of one part
  EnergyBreakdown energy;
  double offchip_bits = 0;  // that one part moves
  std::array<double, kNestOperandCount> bandwidth_bits{};
};

std::optional<LayerCost> layer_cost(const Core& core,
                                    const LoopNest& nest,
                                    std::int64_t parts,
                                    const CoreCostOptions& options) {
  const auto result = stream_ranked_cost(core, nest, parts, options);
  const auto* mapped = std::get_if<StreamRankedCost>(&result);
  if (mapped == nullptr) return std::nullopt;
  LayerCost cost;
  cost.cycles = mapped->cost.total_cycles();
  cost.bandwidth_bits = mapped->offchip_bandwidth_bits;
  cost.energy.compute = mapped->cost.mac_energy_pj;
  for (const LevelTraffic& traffic : mapped->cost.traffic) {
    const Memory& memory = core.memories[traffic.memory];
    for (std::size_t d = 0; d < kDirectionCount; ++d) {
      (memory.is_dram ? cost.energy.off_chip : cost.energy.on_chip) += traffic.energy_pj[d];
      if (memory.is_dram && !memory.ports.empty())
        cost.offchip_bits +=
            traffic.accesses[d] * static_cast<double>(memory.ports.front().bandwidth_max_bits);
    }
  }
  return cost;
}

bool depends_on(const LoopNest& nest, NestOperand operand, Loop loop) {
  return std::ranges::any_of(nest.operand(operand), [&](const AxisIndex& axis) {
    return axis.first == loop || (axis.windowed && axis.second == loop);
  });
}

// Model: a part blocks its share of the link for as long as it runs, and waits until that much is
// free (b.8); what parts read alike is on the link once (b.9).
// Result: runs of parts one after the other.
std::int64_t rounds(const LayerCost& cost, const LoopNest& nest, const ZigzagOperator& part) {
  const auto link = static_cast<double>(part.link_bits);
  double asked = 0;
  double shared = 0;
  for (const NestOperand o : {NestOperand::O, NestOperand::W, NestOperand::I}) {
    const double bits = cost.bandwidth_bits[static_cast<std::size_t>(o)];
    asked += bits;
    if (part.split && !depends_on(nest, o, *part.split)) shared += bits;
  }
  double wanted = asked;
  if (asked > link) {
    wanted = 0;
    for (const double bits : cost.bandwidth_bits)
      wanted += std::floor(bits * link / asked);
  }
  std::int64_t count = 1;
  double busy = asked;
  for (std::int64_t p = 1; p < part.parts; ++p) {
    const bool fits = busy + wanted <= link;
    busy = fits ? busy + asked - shared : asked;
    count += fits ? 0 : 1;
  }
  return count;
}

}  // namespace

std::optional<ScheduleCost> zigzag_operator_cost(const ZigzagOperator& request,
                                                 const CoreCostOptions& options) {
  ScheduleCost total;
  if (is_free_in_stream(*request.op)) return total;
  double cycles = 0;
  double bits = 0;
  for (const LoopNest& layer : stream_layers(*request.op, request.op->nest)) {
    LoopNest nest = layer;
    ZigzagOperator part = request;
    part.parts = 1;
    if (request.split && nest.size(*request.split) > 1) {
      part.parts = std::min(request.parts, nest.size(*request.split));
      const std::array cut{
          LoopCount{*request.split, ceil_div(nest.size(*request.split), part.parts)}};
      nest = tile_nest(nest, cut);
    }
    const auto cost = layer_cost(*request.level, nest, part.parts, options);
    if (!cost) return std::nullopt;
    const auto parts = static_cast<double>(part.parts);
    cycles += cost->cycles * static_cast<double>(rounds(*cost, nest, part));
    total.energy.compute += parts * cost->energy.compute;
    total.energy.on_chip += parts * cost->energy.on_chip;
    total.energy.off_chip += parts * cost->energy.off_chip;
    bits += parts * cost->offchip_bits;
  }
  total.latency = static_cast<std::int64_t>(std::ceil(cycles));
  total.offchip_bytes = static_cast<std::int64_t>(std::ceil(bits / 8));
  return total;
}

}  // namespace paretrain::evaluator
