// Why: decoding, order and lifetimes are the same for measured costs and for accelerators; what a
// group of operators may contain and what it costs is not. This is the line between the two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/quantity.h"
#include "evaluator/plan/step_graph.h"

namespace paretrain::evaluator {

// An operator that runs in a plan: a template operator or, for `recompute`, the twin of a forward
// one.
struct RunningOperator {
  StepOperatorId op;
  bool recompute = false;
  // Bit i: writes[i] of the operator is produced (a recompute produces only what is missing). All
  // bits for others.
  std::uint64_t produced = ~std::uint64_t{0};

  // Whether writes[index] is produced.
  [[nodiscard]] constexpr bool produces(std::size_t index) const noexcept {
    return index >= 64 || ((produced >> index) & 1U) != 0;
  }
};

// A value that one group hands to the next on chip (--residency), and where it lies meanwhile, as
// the model numbers such places.
struct CarriedValue {
  StepValueId value;
  std::uint32_t place = 0;
  friend bool operator==(const CarriedValue&, const CarriedValue&) = default;
};

// One group of a plan as its cost model sees it. Everything made and read inside and listed in none
// of the others never leaves the chip.
struct GroupContent {
  std::span<const RunningOperator> operators;      // in original order
  std::span<const StepValueId> reads;              // fetched from off-chip memory, once each
  std::span<const StepValueId> writes;             // written to off-chip memory, once each
  std::span<const CarriedValue> carried_in = {};   // from the group before
  std::span<const CarriedValue> carried_out = {};  // to the group behind
};

// Latency and energy in the problem's own units (cycles and picojoules on accelerators).
struct GroupCost {
  std::int64_t latency = 0;
  double energy = 0;
  std::int64_t offchip_bytes = 0;
};

// Two groups that run one after the other, and what could stay on chip between them.
struct CarryQuestion {
  GroupContent from;  // with what it is handed itself, nothing carried out
  GroupContent to;    // nothing carried
  // Written by `from`, which alone makes them, and read by `to`, which nobody follows; the largest
  // first, ties by index.
  std::span<const StepValueId> candidates;
};

// Model: of the tensors between two groups only the largest are looked at.
inline constexpr std::size_t kMostCarried = 8;

// By candidate: 1 + the place that holds it, 0 when it goes off chip.
using CarryAnswer = std::array<std::uint8_t, kMostCarried>;

// Implementations are pure: the answers depend on the arguments only, and calls from several
// threads are safe. Every evaluation asks anew for every group, so a model whose answers are
// expensive remembers them itself, by content.
class GroupModel {
 public:
  GroupModel() = default;
  GroupModel(const GroupModel&) = delete;
  GroupModel& operator=(const GroupModel&) = delete;
  GroupModel(GroupModel&&) = delete;
  GroupModel& operator=(GroupModel&&) = delete;
  virtual ~GroupModel() = default;

  [[nodiscard]] virtual std::int64_t max_group_length() const = 0;

  // Whether the template has a fusion gene for this edge at all. A model says no for pairs that no
  // legal group can hold together, which shortens the genome. Asked when the problem is set up.
  [[nodiscard]] virtual bool has_fusion_gene(const RunningOperator& producer,
                                             const RunningOperator& consumer) const {
    static_cast<void>(producer);
    static_cast<void>(consumer);
    return true;
  }

  // Whether these operators can run as one group, as far as length, tiling and on-chip capacity go.
  // A single operator always can. The quotient graph is not its business.
  [[nodiscard]] virtual bool is_legal(std::span<const RunningOperator> operators) const = 0;
  // Requires: a single operator or a legal group.
  [[nodiscard]] virtual GroupCost cost(const GroupContent& group) const = 0;

  // The largest value that can be handed to the next group on chip; 0: none ever is.
  [[nodiscard]] virtual std::int64_t most_carried_bytes() const { return 0; }

  // What is handed over. Requires: at most kMostCarried candidates, none above most_carried_bytes.
  [[nodiscard]] virtual CarryAnswer carried(const CarryQuestion& question) const {
    static_cast<void>(question);
    return {};
  }
};

}  // namespace paretrain::evaluator
