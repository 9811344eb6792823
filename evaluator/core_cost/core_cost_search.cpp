#include "evaluator/core_cost/core_cost_search.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/checked_math.h"
#include "evaluator/core_cost/fitted_core.h"
#include "evaluator/core_cost/laid_order.h"
#include "evaluator/core_cost/loop_factors.h"
#include "evaluator/core_cost/nest_on_core.h"
#include "evaluator/core_cost/operand_memories.h"
#include "evaluator/core_cost/order_energy.h"
#include "evaluator/core_cost/order_latency.h"
#include "evaluator/core_cost/order_search.h"

namespace paretrain::evaluator {

namespace {

CoreCost cost_of(const NestOnCore& nest, const LaidOrder& laid) {
  const ExtraCycles extra = extra_cycles(nest, laid);
  CoreCost cost;
  cost.ideal_cycles = nest.ideal_cycles;
  cost.spatial_cycles = nest.temporal_steps * nest.cycles_per_operation - nest.ideal_cycles;
  cost.stall_cycles = extra.stall;
  cost.onload_cycles = extra.onload;
  cost.offload_cycles = extra.offload;
  cost.mac_energy_pj = nest.mac_energy_pj;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest.operands[o];
    for (std::size_t level = 0; level < operand.level_count; ++level) {
      LevelTraffic traffic;
      traffic.operand = static_cast<NestOperand>(o);
      traffic.memory = operand.levels[level].memory;
      for (std::size_t d = 0; d < kDirectionCount; ++d) {
        traffic.accesses[d] = word_accesses(nest, laid, o, level, d);
        traffic.energy_pj[d] =
            traffic.accesses[d] * operand.levels[level].ports[d].energy_per_word_pj;
      }
      cost.traffic.push_back(traffic);
    }
  }
  return cost;
}

Mapping mapping_of(const NestOnCore& nest, const LaidOrder& laid, const LoopOrder& order) {
  Mapping mapping;
  mapping.requested = nest.spatial.requested;
  mapping.spatial = nest.spatial.loops;
  for (std::size_t i = 0; i < order.size(); ++i)
    mapping.order.push_back(order.loop(i));
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    std::size_t next = 0;
    for (std::size_t level = 0; level < nest.operands[o].level_count; ++level) {
      OperandLevel held;
      held.memory = nest.operands[o].levels[level].memory;
      for (; next < laid.allocation()[o][level]; ++next)
        held.loops.push_back(order.loop(next));
      mapping.levels[o].push_back(std::move(held));
    }
  }
  return mapping;
}

MappedCost mapped_cost(const NestOnCore& nest, const AllocatedOrder& allocated) {
  LaidOrder laid;
  laid.lay_out(nest, allocated.order, allocated.cuts);
  return {cost_of(nest, laid), mapping_of(nest, laid, allocated.order), 1};
}

// The nest on the core with each spatial mapping that may be tried.
std::variant<std::vector<NestOnCore>, NoMapping> variants(const Core& core,
                                                          const LoopNest& nest,
                                                          const Dataflow& dataflow,
                                                          const CoreCostOptions& options) {
  auto spatial = spatial_mappings(core, nest, dataflow, options);
  if (auto* refusal = std::get_if<NoMapping>(&spatial)) return std::move(*refusal);
  std::vector<NestOnCore> result;
  for (const SpatialMapping& mapping : std::get<std::vector<SpatialMapping>>(spatial)) {
    auto prepared = nest_on_core(core, nest, mapping, options);
    if (auto* refusal = std::get_if<NoMapping>(&prepared)) return std::move(*refusal);
    result.push_back(std::move(std::get<NestOnCore>(prepared)));
  }
  return result;
}

// Whether the order has all temporal loops that the spatial mapping leaves, and no more.
bool covers(const NestOnCore& nest, std::span<const TemporalLoop> order) {
  std::array<std::int64_t, kLoopCount> product;
  product.fill(1);
  for (const TemporalLoop& loop : order) {
    std::int64_t& size = product[static_cast<std::size_t>(loop.loop)];
    const auto grown = checked_product(size, loop.size);
    if (!grown) return false;
    size = *grown;
  }
  return product == nest.spatial.temporal && order.size() <= kMaxTemporalLoops;
}

NoMapping reason_for_other_loops(const NestOnCore& nest) {
  std::string expected;
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    if (nest.spatial.temporal[l] == 1) continue;
    expected += (expected.empty() ? "" : " ") + std::string(loop_name(static_cast<Loop>(l))) + ":" +
                std::to_string(nest.spatial.temporal[l]);
  }
  return NoMapping{"the order does not multiply up to the temporal loops of the nest (" +
                   (expected.empty() ? "none" : expected) + ", at most " +
                   std::to_string(kMaxTemporalLoops) + " factors)"};
}

LoopOrder placed(const NestOnCore& nest, std::span<const TemporalLoop> order) {
  LoopOrder result;
  for (std::size_t i = 0; i < order.size(); ++i)
    result.place(nest, i, order[i]);
  if (order.empty()) result.place(nest, 0, {Loop::K, 1});
  return result;
}

struct RankedCost {
  Score score;
  MappedCost mapped;
};

