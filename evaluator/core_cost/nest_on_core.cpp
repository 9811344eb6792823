#include "evaluator/core_cost/nest_on_core.h"

#include <algorithm>
#include <cmath>

#include "evaluator/core_cost/operand_memories.h"

namespace paretrain::evaluator {

namespace {

// Operands in memories; sizes for more of them have too many combinations.
constexpr std::ptrdiff_t kMostThorough = 12;

constexpr std::size_t index_of(Direction direction) {
  return static_cast<std::size_t>(direction);
}

constexpr std::array<Direction, kDirectionCount> kDirections = {
    Direction::WriteFromHigh, Direction::ReadToLow, Direction::WriteFromLow, Direction::ReadToHigh};

bool is_needed(NestOperand operand, Direction direction) {
  return operand == NestOperand::O || direction == Direction::ReadToLow ||
         direction == Direction::WriteFromHigh;
}

// S[0] … S[level_count] of one operand.
std::vector<std::vector<SpatialLoop>> spatial_lists(const Core& core,
                                                    const std::vector<std::size_t>& levels,
                                                    const std::vector<SpatialLoop>& loops) {
  std::vector<std::vector<SpatialLoop>> lists(levels.size() + 1);
  for (const SpatialLoop& loop : loops) {
    std::size_t list = 0;
    while (list < levels.size()) {
      const auto& served = core.memories[levels[list]].served_axes;
      if (std::find(served.begin(), served.end(), loop.axis) != served.end()) break;
      ++list;
    }
    lists[list].push_back(loop);
  }
  return lists;
}

double factor_of(const SpatialLoop& loop, std::size_t unrolling) {
  return unrolling == static_cast<std::size_t>(Unrolling::Whole) ? loop.whole : loop.fractional;
}

// Extents and reductions of one unrolling; unit counts and boosts follow from the part of the loops
// that lies above each level.
void attach_spatial(OperandOnCore& operand,
                    const std::vector<std::vector<SpatialLoop>>& lists,
                    std::size_t unrolling) {
  Extent below;
  auto& cumulated = operand.spatial[unrolling];
  std::array<double, kMaxLevels + 2> distinct{};  // elements of S[0] … S[a-1]
  const std::size_t count = operand.level_count;
  for (std::size_t a = 0; a <= count + 1; ++a) {
    cumulated[a] = below;
    distinct[a] = operand.indexing.elements(below, Extent{});
    if (a > count) break;
    for (const SpatialLoop& loop : lists[a])
      below.grow(operand.indexing.role(loop.loop), factor_of(loop, unrolling));
  }
  double units = 1;
  bool reduces = false;
  for (std::size_t a = count + 1; a-- > 0;) {
    for (const SpatialLoop& loop : lists[a]) {
      units *= factor_of(loop, unrolling);
      if (operand.indexing.irrelevant(loop.loop) && factor_of(loop, unrolling) > 1) reduces = true;
    }
    operand.reduces_above[unrolling][a] = reduces;
    if (a > 0 && unrolling == static_cast<std::size_t>(Unrolling::Fractional))
      operand.levels[a - 1].unit_count = std::nearbyint(units);
    if (a < count) {
      const double all = distinct[count + 1];
      operand.levels[a].boost[unrolling] =
          std::nearbyint(all / distinct[a] / (all / distinct[a + 1]));
    }
  }
}

void keep_factors(OperandOnCore& operand, const std::vector<std::vector<SpatialLoop>>& lists) {
  for (std::size_t a = 0; a < lists.size(); ++a) {
    operand.spatial_factors[a].fill(1);
    for (const SpatialLoop& loop : lists[a])
      operand.spatial_factors[a][static_cast<std::size_t>(loop.loop)] *= loop.fractional;
  }
}

class Builder {
 public:
  Builder(const Core& core, const LoopNest& nest, const CoreCostOptions& options)
      : core_(core), nest_(nest), options_(options) {}

  std::variant<NestOnCore, NoMapping> build(const SpatialMapping& spatial) {
    result_.model = options_.model;
    result_.allocating = options_.allocating;
    result_.spatial = spatial;
    for (const SpatialLoop& loop : spatial.loops)
      result_.whole_is_fractional = result_.whole_is_fractional && loop.whole == loop.fractional;
    for (std::size_t m = 0; m < core_.memories.size(); ++m)
      add_memory(m);
    if (result_.ports.size() > kMaxPorts)
      return NoMapping{"the core has more than " + std::to_string(kMaxPorts) + " ports"};
    for (std::size_t o = 0; o < kNestOperandCount; ++o) {
      if (!moves_data(nest_, static_cast<NestOperand>(o))) continue;
      if (auto refusal = add_operand(o)) return *refusal;
    }
    add_users();
    mark_smaller();
    add_links();
    add_sharing();
    add_totals();
    return std::move(result_);
  }

