#include "evaluator/group/holding_place.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked_math.h"
#include "base/number_text.h"

namespace paretrain::evaluator {
namespace {

MemoryNodeId node_of(const Chip& chip, CoreId core, NestOperand operand) {
  return chip.core(core).memories[static_cast<std::size_t>(operand)].node;
}

bool goes_by_bus(const Chip& chip, CoreId from, CoreId to) {
  return std::ranges::any_of(chip.path(from, to), &Hop::is_bus);
}

HoldingPlace place_of(const Chip& chip, std::size_t first) {
  HoldingPlace place;
  std::int64_t smallest_bits = 0;
  std::vector<CoreId> alike;
  for (std::size_t c = first; c < chip.cores().size(); ++c)
    if (chip.cores()[c].computes && chip.cores()[c].alike == first) alike.emplace_back(c);
  for (const CoreId core : chip.nearest(std::move(alike), kMostIdenticalCores)) {
    const MemoryNodeId node = node_of(chip, core, NestOperand::O);
    if (std::ranges::find(place.nodes, node) != place.nodes.end()) continue;
    place.name += place.cores.empty() ? "" : ", ";
    place.name += number_text(static_cast<std::int64_t>(core.index()));
    place.cores.push_back(core);
    place.nodes.push_back(node);
    const std::int64_t bits = chip.memory_bits(node);
    smallest_bits = place.cores.size() == 1 ? bits : std::min(smallest_bits, bits);
  }
  place.name = (place.cores.size() == 1 ? "core " : "cores ") + place.name;
  place.most_bytes = smallest_bits / 8 * static_cast<std::int64_t>(place.cores.size());
  return place;
}

}  // namespace

std::int64_t HoldingPlace::share_of(std::int64_t bytes) const {
  return ceil_div(bytes, static_cast<std::int64_t>(cores.size()));
}

std::vector<HoldingPlace> holding_places(const Chip& chip) {
  std::vector<HoldingPlace> places;
  for (std::size_t c = 0; c < chip.cores().size(); ++c) {
    if (!chip.core(CoreId(c)).computes || chip.core(CoreId(c)).alike != c) continue;
    HoldingPlace place = place_of(chip, c);
    const bool known = std::ranges::any_of(
        places, [&](const HoldingPlace& other) { return other.nodes == place.nodes; });
    if (!known) places.push_back(std::move(place));
  }
  return places;
}

bool read_in_place(const Chip& chip,
                   const HoldingPlace& place,
                   std::span<const CoreId> cores,
                   NestOperand operand) {
  return place.nodes.size() == 1 && std::ranges::all_of(cores, [&](CoreId core) {
           return node_of(chip, core, operand) == place.nodes.front();
         });
}

bool made_in_place(const Chip& chip,
                   const HoldingPlace& place,
                   std::span<const CoreId> cores,
                   NestOperand operand) {
  const auto holds = [&](CoreId core) {
    return std::ranges::find(place.nodes, node_of(chip, core, operand)) != place.nodes.end();
  };
  const auto makes = [&](MemoryNodeId node) {
    return std::ranges::any_of(cores,
                               [&](CoreId core) { return node_of(chip, core, operand) == node; });
  };
  return std::ranges::all_of(cores, holds) && std::ranges::all_of(place.nodes, makes);
}

TransferCost inward_cost(const Chip& chip,
                         const HoldingPlace* place,
                         std::int64_t bytes,
                         std::span<const Endpoint> receivers) {
  if (place == nullptr) return fetch_cost(chip, bytes, receivers);
  std::vector<Handover> pairs;
  for (const Endpoint& to : receivers)
    for (std::size_t h = 0; h < place->cores.size(); ++h) {
      if (place->nodes[h] == node_of(chip, to.core, to.operand)) continue;
      const Endpoint from{place->cores[h], NestOperand::O, place->share_of(bytes)};
      const Endpoint part{to.core, to.operand, place->share_of(to.bytes)};
      const auto known = std::ranges::find_if(pairs, [&](const Handover& pair) {
        return pair.from.core == from.core &&
               node_of(chip, pair.to.core, pair.to.operand) == node_of(chip, to.core, to.operand);
      });
      if (known == pairs.end())
        pairs.push_back({from, part});
      else
        known->to.bytes = std::max(known->to.bytes, part.bytes);
    }
  return handover_cost(chip, pairs);
}

TransferCost outward_cost(const Chip& chip,
                          const HoldingPlace* place,
                          std::int64_t bytes,
                          std::span<const Endpoint> senders) {
  if (place == nullptr) return store_cost(chip, bytes, senders);
  std::vector<CoreId> cores;
  for (const Endpoint& from : senders)
    cores.push_back(from.core);
  if (!senders.empty() && made_in_place(chip, *place, cores, senders.front().operand)) return {};
  std::vector<Handover> pairs;
  for (const Endpoint& from : senders) {
    const MemoryNodeId own = node_of(chip, from.core, from.operand);
    const std::int64_t part = place->share_of(from.bytes);
    std::int64_t by_bus = 0;  // to each holder another part
    for (std::size_t h = 0; h < place->cores.size(); ++h)
      if (place->nodes[h] != own && goes_by_bus(chip, from.core, place->cores[h])) by_bus += part;
    for (std::size_t h = 0; h < place->cores.size(); ++h)
      if (place->nodes[h] != own)
        pairs.push_back(
            {{from.core, from.operand, by_bus}, {place->cores[h], NestOperand::O, part}});
  }
  return handover_cost(chip, pairs);
}

}  // namespace paretrain::evaluator
