#include "evaluator/core_cost/spatial_mapping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evaluator/core_cost/operand_memories.h"
#include "evaluator/core_cost/tile_extent.h"

namespace paretrain::evaluator {

namespace {

// How many spatial mappings are generated for open axes. Source: docs/core-cost.md, open axes.
constexpr std::size_t kGeneratedMappings = 3;
// With several open axes, only this many factors of each are combined.
constexpr std::size_t kOptionsPerAxis = 12;

using Factors = std::vector<UnrollFactor>;

// What bounds unrolling besides the sizes of loop and axis: one operand in one innermost memory.
struct InnermostUse {
  OperandIndexing indexing;
  std::vector<std::size_t> served_axes;
  double port_elements = 0;      // per cycle
  double capacity_elements = 0;  // of one instance
};

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Whether no operand of the memory has a memory below it.
bool is_innermost(const Core& core, std::size_t memory) {
  for (const MemoryOperand operand : core.memories[memory].operands) {
    if (levels_of(core, operand).front() != memory) return false;
  }
  return true;
}

std::vector<InnermostUse> innermost_uses(const Core& core,
                                         const LoopNest& nest,
                                         const CoreCostOptions& options) {
  std::vector<InnermostUse> uses;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const auto operand = static_cast<NestOperand>(o);
    if (!moves_data(nest, operand)) continue;
    const std::vector<std::size_t> levels = levels_of(core, options.links[o]);
    if (levels.empty() || !is_innermost(core, levels.front())) continue;
    const Memory& memory = core.memories[levels.front()];
    const auto bits = static_cast<double>(widest_bits(nest, operand, options.model));
    const Direction low =
        operand == NestOperand::O ? Direction::WriteFromLow : Direction::ReadToLow;
    const MemoryPort* port = port_of(memory, options.links[o], low);
    InnermostUse use;
    use.indexing = operand_indexing(nest, operand, options.model);
    use.served_axes = memory.served_axes;
    // In the corrected model a narrow port costs stalls, not units.
    use.port_elements = std::numeric_limits<double>::infinity();
    if (options.model == CostModel::Zigzag && port != nullptr)
      use.port_elements = std::floor(static_cast<double>(port->bandwidth_max_bits) / bits);
    use.capacity_elements = std::floor(static_cast<double>(memory.size_bits) / bits);
    uses.push_back(std::move(use));
  }
  return uses;
}

double allowed_factor(const Core& core,
                      const LoopNest& nest,
                      const std::vector<InnermostUse>& uses,
                      std::size_t axis,
                      Loop loop) {
  double allowed =
      std::min(static_cast<double>(nest.size(loop)), static_cast<double>(core.array.sizes[axis]));
  for (const InnermostUse& use : uses) {
    if (contains(use.served_axes, axis) && !use.indexing.irrelevant(loop))
      allowed = std::min(allowed, use.port_elements);
  }
  return allowed;
}

// Steps the largest factor down until what an innermost memory must hold fits it.
void limit_by_capacity(Dataflow& dataflow, const InnermostUse& use) {
  for (;;) {
    double product = 1;
    UnrollFactor* largest = nullptr;
    for (std::size_t axis = 0; axis < dataflow.size(); ++axis) {
      if (!contains(use.served_axes, axis)) continue;
      for (UnrollFactor& factor : *dataflow[axis]) {
        if (use.indexing.irrelevant(factor.loop)) continue;
        product *= factor.factor;
        if (largest == nullptr || factor.factor > largest->factor) largest = &factor;
      }
    }
    if (largest == nullptr || product <= use.capacity_elements || largest->factor <= 0) return;
    largest->factor = std::floor(largest->factor) - 1;
  }
}

// One loop's unrolling over all axes.
struct Unrolled {
  double units = 1;                      // product of its factors
  const UnrollFactor* widest = nullptr;  // the first of the largest
};

std::array<Unrolled, kLoopCount> unrolled_loops(const Dataflow& dataflow) {
  std::array<Unrolled, kLoopCount> loops;
  for (const auto& axis : dataflow) {
    for (const UnrollFactor& factor : *axis) {
      Unrolled& loop = loops[static_cast<std::size_t>(factor.loop)];
      loop.units *= factor.factor;
      if (loop.widest == nullptr || factor.factor > loop.widest->factor) loop.widest = &factor;
    }
  }
  return loops;
}

// Rounds the widest unrolling of each loop so that it divides the loop; ZigZag's greedy mapping.
SpatialMapping rounded(const LoopNest& nest, Dataflow requested) {
  SpatialMapping mapping;
  const std::array<Unrolled, kLoopCount> loops = unrolled_loops(requested);
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    mapping.temporal[l] =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(nest.sizes[l]) / loops[l].units));
  }
  for (std::size_t axis = 0; axis < requested.size(); ++axis) {
    for (const UnrollFactor& factor : *requested[axis]) {
      const auto l = static_cast<std::size_t>(factor.loop);
      double fractional = factor.factor;
      if (loops[l].widest == &factor) {
        fractional = static_cast<double>(nest.sizes[l]) / static_cast<double>(mapping.temporal[l]) /
                     (loops[l].units / factor.factor);
      }
      if (fractional == 1) continue;
      mapping.loops.push_back(
          {factor.loop, axis, fractional, std::max(1.0, std::floor(fractional))});
    }
  }
  mapping.requested = std::move(requested);
  return mapping;
}