 private:
  void add_memory(std::size_t m) {
    const Memory& memory = core_.memories[m];
    MemoryOnCore added;
    added.index = m;
    added.size_bits = static_cast<double>(memory.size_bits);
    result_.memories.push_back(added);
    first_port_.push_back(result_.ports.size());
    for (const MemoryPort& port : memory.ports)
      result_.ports.push_back({static_cast<double>(port.bandwidth_max_bits), {}});
  }

  std::optional<NoMapping> add_operand(std::size_t o) {
    static constexpr std::array<std::string_view, kNestOperandCount> kNames = {"O", "W", "I"};
    const auto nest_operand = static_cast<NestOperand>(o);
    OperandOnCore& operand = result_.operands[o];
    const std::vector<std::size_t> levels = levels_of(core_, options_.links[o]);
    if (levels.empty())
      return NoMapping{"no memory of the core holds operand " + std::string(kNames[o])};
    if (levels.size() > kMaxLevels) {
      return NoMapping{"operand " + std::string(kNames[o]) + " passes through more than " +
                       std::to_string(kMaxLevels) + " memories"};
    }
    operand.present = true;
    operand.level_count = levels.size();
    operand.indexing = operand_indexing(nest_, nest_operand, options_.model);
    operand.partial_bits = static_cast<double>(
        nest_operand == NestOperand::O ? nest_.bits.output_partial
                                       : widest_bits(nest_, nest_operand, options_.model));
    operand.final_bits = static_cast<double>(
        nest_operand == NestOperand::O ? nest_.bits.output_final
                                       : widest_bits(nest_, nest_operand, options_.model));
    for (std::size_t level = 0; level < levels.size(); ++level) {
      operand.levels[level].memory = levels[level];
      if (auto refusal = add_ports(o, level)) return refusal;
    }
    const auto lists = spatial_lists(core_, levels, result_.spatial.loops);
    keep_factors(operand, lists);
    for (std::size_t unrolling = 0; unrolling < kUnrollingCount; ++unrolling)
      attach_spatial(operand, lists, unrolling);
    return std::nullopt;
  }

  std::optional<NoMapping> add_ports(std::size_t o, std::size_t level) {
    OperandLevelOnCore& at = result_.operands[o].levels[level];
    const Memory& memory = core_.memories[at.memory];
    const bool is_top = level + 1 == result_.operands[o].level_count;
    for (const Direction direction : kDirections) {
      if (!is_needed(static_cast<NestOperand>(o), direction)) continue;
      const MemoryPort* port = port_of(memory, options_.links[o], direction);
      if (port == nullptr) {
        const bool outside =
            is_top && (direction == Direction::WriteFromHigh || direction == Direction::ReadToHigh);
        if (outside) continue;
        return NoMapping{"memory " + memory.name + " has no port for an operand it holds"};
      }
      const bool reads = direction == Direction::ReadToLow || direction == Direction::ReadToHigh;
      LevelPort& used = at.ports[index_of(direction)];
      used.port = first_port_[at.memory] + static_cast<std::size_t>(port - memory.ports.data());
      used.granularity_bits = static_cast<double>(port->bandwidth_min_bits);
      used.word_bits = static_cast<double>(port->bandwidth_max_bits);
      used.energy_per_word_pj = reads ? memory.read_energy_pj : memory.write_energy_pj;
    }
    return std::nullopt;
  }

  // Operands of a memory in the order of the file.
  void add_users() {
    for (MemoryOnCore& memory : result_.memories) {
      for (const MemoryOperand held : core_.memories[memory.index].operands) {
        for (std::size_t o = 0; o < kNestOperandCount; ++o) {
          if (options_.links[o] != held || !result_.operands[o].present) continue;
          const OperandOnCore& operand = result_.operands[o];
          for (std::size_t level = 0; level < operand.level_count; ++level) {
            if (operand.levels[level].memory != memory.index) continue;
            memory.users[memory.user_count++] = {static_cast<std::uint8_t>(o),
                                                 static_cast<std::uint8_t>(level)};
          }
        }
      }
    }
  }

