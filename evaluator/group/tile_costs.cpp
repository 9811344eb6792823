#include "evaluator/group/tile_costs.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/checked_math.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/core_cost/stream_ranking.h"
#include "evaluator/group/stream_layers.h"

namespace paretrain::evaluator {
namespace {

bool is_lane_work(OperatorClass operator_class) {
  return operator_class != OperatorClass::Matrix && operator_class != OperatorClass::Pooling;
}

std::int64_t lane_count(const Core& core) {
  return core.array.sizes.empty() ? 1 : core.array.sizes.front();
}

// Which operands a loop indexes, one bit each.
unsigned signature(const LoopNest& nest, Loop loop) {
  unsigned bits = 0;
  for (std::size_t o = 0; o < kNestOperandCount; ++o)
    for (const AxisIndex& axis : nest.axes[o])
      if (axis.first == loop) bits |= 1U << o;
  return bits;
}

bool is_plain(const LoopNest& nest) {
  return std::ranges::all_of(nest.axes, [](const auto& operand) {
    return std::ranges::all_of(
        operand, [](const AxisIndex& axis) { return !axis.windowed && axis.stride == 1; });
  });
}

double lane_utilisation(std::int64_t size, std::int64_t lanes) {
  return static_cast<double>(size) / static_cast<double>(ceil_div(size, lanes) * lanes);
}

// Each loop that is cut once, in order of loops: bytes are rounded cut by cut, and a tile's cost
// may not depend on the way by which it was cut (a core's share of a loop, of which it takes
// slices).
std::vector<LoopCount> distinct_cuts(const LoopNest& nest, std::span<const LoopCount> counts) {
  std::vector<LoopCount> cuts;
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    const auto loop = static_cast<Loop>(l);
    const std::int64_t count = count_of(nest, counts, loop);
    if (count < nest.size(loop)) cuts.push_back({loop, count});
  }
  return cuts;
}

}  // namespace

LoopNest merged_elementwise_nest(const LoopNest& nest, std::int64_t lanes) {
  if (!is_plain(nest)) return nest;
  // By signature: the product of its loops. At most 8 signatures.
  std::array<std::int64_t, 8> sizes{};
  sizes.fill(1);
  for (std::size_t l = 0; l < kLoopCount; ++l)
    sizes[signature(nest, static_cast<Loop>(l))] *= nest.sizes[l];
  std::size_t best = 0;
  double best_utilisation = -1;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const bool makes_results = (s & (1U << static_cast<unsigned>(NestOperand::O))) != 0;
    if (sizes[s] == 1 || !makes_results) continue;
    const double utilisation = lane_utilisation(sizes[s], lanes);
    if (utilisation > best_utilisation) {
      best = s;
      best_utilisation = utilisation;
    }
  }
  constexpr std::array<Loop, 7> kOthers = {
      Loop::C, Loop::OX, Loop::OY, Loop::B, Loop::G, Loop::H, Loop::D};
  LoopNest merged;
  merged.bits = nest.bits;
  merged.cycles_per_operation = nest.cycles_per_operation;
  std::size_t other = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s] == 1 || s == 0) continue;
    const Loop loop = s == best ? Loop::K : kOthers[other++];
    merged.size(loop) = sizes[s];
    for (std::size_t o = 0; o < kNestOperandCount; ++o)
      if ((s & (1U << o)) != 0) merged.axes[o].push_back({loop, 1, false, Loop::FY, 1, sizes[s]});
  }
  merged.size(kOthers[other]) *= sizes[0];
  // An operand that is one element stays present.
  for (std::size_t o = 0; o < kNestOperandCount; ++o)
    if (merged.axes[o].empty() && !nest.axes[o].empty())
      merged.axes[o].push_back({Loop::FX, 1, false, Loop::FY, 1, 1});
  return merged;
}

Dataflow dataflow_of(const Core& core, OperatorClass operator_class) {
  if (core.kind != CoreKind::Array || operator_class == OperatorClass::Matrix) return core.dataflow;
  Dataflow lanes(core.array.sizes.size(), std::vector<UnrollFactor>{});
  if (!lanes.empty())
    lanes.front() = {UnrollFactor{Loop::K, static_cast<double>(core.array.sizes.front())}};
  return lanes;
}

TileCosts::TileCosts(const Chip& chip, const CoreCostOptions& options, std::size_t remembered)
    : chip_(chip), options_(options), memo_(remembered) {}

std::optional<TileCost> TileCosts::cost(const CostedOperator& op,
                                        CoreId core,
                                        std::span<const LoopCount> counts) {
  std::array<std::uint64_t, kLoopCount + 2> key{};
  key[0] = op.content;
  key[1] = chip_.core(core).alike;
  for (std::size_t l = 0; l < kLoopCount; ++l)
    key[l + 2] = static_cast<std::uint64_t>(count_of(op.op->nest, counts, static_cast<Loop>(l)));
  std::optional<Answer> answer = memo_.found(key);
  if (!answer) {
    answer = searched(*op.op, chip_.core(core), distinct_cuts(op.op->nest, counts));
    memo_.remember(key, *answer);
  }
  if (!answer->possible) return std::nullopt;
  return answer->cost;
}