struct AxisOption {
  Factors factors;  // empty or one
  double units = 1;
};

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> result;
  for (std::int64_t small = 1; small * small <= number; ++small) {
    if (number % small != 0) continue;
    result.push_back(small);
    if (small * small != number) result.push_back(number / small);
  }
  return result;
}

std::vector<AxisOption> axis_options(const Core& core,
                                     const LoopNest& nest,
                                     const std::vector<InnermostUse>& uses,
                                     std::size_t axis) {
  std::vector<AxisOption> options = {AxisOption{}};
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    const auto loop = static_cast<Loop>(l);
    const auto allowed =
        static_cast<std::int64_t>(std::floor(allowed_factor(core, nest, uses, axis, loop)));
    for (const std::int64_t divisor : divisors(allowed)) {
      if (divisor == 1) continue;
      options.push_back({{{loop, static_cast<double>(divisor)}}, static_cast<double>(divisor)});
    }
  }
  std::stable_sort(options.begin(), options.end(), [](const AxisOption& a, const AxisOption& b) {
    return a.units > b.units;
  });
  return options;
}

double units_in_use(const LoopNest& nest, const Dataflow& dataflow) {
  const std::array<Unrolled, kLoopCount> loops = unrolled_loops(dataflow);
  double product = 1;
  for (std::size_t l = 0; l < kLoopCount; ++l) {
    const auto size = static_cast<double>(nest.sizes[l]);
    product *= size / std::ceil(size / loops[l].units);
  }
  return product;
}

std::size_t distinct_loops(const Dataflow& dataflow) {
  std::array<bool, kLoopCount> seen{};
  for (const auto& axis : dataflow) {
    for (const UnrollFactor& factor : *axis)
      seen[static_cast<std::size_t>(factor.loop)] = true;
  }
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
}

// All combinations of options for the open axes, best use of the array first, then most different
// loops, then order of generation.
std::vector<Dataflow> generated(const LoopNest& nest,
                                const Dataflow& fixed,
                                const std::vector<std::vector<AxisOption>>& options,
                                const std::vector<std::size_t>& open) {
  std::vector<Dataflow> candidates = {fixed};
  for (std::size_t a = 0; a < open.size(); ++a) {
    std::vector<Dataflow> extended;
    const std::size_t count =
        open.size() == 1 ? options[a].size() : std::min(options[a].size(), kOptionsPerAxis);
    for (const Dataflow& candidate : candidates) {
      for (std::size_t i = 0; i < count; ++i) {
        extended.push_back(candidate);
        extended.back()[open[a]] = options[a][i].factors;
      }
    }
    std::stable_sort(extended.begin(), extended.end(), [&](const Dataflow& x, const Dataflow& y) {
      const double units_x = units_in_use(nest, x);
      const double units_y = units_in_use(nest, y);
      if (units_x != units_y) return units_x > units_y;
      return distinct_loops(x) > distinct_loops(y);
    });
    const std::size_t kept = a + 1 == open.size() ? kGeneratedMappings : kOptionsPerAxis;
    if (extended.size() > kept) extended.resize(kept);
    candidates = std::move(extended);
  }
  return candidates;
}

// What the nest's loops leave of the dataflow, each factor within its bounds. Open axes stay empty.
struct Reduced {
  Dataflow dataflow;
  std::vector<std::size_t> open;
};

Reduced reduced(const Core& core,
                const LoopNest& nest,
                const std::vector<InnermostUse>& uses,
                const Dataflow& dataflow) {
  Reduced result;
  for (std::size_t axis = 0; axis < core.array.sizes.size(); ++axis) {
    Factors factors;
    if (axis >= dataflow.size() || !dataflow[axis]) {
      result.open.push_back(axis);
    } else {
      double room = static_cast<double>(core.array.sizes[axis]);
      for (const UnrollFactor& wish : *dataflow[axis]) {
        if (nest.size(wish.loop) == 1) continue;
        const double allowed = allowed_factor(core, nest, uses, axis, wish.loop);
        const double factor = std::min({wish.factor, allowed, std::floor(room)});
        factors.push_back({wish.loop, factor});
        room /= std::max(1.0, factor);
      }
    }
    result.dataflow.emplace_back(std::move(factors));
  }
  return result;
}

