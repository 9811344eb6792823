// Why: the cost of a group depends on what its operators are and how tensors pass between them, not
// on which operators of the graph they happen to be. A group is brought into this form before it is
// looked up or costed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/group/holding_place.h"
#include "evaluator/group/tile.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::evaluator {

// One access of a member to a tensor of the group.
struct MemberAccess {
  const Access* access = nullptr;
  std::size_t tensor = 0;  // index into GroupShape::tensors
};

struct GroupMember {
  const Operator* op = nullptr;
  // Of a group that runs in blocks `op` is one block of `whole`, whose loops it cuts to `block`;
  // else they are one and the same.
  const Operator* whole = nullptr;
  std::vector<LoopCount> block;
  std::size_t index = 0;             // of the operator in the training graph
  std::vector<MemberAccess> reads;   // accesses without bytes are left out
  std::vector<MemberAccess> writes;  // likewise, and those that a recompute need not produce
};

struct GroupTensor {
  StorageId storage;
  std::int64_t fetch_bytes = 0;      // 0: not fetched from off-chip memory
  std::int64_t store_bytes = 0;      // 0: not written to off-chip memory
  std::vector<std::size_t> makers;   // members that write it, in order
  std::vector<std::size_t> readers;  // members that read it, in order
  bool parted = false;               // each block has its own part of it
  // Handed over on chip: fetched from, or stored to, a place there and not off chip. The place
  // holds all of it, whatever a block moves.
  const HoldingPlace* from = nullptr;
  const HoldingPlace* to = nullptr;
  std::int64_t held_bytes = 0;

  [[nodiscard]] bool passes_inside() const { return !makers.empty() && !readers.empty(); }
};

struct GroupShape {
  std::vector<GroupMember> members;
  std::vector<GroupTensor> tensors;  // in order of first access
  std::int64_t blocks = 1;           // times that the group runs, each with bytes as they are here
};

// Whether write `w` of the operator happens. A plan's bits count the distinct storages that a plan
// knows: running statistics, which forward operators add to in place, have none and are left alone
// by a recompute.
[[nodiscard]] bool is_produced(const TrainingGraph& graph,
                               const RunningOperator& running,
                               std::size_t w);

// Bytes moved for a tensor: of each member the sum over its different views of it, of all members
// the largest, and never more than the storage has. `places` are those that carried values name,
// and outlive the shape.
[[nodiscard]] GroupShape group_shape(const TrainingGraph& graph,
                                     const GroupContent& content,
                                     std::span<const HoldingPlace> places = {});

// The same with every tensor that is not made inside fetched, and every tensor made inside written:
// the most that any plan asks of these operators.
[[nodiscard]] GroupShape widest_group_shape(const TrainingGraph& graph,
                                            std::span<const RunningOperator> operators);

// Tensors in the order in which transfers of equal rank are taken: those off chip first, since the
// off-chip memory is what all of them wait for, then those that are handed over.
[[nodiscard]] std::vector<std::size_t> order_of_transfers(const GroupShape& group);

}  // namespace paretrain::evaluator
