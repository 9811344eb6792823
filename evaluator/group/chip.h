// Why: the group cost asks the same few questions of every accelerator: which cores are alike, what
// holds a tensor, how bytes get from here to there, and what that occupies and costs. This is the
// accelerator prepared for those questions. Sources: docs/group-cost.md, transfers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "evaluator/core_cost/core_cost.h"
#include "evaluator/group/link_paths.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// Something that does one thing at a time: a core, a link in one direction, a bus, a port of the
// off-chip memory.
using ResourceId = Id<struct ResourceTag>;
// One physical on-chip memory; cores that share their outermost memory name the same one.
using MemoryNodeId = Id<struct MemoryNodeTag>;

// Units: pJ per access of `maximum_bits`, accesses in steps of `minimum_bits`.
struct AccessPort {
  double energy_pj = 0;
  std::int64_t minimum_bits = 1;
  std::int64_t maximum_bits = 1;  // per cycle

  // energy × ⌈bits/minimum⌉ × minimum/maximum (cost_model_notes b.9).
  [[nodiscard]] double energy_of(std::int64_t bits) const;
  [[nodiscard]] std::int64_t cycles_of(std::int64_t bits) const;
};

// The outermost on-chip memory of one operand on one core.
struct OperandMemory {
  MemoryNodeId node;
  AccessPort fill;   // from outside the core
  AccessPort drain;  // to outside the core
  AccessPort read;   // towards the array, for operands that the nest does not name
  AccessPort write;  // from the array, likewise
};

struct ChipCore {
  Core core;              // without memories that are DRAM
  std::size_t alike = 0;  // cores with the same number are identical but for their names
  bool computes = false;  // false: memory only
  std::array<OperandMemory, kNestOperandCount> memories;  // indexed by NestOperand
};

// One medium that a transfer occupies.
struct Hop {
  ResourceId resource;
  std::int64_t bandwidth_bits = 1;  // per cycle
  double energy_per_cycle_pj = 0;
  bool is_bus = false;  // reaches several receivers at once
};

struct OffchipMemory {
  AccessPort read;
  AccessPort write;
  ResourceId read_port;
  ResourceId write_port;  // equal to read_port when one port serves both
  std::int64_t size_bits = 0;
};

// Model: of a larger set of identical cores the nearest ones to the off-chip memory work, and the
// others stay idle.
inline constexpr std::size_t kMostIdenticalCores = 64;

class Chip {
 public:
  // Model: a pair of cores is joined by its direct link, else by the bus, else by the shortest path
  // of links (ties by core id); in zigzag mode by the last entry listed for the pair.
  // Errors: InputError when there is no off-chip memory, when a computing core has no on-chip
  // memory for an operand, or when two cores that need it are not joined.
  Chip(const Accelerator& accelerator, CostModel model);

  [[nodiscard]] std::span<const ChipCore> cores() const { return cores_; }

  [[nodiscard]] const ChipCore& core(CoreId id) const { return cores_[id.index()]; }

  [[nodiscard]] const OffchipMemory& offchip() const { return offchip_; }

  [[nodiscard]] std::int64_t memory_bits(MemoryNodeId node) const {
    return memory_bits_[node.index()];
  }

  // The same chip with the sizes of single instances where memories are replicated over array axes.
  [[nodiscard]] Chip with_single_instances() const;

  [[nodiscard]] std::size_t memory_count() const { return memory_bits_.size(); }

  [[nodiscard]] std::span<const std::string> resource_names() const { return resources_; }

  [[nodiscard]] ResourceId core_resource(CoreId id) const { return ResourceId(id.index()); }

  // Empty when both name one memory, or when the off-chip memory is the core's own.
  [[nodiscard]] std::vector<Hop> path(CoreId from, CoreId to) const;
  [[nodiscard]] std::vector<Hop> path_from_offchip(CoreId to) const;
  [[nodiscard]] std::vector<Hop> path_to_offchip(CoreId from) const;

  // Of more than `most` cores those with the shortest paths from the off-chip memory, ties by core
  // id; in order of their ids. Requires: `cores` in order of their ids.
  [[nodiscard]] std::vector<CoreId> nearest(std::vector<CoreId> cores, std::size_t most) const;

 private:
  // A link as its first core drives it; the other direction of one that is no bus is the next
  // resource.
  struct LinkEnd {
    CoreId first;
    Hop hop;
  };

  void list_links(const Accelerator& accelerator);
  void check_joined(const Accelerator& accelerator) const;
  [[nodiscard]] bool share_memory(CoreId a, CoreId b) const;

  std::vector<ChipCore> cores_;
  std::vector<std::int64_t> memory_bits_;
  std::vector<std::int64_t> instance_bits_;
  std::vector<std::string> resources_;
  std::optional<CoreId> offchip_core_;
  OffchipMemory offchip_;
  std::vector<std::vector<std::size_t>> sharings_of_core_;
  std::vector<LinkEnd> links_;
  std::shared_ptr<const LinkPaths> paths_;
};

}  // namespace paretrain::evaluator
