// Why: a tensor that one group hands to the next on chip lies somewhere in between. Where it may
// lie, and what it costs to bring it there and away. Formulas: docs/group-cost.md, hand-overs
// between groups.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evaluator/group/chip.h"
#include "evaluator/group/transfers.h"

namespace paretrain::evaluator {

// The outermost memories for results of a set of identical cores.
// Model: each memory holds an equal part of a tensor, of any part of it alike.
struct HoldingPlace {
  std::string name;                 // "cores 0, 1, 2, 3"
  std::vector<CoreId> cores;        // one per memory
  std::vector<MemoryNodeId> nodes;  // likewise
  std::int64_t most_bytes = 0;      // the largest tensor that all of them together can hold

  [[nodiscard]] std::int64_t share_of(std::int64_t bytes) const;
};

// One per set of identical cores, in order of cores; sets with the same memories count once.
[[nodiscard]] std::vector<HoldingPlace> holding_places(const Chip& chip);

// Whether the cores read all of a held tensor where it lies: there is one memory and it is theirs.
[[nodiscard]] bool read_in_place(const Chip& chip,
                                 const HoldingPlace& place,
                                 std::span<const CoreId> cores,
                                 NestOperand operand);

// Whether what the cores make in equal parts is held where it is made.
[[nodiscard]] bool made_in_place(const Chip& chip,
                                 const HoldingPlace& place,
                                 std::span<const CoreId> cores,
                                 NestOperand operand);

// From the place to every receiver, or from off-chip memory when there is no place. Model: what a
// receiver's own memory holds is there; it takes the rest in equal parts from the others.
[[nodiscard]] TransferCost inward_cost(const Chip& chip,
                                       const HoldingPlace* place,
                                       std::int64_t bytes,
                                       std::span<const Endpoint> receivers);

// From every sender to the place, or to off-chip memory. Model: senders that are not just the
// place's cores spread what they made evenly.
[[nodiscard]] TransferCost outward_cost(const Chip& chip,
                                        const HoldingPlace* place,
                                        std::int64_t bytes,
                                        std::span<const Endpoint> senders);

}  // namespace paretrain::evaluator