std::optional<NoMapping> unusable(const Dataflow& dataflow) {
  for (std::size_t axis = 0; axis < dataflow.size(); ++axis) {
    for (const UnrollFactor& factor : *dataflow[axis]) {
      if (factor.factor < 1) {
        return NoMapping{"no element of loop " + std::string(loop_name(factor.loop)) +
                         " fits the innermost memory or port along array axis D" +
                         std::to_string(axis + 1)};
      }
    }
  }
  return std::nullopt;
}

// Loops of the streamed operand (the input, else the output), innermost dimension first, without
// repetition.
std::vector<Loop> streamed_loops(const LoopNest& nest) {
  const bool has_input = moves_data(nest, NestOperand::I);
  const auto& axes = nest.operand(has_input ? NestOperand::I : NestOperand::O);
  std::vector<Loop> loops;
  const auto add = [&](Loop loop) {
    if (nest.size(loop) > 1 && std::find(loops.begin(), loops.end(), loop) == loops.end())
      loops.push_back(loop);
  };
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    add(axis->first);
    if (axis->windowed) add(axis->second);
  }
  return loops;
}

void fill_lanes(Factors& factors,
                double lanes,
                const std::vector<Loop>& loops,
                const LoopNest& nest,
                std::array<double, kLoopCount>& used) {
  for (const UnrollFactor& factor : factors)
    lanes = std::floor(lanes / std::max(1.0, factor.factor));
  for (const Loop loop : loops) {
    double& taken = used[static_cast<std::size_t>(loop)];
    const double left = std::ceil(static_cast<double>(nest.size(loop)) / taken);
    const double factor = std::min(left, lanes);
    if (factor < 2) continue;
    factors.push_back({loop, factor});
    taken *= factor;
    lanes = std::floor(lanes / factor);
  }
}

}  // namespace

std::variant<std::vector<SpatialMapping>, NoMapping> spatial_mappings(
    const Core& core,
    const LoopNest& nest,
    const Dataflow& dataflow,
    const CoreCostOptions& options) {
  const std::vector<InnermostUse> uses = innermost_uses(core, nest, options);
  const Reduced start = reduced(core, nest, uses, dataflow);
  std::vector<std::vector<AxisOption>> axis_choices;
  for (const std::size_t axis : start.open)
    axis_choices.push_back(axis_options(core, nest, uses, axis));

  std::vector<SpatialMapping> mappings;
  std::optional<NoMapping> refusal;
  for (Dataflow& candidate : generated(nest, start.dataflow, axis_choices, start.open)) {
    for (const InnermostUse& use : uses)
      limit_by_capacity(candidate, use);
    if (auto reason = unusable(candidate)) {
      if (!refusal) refusal = std::move(reason);
      continue;
    }
    mappings.push_back(rounded(nest, std::move(candidate)));
  }
  if (mappings.empty()) return *refusal;
  return mappings;
}

Dataflow default_dataflow(const Core& core, const LoopNest& nest, CostModel model) {
  if (model == CostModel::Zigzag || core.kind != CoreKind::Vector) return core.dataflow;
  Dataflow dataflow = core.dataflow;
  dataflow.resize(core.array.sizes.size());
  const std::vector<Loop> loops = streamed_loops(nest);
  std::array<double, kLoopCount> used;
  used.fill(1);
  for (std::size_t axis = 0; axis < dataflow.size(); ++axis) {
    Factors factors;
    if (dataflow[axis]) {
      for (UnrollFactor factor : *dataflow[axis]) {
        factor.factor = std::min(factor.factor, static_cast<double>(nest.size(factor.loop)));
        if (factor.factor < 2) continue;
        factors.push_back(factor);
        used[static_cast<std::size_t>(factor.loop)] *= factor.factor;
      }
    }
    fill_lanes(factors, static_cast<double>(core.array.sizes[axis]), loops, nest, used);
    dataflow[axis] = std::move(factors);
  }
  return dataflow;
}

Dataflow lane_dataflow(const Core& core, const LoopNest& nest) {
  const std::vector<Loop> loops = streamed_loops(nest);
  std::array<double, kLoopCount> used;
  used.fill(1);
  Dataflow dataflow;
  for (const std::int64_t size : core.array.sizes) {
    Factors factors;
    fill_lanes(factors, static_cast<double>(size), loops, nest, used);
    dataflow.emplace_back(std::move(factors));
  }
  return dataflow;
}

}  // namespace paretrain::evaluator