  // Users of the memory for which it is not the outermost: what there is to choose for.
  [[nodiscard]] std::ptrdiff_t choosing_users(const MemoryOnCore& memory) const {
    return std::count_if(memory.users.begin(),
                         memory.users.begin() + static_cast<std::ptrdiff_t>(memory.user_count),
                         [&](const OperandAtLevel& user) {
                           return user.level + 1U < result_.operands[user.operand].level_count;
                         });
  }

  // Registers, and the other memories of a core that has no DRAM level, or all of not too many.
  void mark_smaller() {
    result_.has_dram = std::any_of(core_.memories.begin(),
                                   core_.memories.end(),
                                   [](const Memory& memory) { return memory.is_dram; });
    std::ptrdiff_t choosing = 0;
    for (const MemoryOnCore& memory : result_.memories)
      choosing += choosing_users(memory);
    if (choosing > kMostThorough) result_.allocating = Allocating::Quick;
    for (MemoryOnCore& memory : result_.memories) {
      memory.may_be_smaller = choosing_users(memory) > 0 &&
                              (result_.allocating == Allocating::Thorough || !result_.has_dram ||
                               is_register(core_, core_.memories[memory.index]));
    }
  }

  // Links of a port stand in the order of the file. Traffic between the outermost level and the
  // outside does not exist.
  void add_links() {
    std::size_t port = 0;
    for (const MemoryOnCore& memory : result_.memories) {
      for (const MemoryPort& described : core_.memories[memory.index].ports) {
        for (const PortUse& use : described.uses)
          add_link(port, memory, use);
        ++port;
      }
    }
  }

  void add_link(std::size_t port, const MemoryOnCore& memory, const PortUse& use) {
    const bool high =
        use.direction == Direction::WriteFromHigh || use.direction == Direction::ReadToHigh;
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      const OperandAtLevel user = memory.users[u];
      const bool is_top = user.level + 1U == result_.operands[user.operand].level_count;
      if (options_.links[user.operand] != use.operand || (high && is_top) ||
          !is_needed(static_cast<NestOperand>(user.operand), use.direction))
        continue;
      result_.ports[port].links.push_back(
          {user.operand, user.level, static_cast<std::uint8_t>(index_of(use.direction))});
    }
  }

  [[nodiscard]] bool serves_both_inputs(std::size_t port) const {
    bool weight = false;
    bool input = false;
    for (const PortLink& link : result_.ports[port].links) {
      weight = weight || link.operand == static_cast<std::size_t>(NestOperand::W);
      input = input || link.operand == static_cast<std::size_t>(NestOperand::I);
    }
    return weight && input;
  }

  void add_sharing() {
    for (const NestOperand input : {NestOperand::W, NestOperand::I}) {
      const OperandOnCore& operand = result_.operands[static_cast<std::size_t>(input)];
      auto& sharing = result_.sharing[input == NestOperand::W ? 0 : 1];
      for (std::size_t m = 0; m + 1 < operand.level_count; ++m) {
        const bool lower =
            serves_both_inputs(operand.levels[m].ports[index_of(Direction::WriteFromHigh)].port);
        const bool upper =
            serves_both_inputs(operand.levels[m + 1].ports[index_of(Direction::ReadToLow)].port);
        sharing[m] = lower && upper   ? Sharing::Shared
                     : lower || upper ? Sharing::HalfShared
                                      : Sharing::Individual;
      }
    }
  }

  void add_totals() {
    for (const std::int64_t size : result_.spatial.temporal)
      result_.temporal_steps *= static_cast<double>(size);
    const auto operations = static_cast<double>(nest_.operations());
    result_.cycles_per_operation = nest_.cycles_per_operation;
    result_.ideal_cycles =
        std::ceil(std::ceil(operations / static_cast<double>(core_.array.units())) *
                  nest_.cycles_per_operation);
    result_.mac_energy_pj = core_.array.mac_energy_pj * operations;
  }

  const Core& core_;
  const LoopNest& nest_;
  const CoreCostOptions& options_;
  NestOnCore result_;
  std::vector<std::size_t> first_port_;  // of each memory
};

}  // namespace

std::variant<NestOnCore, NoMapping> nest_on_core(const Core& core,
                                                 const LoopNest& nest,
                                                 const SpatialMapping& spatial,
                                                 const CoreCostOptions& options) {
  return Builder(core, nest, options).build(spatial);
}

}  // namespace paretrain::evaluator
