#include "evaluator/group/transfers.h"

#include <algorithm>
#include <map>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

// Bits per medium, with what a medium needs to turn them into cycles and energy.
class Media {
 public:
  // Bits that a bus carries once for all: the most that any of them asks for.
  void share(const Hop& hop, std::int64_t bits) {
    Load& load = loads_[hop.resource];
    load.hop = hop;
    load.bits = std::max(load.bits, bits);
  }

  void add(const Hop& hop, std::int64_t bits) {
    Load& load = loads_[hop.resource];
    load.hop = hop;
    load.bits += bits;
  }

  void write_to(TransferCost& cost) const {
    for (const auto& [resource, load] : loads_) {
      cost.uses.push_back({resource, ceil_div(load.bits, load.hop.bandwidth_bits)});
      cost.links_pj += load.hop.energy_per_cycle_pj * static_cast<double>(load.bits) /
                       static_cast<double>(load.hop.bandwidth_bits);
    }
  }

 private:
  struct Load {
    Hop hop;
    std::int64_t bits = 0;
  };

  std::map<ResourceId, Load> loads_;
};

void sort_uses(TransferCost& cost) {
  std::ranges::sort(cost.uses, {}, &ResourceCycles::resource);
}

const OperandMemory& memory_of(const Chip& chip, const Endpoint& end) {
  return chip.core(end.core).memories[static_cast<std::size_t>(end.operand)];
}

// One endpoint per physical memory.
std::vector<Endpoint> distinct(const Chip& chip, std::span<const Endpoint> ends) {
  std::vector<Endpoint> result;
  for (const Endpoint& end : ends) {
    const auto same = std::ranges::find_if(result, [&](const Endpoint& other) {
      return memory_of(chip, other).node == memory_of(chip, end).node;
    });
    if (same == result.end()) {
      result.push_back(end);
    } else {
      same->bytes = std::max(same->bytes, end.bytes);
    }
  }
  return result;
}

}  // namespace

TransferCost fetch_cost(const Chip& chip, std::int64_t bytes, std::span<const Endpoint> receivers) {
  TransferCost cost;
  Media media;
  for (const Endpoint& end : distinct(chip, receivers)) {
    for (const Hop& hop : chip.path_from_offchip(end.core)) {
      if (hop.is_bus)
        media.share(hop, bytes * 8);
      else
        media.add(hop, end.bytes * 8);
    }
    cost.on_chip_pj += memory_of(chip, end).fill.energy_of(end.bytes * 8);
  }
  media.write_to(cost);
  cost.off_chip_pj = chip.offchip().read.energy_of(bytes * 8);
  cost.uses.push_back({chip.offchip().read_port, chip.offchip().read.cycles_of(bytes * 8)});
  sort_uses(cost);
  return cost;
}

TransferCost store_cost(const Chip& chip, std::int64_t bytes, std::span<const Endpoint> senders) {
  TransferCost cost;
  Media media;
  for (const Endpoint& end : distinct(chip, senders)) {
    for (const Hop& hop : chip.path_to_offchip(end.core)) {
      if (hop.is_bus)
        media.share(hop, bytes * 8);
      else
        media.add(hop, end.bytes * 8);
    }
    cost.on_chip_pj += memory_of(chip, end).drain.energy_of(end.bytes * 8);
  }
  media.write_to(cost);
  cost.off_chip_pj = chip.offchip().write.energy_of(bytes * 8);
  cost.uses.push_back({chip.offchip().write_port, chip.offchip().write.cycles_of(bytes * 8)});
  sort_uses(cost);
  return cost;
}

TransferCost handover_cost(const Chip& chip, std::span<const Handover> pairs) {
  TransferCost cost;
  Media media;
  std::map<std::pair<CoreId, ResourceId>, std::int64_t> sent;  // by sender and bus
  for (const Handover& pair : pairs) {
    const OperandMemory& source = memory_of(chip, pair.from);
    bool by_bus = false;
    for (const Hop& hop : chip.path(pair.from.core, pair.to.core)) {
      if (!hop.is_bus) {
        media.add(hop, pair.to.bytes * 8);
        continue;
      }
      by_bus = true;
      if (sent.try_emplace({pair.from.core, hop.resource}, pair.from.bytes).second) {
        media.add(hop, pair.from.bytes * 8);
        cost.on_chip_pj += source.drain.energy_of(pair.from.bytes * 8);
      }
    }
    if (!by_bus) cost.on_chip_pj += source.drain.energy_of(pair.to.bytes * 8);
    cost.on_chip_pj += memory_of(chip, pair.to).fill.energy_of(pair.to.bytes * 8);
  }
  media.write_to(cost);
  sort_uses(cost);
  return cost;
}

}  // namespace paretrain::evaluator
