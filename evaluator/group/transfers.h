// Why: moving a tensor's tile between off-chip memory and cores, or from core to core, occupies
// media and costs energy at both ends. Formulas: docs/group-cost.md, transfers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/group/chip.h"

namespace paretrain::evaluator {

// One end of a transfer at a core: where the bytes are put or taken, and how many.
struct Endpoint {
  CoreId core;
  NestOperand operand = NestOperand::I;
  std::int64_t bytes = 0;
};

struct ResourceCycles {
  ResourceId resource;
  std::int64_t cycles = 0;
};

// Of one tile. Uses are sorted by resource, each once.
struct TransferCost {
  std::vector<ResourceCycles> uses;
  double off_chip_pj = 0;
  double on_chip_pj = 0;
  double links_pj = 0;
};

// From off-chip memory to every receiver. Model: the memory is read once and a bus carries the
// bytes once, whoever listens; a point-to-point link carries what its receiver needs.
[[nodiscard]] TransferCost fetch_cost(const Chip& chip,
                                      std::int64_t bytes,
                                      std::span<const Endpoint> receivers);

// From every sender to off-chip memory.
[[nodiscard]] TransferCost store_cost(const Chip& chip,
                                      std::int64_t bytes,
                                      std::span<const Endpoint> senders);

// What one core sends to another.
struct Handover {
  Endpoint from;  // bytes: all that this sender drains for its receivers on one bus
  Endpoint to;    // bytes: what passes between the two
};

// Between cores. Model: per sender a bus carries what it sends once; links carry each pair's bytes.
// Pairs that share a memory must be left out.
[[nodiscard]] TransferCost handover_cost(const Chip& chip, std::span<const Handover> pairs);

}  // namespace paretrain::evaluator
