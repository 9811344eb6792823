#include "evaluator/core_cost/stream_ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/core_cost/fitted_core.h"
#include "evaluator/core_cost/laid_order.h"
#include "evaluator/core_cost/loop_factors.h"
#include "evaluator/core_cost/nest_on_core.h"
#include "evaluator/core_cost/order_energy.h"
#include "evaluator/core_cost/order_latency.h"
#include "evaluator/core_cost/spatial_mapping.h"

namespace paretrain::evaluator {
namespace {

constexpr auto kReadToLow = static_cast<std::size_t>(Direction::ReadToLow);
constexpr auto kWriteFromLow = static_cast<std::size_t>(Direction::WriteFromLow);
constexpr auto kOutput = static_cast<std::size_t>(NestOperand::O);
constexpr auto kWeight = static_cast<std::size_t>(NestOperand::W);
constexpr auto kInput = static_cast<std::size_t>(NestOperand::I);

bool precedes(const TemporalLoop& a, const TemporalLoop& b) {
  if (a.loop != b.loop) return loop_name(a.loop) < loop_name(b.loop);
  return a.size < b.size;
}

struct StreamRanking {
  Objective objective = Objective::Latency;
  std::int64_t parts = 1;
};

// What one order asks of the off-chip memory.
struct Asked {
  // Shape: [operand][direction]; bits per cycle while data moves, in whole bits as there.
  std::array<std::array<double, kDirectionCount>, kNestOperandCount> bits{};
  double computing_cycles = 0;
  double total_cycles = 0;
};

double bits_asked(const LaidOrder& laid, std::size_t o, std::size_t level, std::size_t direction) {
  const LinkTraffic& traffic = laid.link(o, level, direction);
  if (traffic.period <= 0 || traffic.whole_bits <= 0) return 0;
  const double average = std::floor(traffic.whole_bits / traffic.period);
  return std::floor(average * laid.operand(o).outer_irrelevant[level]);
}

Asked asked_of(const NestOnCore& nest, const LaidOrder& laid) {
  Asked asked;
  asked.computing_cycles = nest.temporal_steps * nest.cycles_per_operation;
  asked.total_cycles = asked.computing_cycles + extra_cycles(nest, laid).total();
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest.operands[o];
    if (!operand.present) continue;
    const std::size_t level = operand.level_count - 1;
    for (const std::size_t direction : {kReadToLow, kWriteFromLow})
      asked.bits[o][direction] = bits_asked(laid, o, level, direction);
  }
  return asked;
}

// Words of the off-chip port that the inputs ask for at once, in parts of a split at the same time.
// Which input the parts share is not known there: the weights are taken to be.
// Model: what is written is left out; with it, no order that Stream was seen to take would win
// (docs/group-cost.md, zigzag mode).
double words_asked(const NestOnCore& nest, const Asked& asked, std::int64_t parts) {
  const OperandOnCore& input = nest.operands[kInput];
  if (!input.present || !nest.has_dram) return 0;
  const std::size_t port = input.levels[input.level_count - 1].ports[kReadToLow].port;
  const double bits =
      asked.bits[kWeight][kReadToLow] + static_cast<double>(parts) * asked.bits[kInput][kReadToLow];
  return std::ceil(bits / nest.ports[port].bandwidth_bits);
}

// Of equals the first wins.
double rank_of(const NestOnCore& nest,
               const LaidOrder& laid,
               const Asked& asked,
               const StreamRanking& ranking) {
  if (ranking.objective == Objective::Latency)
    return words_asked(nest, asked, ranking.parts) * std::floor(asked.total_cycles);
  const double energy = nest.mac_energy_pj + memory_energy_pj(nest, laid);
  return ranking.objective == Objective::Energy ? energy : energy * asked.total_cycles;
}

struct Best {
  double rank = std::numeric_limits<double>::infinity();
  std::vector<TemporalLoop> order;
  Asked asked;
};

void search(const NestOnCore& nest,
            const std::vector<TemporalLoop>& factors,
            const StreamRanking& ranking,
            Best& best) {
  Allocations allocations(nest, ranking.objective);
  LaidOrder laid;
  for_each_order_by_prefix_shift(factors, [&](std::span<const TemporalLoop> loops) {
    if (best.rank <= 0) return;  // none is less
    LoopOrder order;
    for (std::size_t i = 0; i < loops.size(); ++i)
      order.place(nest, i, loops[i]);
    for (const Cuts& cuts : allocations.of(order)) {
      laid.lay_out(nest, order, cuts);
      const Asked asked = asked_of(nest, laid);
      const double here = rank_of(nest, laid, asked, ranking);
      if (here < best.rank) best = {here, {loops.begin(), loops.end()}, asked};
    }
  });
}

// Bandwidth over the whole run of the tile: stalls stretch it.
std::array<double, kNestOperandCount> stretched(const Asked& asked) {
  std::array<double, kNestOperandCount> bits{};
  const double share = asked.computing_cycles / asked.total_cycles;
  for (const std::size_t o : {kOutput, kWeight, kInput})
    bits[o] = std::ceil(asked.bits[o][o == kOutput ? kWriteFromLow : kReadToLow] * share);
  return bits;
}

}  // namespace

