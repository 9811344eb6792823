// Why: everything about a nest on a core that does not depend on the order of its temporal loops,
// laid out flat, so that one order costs a microsecond or two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/mapping.h"
#include "evaluator/core_cost/spatial_mapping.h"
#include "evaluator/core_cost/tile_extent.h"

namespace paretrain::evaluator {

inline constexpr std::size_t kMaxLevels = 8;          // memories that one operand passes through
inline constexpr std::size_t kMaxTemporalLoops = 24;  // length of an order
inline constexpr std::size_t kMaxPorts = 48;          // of all memories of a core
// Links of one port, and of all ports of a core: each stands on one port.
inline constexpr std::size_t kMaxPortLinks = kNestOperandCount * kDirectionCount * kMaxLevels;

// Energy and latency see different unrollings: the mean one and the whole one (docs/core-cost.md).
enum class Unrolling : std::uint8_t { Fractional, Whole };
inline constexpr std::size_t kUnrollingCount = 2;

// What one operand meets on one level in one direction.
struct LevelPort {
  std::size_t port = 0;  // index into NestOnCore::ports
  double granularity_bits = 1;
  double word_bits = 1;
  double energy_per_word_pj = 0;
};

// One operand on one level of its hierarchy. Arch level a = level + 1.
struct OperandLevelOnCore {
  std::size_t memory = 0;  // index into NestOnCore::memories
  std::array<LevelPort, kDirectionCount> ports{};
  double unit_count = 1;                            // instances in use, fractional mapping
  std::array<double, kUnrollingCount> boost{1, 1};  // different items asked for per item below
};

// One operand of the nest. Spatial list S[m] sits between level m-1 and level m (S[0]: below
// level 0).
struct OperandOnCore {
  bool present = false;
  std::size_t level_count = 0;
  OperandIndexing indexing;
  double partial_bits = 0;  // inputs: both the same
  double final_bits = 0;
  std::array<OperandLevelOnCore, kMaxLevels> levels;
  // Shape: [unrolling][a]: extent of S[0] … S[a-1].
  std::array<std::array<Extent, kMaxLevels + 2>, kUnrollingCount> spatial;
  // Shape: [a][loop]: fractional factor of each loop in S[a].
  std::array<std::array<double, kLoopCount>, kMaxLevels + 2> spatial_factors;
  // Shape: [unrolling][a]: an irrelevant loop of factor > 1 in S[a] or above.
  std::array<std::array<bool, kMaxLevels + 2>, kUnrollingCount> reduces_above{};
};

struct OperandAtLevel {
  std::uint8_t operand = 0;
  std::uint8_t level = 0;
};

// Operands in the order of the file.
struct MemoryOnCore {
  std::size_t index = 0;  // into Core::memories
  double size_bits = 0;
  std::array<OperandAtLevel, kNestOperandCount> users{};
  std::size_t user_count = 0;
  // May be used as if it were smaller (docs/core-cost.md, allocation).
  bool may_be_smaller = false;
};

struct PortLink {
  std::uint8_t operand;
  std::uint8_t level;
  std::uint8_t direction;
};

struct PortOnCore {
  double bandwidth_bits = 1;
  std::vector<PortLink> links;  // by operand, level, direction
};

// How the two inputs share the ports between two levels of theirs.
enum class Sharing : std::uint8_t { Individual, HalfShared, Shared };

struct NestOnCore {
  CostModel model = CostModel::Corrected;
  Allocating allocating = Allocating::Quick;
  SpatialMapping spatial;
  bool whole_is_fractional = true;  // no factor was rounded
  std::array<OperandOnCore, kNestOperandCount> operands;
  std::vector<MemoryOnCore> memories;  // inner to outer for each operand
  std::vector<PortOnCore> ports;
  // Shape: [W, I][m]: between level m and m + 1.
  std::array<std::array<Sharing, kMaxLevels>, 2> sharing{};
  bool has_dram = false;      // as a level
  double temporal_steps = 1;  // product of all temporal loops
  double cycles_per_operation = 1;
  double ideal_cycles = 0;
  double mac_energy_pj = 0;
};

// Requires: sizes of at least 1.
[[nodiscard]] std::variant<NestOnCore, NoMapping> nest_on_core(const Core& core,
                                                               const LoopNest& nest,
                                                               const SpatialMapping& spatial,
                                                               const CoreCostOptions& options);

}  // namespace paretrain::evaluator
