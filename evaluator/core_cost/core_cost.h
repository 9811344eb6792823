// Why: latency and energy of one loop nest on one core, with the best temporal mapping that the
// search finds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

enum class CostModel { Corrected, Zigzag };
enum class Objective { Latency, Energy, Edp };

// How many allocations of an order the corrected model tries (docs/core-cost.md, allocation).
enum class Allocating {
  Quick,    // a few smaller sizes, where they usually decide
  Thorough  // every memory as if it were smaller, in any combination: more memory never costs more
};

struct CoreCostOptions {
  CostModel model = CostModel::Corrected;
  Objective objective = Objective::Latency;
  int loop_limit = 6;  // longest order that the search builds; raised to the number of loops
  // Which memory operand each of O, W, I is.
  std::array<MemoryOperand, kNestOperandCount> links = {
      MemoryOperand::O, MemoryOperand::I2, MemoryOperand::I1};
  Allocating allocating = Allocating::Quick;
};

// Words moved at one level for one operand, by direction; energy of each.
struct LevelTraffic {
  NestOperand operand = NestOperand::O;
  std::size_t memory = 0;  // index into Core::memories
  std::array<double, kDirectionCount> accesses{};
  std::array<double, kDirectionCount> energy_pj{};
};

// Units: cycles and picojoules; real numbers inside an operator.
struct CoreCost {
  double ideal_cycles = 0;
  double spatial_cycles = 0;  // lost to unused array units: temporal loops minus ideal
  double stall_cycles = 0;
  double onload_cycles = 0;
  double offload_cycles = 0;
  double mac_energy_pj = 0;
  std::vector<LevelTraffic> traffic;

  [[nodiscard]] double total_cycles() const {
    return ideal_cycles + spatial_cycles + stall_cycles + onload_cycles + offload_cycles;
  }

  [[nodiscard]] double memory_energy_pj() const;

  [[nodiscard]] double total_energy_pj() const { return mac_energy_pj + memory_energy_pj(); }
};

// Why a nest has no mapping on a core, in the words that `cost` prints.
struct NoMapping {
  std::string reason;
};

}  // namespace paretrain::evaluator