namespace {

// Better by the objective; ties by the other figure.
bool is_better(const TileCost& a, const TileCost& b, Objective objective) {
  const double energy_a = a.compute_pj + a.on_chip_pj;
  const double energy_b = b.compute_pj + b.on_chip_pj;
  switch (objective) {
    case Objective::Latency:
      return a.cycles != b.cycles ? a.cycles < b.cycles : energy_a < energy_b;
    case Objective::Energy:
      return energy_a != energy_b ? energy_a < energy_b : a.cycles < b.cycles;
    case Objective::Edp:
      return a.cycles * energy_a < b.cycles * energy_b;
  }
  return false;
}

// Model: operands that the nest does not name (bias, statistics, optimizer states, old values of
// what is added to) pass once between the outermost on-chip memory and the array, one after another
// and after the nest.
void add_unnamed_operands(const Operator& op,
                          const ChipCore& core,
                          std::span<const LoopCount> counts,
                          TileCost& cost) {
  const auto pass = [&](const AccessPort& port, std::int64_t bits) {
    cost.cycles += static_cast<double>(port.cycles_of(bits));
    cost.on_chip_pj += port.energy_of(bits);
  };
  const auto bits_of = [&](const Access& access) {
    return touched_bytes(access, op.nest, counts, Halo::Included) * 8;
  };
  const auto& inputs = core.memories[static_cast<std::size_t>(NestOperand::I)];
  const auto& outputs = core.memories[static_cast<std::size_t>(NestOperand::O)];
  for (const Access& read : op.reads)
    if (!read.operand && read.bytes.number() > 0) pass(inputs.read, bits_of(read));
  for (const Access& write : op.writes) {
    if (write.bytes.number() == 0) continue;
    if (write.accumulates) pass(outputs.read, bits_of(write));
    if (!write.operand) pass(outputs.write, bits_of(write));
  }
}

std::optional<TileCost> nest_cost(const ChipCore& core,
                                  const LoopNest& nest,
                                  const Dataflow& dataflow,
                                  const CoreCostOptions& options) {
  const CoreCostResult result = best_core_cost(core.core, nest, dataflow, options);
  const auto* mapped = std::get_if<MappedCost>(&result);
  if (mapped == nullptr) return std::nullopt;
  return TileCost{
      mapped->cost.total_cycles(), mapped->cost.mac_energy_pj, mapped->cost.memory_energy_pj()};
}

// As Stream makes layers of the operator and takes their mappings.
std::optional<TileCost> stream_cost(const ChipCore& core,
                                    const Operator& op,
                                    const LoopNest& tile,
                                    const CoreCostOptions& options) {
  TileCost sum;
  for (const LoopNest& layer : stream_layers(op, tile)) {
    const auto result = stream_ranked_cost(core.core, layer, 1, options);
    const auto* mapped = std::get_if<StreamRankedCost>(&result);
    if (mapped == nullptr) return std::nullopt;
    sum.cycles += mapped->cost.total_cycles();
    sum.compute_pj += mapped->cost.mac_energy_pj;
    sum.on_chip_pj += mapped->cost.memory_energy_pj();
  }
  return sum;
}

}  // namespace

TileCosts::Answer TileCosts::searched(const Operator& op,
                                      const ChipCore& core,
                                      std::span<const LoopCount> counts) const {
  if (options_.model == CostModel::Zigzag) {
    std::optional<TileCost> cost = stream_cost(core, op, tile_nest(op.nest, counts), options_);
    if (!cost) return {};
    add_unnamed_operands(op, core, counts, *cost);
    return {*cost, true};
  }
  const Dataflow dataflow = dataflow_of(core.core, op.operator_class);
  LoopNest nest = tile_nest(op.nest, counts);
  if (is_lane_work(op.operator_class)) nest = merged_elementwise_nest(nest, lane_count(core.core));
  std::optional<TileCost> best = nest_cost(core, nest, dataflow, options_);
  if (op.matrix_nest) {
    const auto matrix =
        nest_cost(core, matrix_tile_nest(*op.matrix_nest, op.nest, counts), dataflow, options_);
    if (matrix && (!best || is_better(*matrix, *best, options_.objective))) best = matrix;
  }
  if (!best) return {};
  add_unnamed_operands(op, core, counts, *best);
  return {*best, true};
}

namespace {

// Temporal iterations that are left after unrolling as far as the array allows.
double temporal_iterations(const Core& core, const Dataflow& dataflow, const LoopNest& nest) {
  std::array<double, kLoopCount> unrolled{};
  unrolled.fill(1);
  double open = 1;
  for (std::size_t axis = 0; axis < core.array.sizes.size(); ++axis) {
    const auto size = static_cast<double>(core.array.sizes[axis]);
    if (axis >= dataflow.size() || !dataflow[axis]) {
      open *= size;
      continue;
    }
    for (const UnrollFactor& factor : *dataflow[axis])
      unrolled[static_cast<std::size_t>(factor.loop)] *= std::min(factor.factor, size);
  }
  double iterations = 1;
  for (std::size_t l = 0; l < kLoopCount; ++l)
    iterations *= std::ceil(static_cast<double>(nest.sizes[l]) / unrolled[l]);
  return std::max(iterations / open,
                  static_cast<double>(nest.operations()) /
                      static_cast<double>(std::max<std::int64_t>(1, core.array.units())));
}

}  // namespace

double TileCosts::least_cycles(const Operator& op,
                               CoreId id,
                               std::span<const LoopCount> given) const {
  const std::vector<LoopCount> counts = distinct_cuts(op.nest, given);
  const ChipCore& core = chip_.core(id);
  const Dataflow dataflow = dataflow_of(core.core, op.operator_class);
  LoopNest nest = tile_nest(op.nest, counts);
  if (is_lane_work(op.operator_class)) nest = merged_elementwise_nest(nest, lane_count(core.core));
  double cycles = temporal_iterations(core.core, dataflow, nest);
  if (op.matrix_nest && options_.model == CostModel::Corrected)
    cycles = std::min(cycles,
                      temporal_iterations(
                          core.core, dataflow, matrix_tile_nest(*op.matrix_nest, op.nest, counts)));
  return cycles * nest.cycles_per_operation;
}

}  // namespace paretrain::evaluator