struct Ranking {
  Objective objective = Objective::Latency;
  std::size_t count = 0;
};

// Puts a mapping in its place among the best unless it costs the same as one that is there.
void rank(std::vector<RankedCost>& found,
          const NestOnCore& nest,
          const AllocatedOrder& allocated,
          const Ranking& ranking) {
  LaidOrder laid;
  laid.lay_out(nest, allocated.order, allocated.cuts);
  const double cycles = cycles_of(nest, laid);
  const double energy = energy_of(nest, laid);
  const Score score = score_of(ranking.objective, cycles, energy);
  if (found.size() == ranking.count && !better(score, found.back().score)) return;
  const auto place = std::lower_bound(
      found.begin(), found.end(), score, [](const RankedCost& ranked, const Score& other) {
        return better(ranked.score, other);
      });
  if (place != found.end() && !better(score, place->score)) return;
  found.insert(place, {score, mapped_cost(nest, allocated)});
  if (found.size() > ranking.count) found.pop_back();
}

}  // namespace

CoreCostResult best_core_cost(const Core& core,
                              const LoopNest& nest,
                              const Dataflow& dataflow,
                              const CoreCostOptions& options) {
  const FittedCore fitted = fitted_core(core, nest, options);
  auto prepared = variants(fitted.core(), nest, dataflow, options);
  if (auto* refusal = std::get_if<NoMapping>(&prepared)) return std::move(*refusal);
  const auto& candidates = std::get<std::vector<NestOnCore>>(prepared);
  const NestOnCore* best = nullptr;
  std::optional<AllocatedOrder> best_order;
  std::optional<Score> bound;
  std::int64_t orders = 0;
  for (const NestOnCore& candidate : candidates) {
    const auto factors = loop_factors(nest, candidate.spatial.temporal, options.loop_limit);
    if (factors.size() > kMaxTemporalLoops) return NoMapping{"the loop limit is too high"};
    orders += order_count(factors);
    OrderSearch search(candidate, options.objective, bound);
    search.run(factors);
    if (!search.best_order()) continue;
    best = &candidate;
    best_order = search.best_order();
    bound = search.best();
  }
  if (best == nullptr) return reason_for_no_allocation(candidates.front(), fitted.core());
  MappedCost result = mapped_cost(*best, *best_order);
  result.orders = orders;
  return result;
}

CoreCostResult best_core_cost(const Core& core,
                              const LoopNest& nest,
                              const CoreCostOptions& options) {
  return best_core_cost(core, nest, default_dataflow(core, nest, options.model), options);
}

CoreCostResult core_cost_of_order(const Core& core,
                                  const LoopNest& nest,
                                  const Dataflow& dataflow,
                                  std::span<const TemporalLoop> order,
                                  const CoreCostOptions& options) {
  const FittedCore fitted = fitted_core(core, nest, options);
  auto prepared = variants(fitted.core(), nest, dataflow, options);
  if (auto* refusal = std::get_if<NoMapping>(&prepared)) return std::move(*refusal);
  const auto& candidates = std::get<std::vector<NestOnCore>>(prepared);
  std::optional<MappedCost> best;
  std::optional<Score> best_score;
  NoMapping refusal = reason_for_other_loops(candidates.front());
  for (const NestOnCore& candidate : candidates) {
    if (!covers(candidate, order)) continue;
    const LoopOrder loops = placed(candidate, order);
    Allocations allocations(candidate, options.objective);
    if (allocations.of(loops).empty()) refusal = reason_for_no_allocation(candidate, fitted.core());
    for (const Cuts& cuts : allocations.of(loops)) {
      LaidOrder laid;
      laid.lay_out(candidate, loops, cuts);
      const Score score =
          score_of(options.objective, cycles_of(candidate, laid), energy_of(candidate, laid));
      if (best_score && !better(score, *best_score)) continue;
      best_score = score;
      best = mapped_cost(candidate, {loops, cuts});
    }
  }
  if (!best) return refusal;
  return std::move(*best);
}

std::vector<MappedCost> best_core_costs(const Core& core,
                                        const LoopNest& nest,
                                        const Dataflow& dataflow,
                                        const CoreCostOptions& options,
                                        std::size_t count) {
  const FittedCore fitted = fitted_core(core, nest, options);
  auto prepared = variants(fitted.core(), nest, dataflow, options);
  if (std::holds_alternative<NoMapping>(prepared)) return {};

  std::vector<RankedCost> found;
  for (const NestOnCore& nest_on : std::get<std::vector<NestOnCore>>(prepared)) {
    Allocations allocations(nest_on, options.objective);
    for_each_order(loop_factors(nest, nest_on.spatial.temporal, options.loop_limit),
                   [&](std::span<const TemporalLoop> loops) {
                     const LoopOrder order = placed(nest_on, loops);
                     for (const Cuts& cuts : allocations.of(order))
                       rank(found, nest_on, {order, cuts}, {options.objective, count});
                   });
  }
  std::vector<MappedCost> result;
  for (RankedCost& ranked : found)
    result.push_back(std::move(ranked.mapped));
  return result;
}

}  // namespace paretrain::evaluator
