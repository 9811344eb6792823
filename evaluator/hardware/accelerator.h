// Why: the hardware that plans are costed on, as accelerator files describe it: cores with an array
// and a memory hierarchy each, and what joins them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "evaluator/core_cost/loop_nest.h"

namespace paretrain::evaluator {

using CoreId = Id<struct CoreTag>;

// Memory operands: weights sit in I2, inputs in I1, outputs in O unless a mapping links them
// otherwise.
enum class MemoryOperand : std::uint8_t { O, I2, I1 };
inline constexpr std::size_t kMemoryOperandCount = 3;

// The four directions of traffic at a level of a memory hierarchy (docs/core-cost.md; fh, tl, fl,
// th in files).
enum class Direction : std::uint8_t { WriteFromHigh, ReadToLow, WriteFromLow, ReadToHigh };
inline constexpr std::size_t kDirectionCount = 4;

struct PortUse {
  MemoryOperand operand = MemoryOperand::O;
  Direction direction = Direction::ReadToLow;
};

struct MemoryPort {
  std::string name;
  std::int64_t bandwidth_min_bits = 1;  // access granularity
  std::int64_t bandwidth_max_bits =
      1;  // bits per cycle, and the word that r_cost and w_cost are for
  std::vector<PortUse> uses;
};

struct Memory {
  std::string name;
  std::int64_t size_bits = 0;  // of one instance
  double read_energy_pj = 0;   // per access of bandwidth_max bits
  double write_energy_pj = 0;
  bool is_dram = false;  // named or typed dram
  std::vector<MemoryOperand> operands;
  std::vector<MemoryPort> ports;
  std::vector<std::size_t> served_axes;  // array axes along which one instance serves all units
};

struct UnrollFactor {
  Loop loop = Loop::K;
  double factor = 1;
};

struct Array {
  std::vector<std::int64_t> sizes;  // units per axis D1, D2, …
  double mac_energy_pj = 0;
  [[nodiscard]] std::int64_t units() const;
};

enum class CoreKind { Array, Pooling, Vector, Memory };

struct Core {
  std::string name;
  CoreKind kind =
      CoreKind::Array;  // derived from dataflows and array, never from the name (DESIGN §5)
  std::vector<Memory> memories;  // inner to outer for each operand
  Array array;
  // Spatial unrolling per array axis; an axis without an entry is open and is unrolled by search.
  std::vector<std::optional<std::vector<UnrollFactor>>> dataflow;
};

struct Link {
  bool is_bus = false;
  std::vector<CoreId> cores;        // two for a link
  std::int64_t bandwidth_bits = 1;  // per cycle
  double energy_per_cycle_pj = 0;   // at full rate
};

struct Accelerator {
  std::string name;
  std::vector<Core> cores;
  std::optional<CoreId> offchip;  // the core whose memory is the DRAM
  std::vector<Link> links;
  std::vector<std::vector<CoreId>> shared_memories;  // cores whose outermost memory is one instance
};

}  // namespace paretrain::evaluator