void for_each_order_by_prefix_shift(
    std::vector<TemporalLoop> factors,
    const std::function<void(std::span<const TemporalLoop>)>& visit) {
  CHECK(!factors.empty(), "an order has at least one loop");
  std::stable_sort(factors.begin(),
                   factors.end(),
                   [](const TemporalLoop& a, const TemporalLoop& b) { return precedes(b, a); });
  const std::size_t count = factors.size();
  // A list linked by places in `factors`; `count` ends it.
  std::vector<std::size_t> next(count);
  for (std::size_t i = 0; i < count; ++i)
    next[i] = i + 1;
  std::vector<TemporalLoop> order(count);
  const auto show = [&](std::size_t head) {
    for (std::size_t i = 0, at = head; at != count; at = next[at])
      order[i++] = factors[at];
    visit(order);
  };
  std::size_t head = 0;
  std::size_t i = count < 2 ? 0 : count - 2;
  std::size_t j = count - 1;
  show(head);
  while (next[j] != count || precedes(factors[j], factors[head])) {
    const bool after_j = next[j] != count && !precedes(factors[i], factors[next[j]]);
    const std::size_t before = after_j ? j : i;
    const std::size_t moved = next[before];
    next[before] = next[moved];
    next[moved] = head;
    if (precedes(factors[moved], factors[head])) i = moved;
    j = next[i];
    head = moved;
    show(head);
  }
}

std::variant<StreamRankedCost, NoMapping> stream_ranked_cost(const Core& core,
                                                             const LoopNest& nest,
                                                             std::int64_t parts,
                                                             const CoreCostOptions& options) {
  CHECK(parts >= 1, "a layer has at least one part");
  const FittedCore fitted = fitted_core(core, nest, options);
  const Dataflow dataflow = default_dataflow(core, nest, options.model);
  auto spatial = spatial_mappings(fitted.core(), nest, dataflow, options);
  if (auto* refusal = std::get_if<NoMapping>(&spatial)) return std::move(*refusal);
  Best best;
  for (const SpatialMapping& mapping : std::get<std::vector<SpatialMapping>>(spatial)) {
    auto prepared = nest_on_core(fitted.core(), nest, mapping, options);
    if (auto* refusal = std::get_if<NoMapping>(&prepared)) return std::move(*refusal);
    search(std::get<NestOnCore>(prepared),
           loop_factors(nest, mapping.temporal, options.loop_limit),
           {options.objective, parts},
           best);
  }
  if (best.order.empty()) return NoMapping{"no order of the loops fits the core's memories"};
  CoreCostResult result = core_cost_of_order(core, nest, dataflow, best.order, options);
  if (auto* refusal = std::get_if<NoMapping>(&result)) return std::move(*refusal);
  return StreamRankedCost{std::get<MappedCost>(result).cost, stretched(best.asked)};
}

}  // namespace paretrain::evaluator
