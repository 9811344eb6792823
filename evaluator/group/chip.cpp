#include "evaluator/group/chip.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/checked_math.h"
#include "base/error.h"
#include "base/number_text.h"
#include "evaluator/hardware/offchip.h"

namespace paretrain::evaluator {

double AccessPort::energy_of(std::int64_t bits) const {
  const auto steps = static_cast<double>(ceil_div(bits, minimum_bits));
  return energy_pj * steps * static_cast<double>(minimum_bits) / static_cast<double>(maximum_bits);
}

std::int64_t AccessPort::cycles_of(std::int64_t bits) const {
  return ceil_div(bits, maximum_bits);
}

namespace {

[[noreturn]] void refuse(const Accelerator& accelerator, std::string what) {
  throw InputError(Problem{"accelerator " + accelerator.name, std::move(what), ""});
}

constexpr std::array<MemoryOperand, kNestOperandCount> kMemoryOf = {
    MemoryOperand::O, MemoryOperand::I2, MemoryOperand::I1};  // of O, W, I

// The port that serves the operand in that direction; any port when the file names none for it.
AccessPort access_port(const Memory& memory,
                       MemoryOperand operand,
                       Direction direction,
                       double energy_pj) {
  const auto serves = [&](const MemoryPort& port) {
    return std::ranges::any_of(port.uses, [&](const PortUse& use) {
      return use.operand == operand && use.direction == direction;
    });
  };
  auto found = std::ranges::find_if(memory.ports, serves);
  if (found == memory.ports.end()) found = memory.ports.begin();
  if (found == memory.ports.end()) return {energy_pj, 1, 1};
  return {energy_pj, found->bandwidth_min_bits, found->bandwidth_max_bits};
}

bool same_port(const MemoryPort& a, const MemoryPort& b) {
  return a.bandwidth_min_bits == b.bandwidth_min_bits &&
         a.bandwidth_max_bits == b.bandwidth_max_bits &&
         std::ranges::equal(a.uses, b.uses, [](const PortUse& x, const PortUse& y) {
           return x.operand == y.operand && x.direction == y.direction;
         });
}

bool same_memory(const Memory& a, const Memory& b) {
  return a.size_bits == b.size_bits && a.read_energy_pj == b.read_energy_pj &&
         a.write_energy_pj == b.write_energy_pj && a.operands == b.operands &&
         a.served_axes == b.served_axes && std::ranges::equal(a.ports, b.ports, same_port);
}

bool same_unrolling(const std::optional<std::vector<UnrollFactor>>& a,
                    const std::optional<std::vector<UnrollFactor>>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || std::ranges::equal(*a, *b, [](const UnrollFactor& x, const UnrollFactor& y) {
    return x.loop == y.loop && x.factor == y.factor;
  });
}

bool alike(const Core& a, const Core& b) {
  return a.kind == b.kind && a.array.sizes == b.array.sizes &&
         a.array.mac_energy_pj == b.array.mac_energy_pj &&
         std::ranges::equal(a.memories, b.memories, same_memory) &&
         std::ranges::equal(a.dataflow, b.dataflow, same_unrolling);
}

std::optional<std::size_t> outermost(const Core& core, MemoryOperand operand) {
  for (std::size_t m = core.memories.size(); m-- > 0;)
    if (std::ranges::count(core.memories[m].operands, operand) > 0) return m;
  return std::nullopt;
}

// All instances together: a memory is there once per unit along the array axes that it does not
// serve.
std::int64_t whole_size(const Core& core, const Memory& memory) {
  std::int64_t bits = memory.size_bits;
  for (std::size_t axis = 0; axis < core.array.sizes.size(); ++axis)
    if (std::ranges::count(memory.served_axes, axis) == 0) bits *= core.array.sizes[axis];
  return bits;
}

// Number of the physical memory behind memory m of a core.
class MemoryNodes {
 public:
  explicit MemoryNodes(const Accelerator& accelerator) : accelerator_(accelerator) {}

  [[nodiscard]] MemoryNodeId node(std::size_t core, std::size_t memory, const Memory& memory_of) {
    std::size_t owner = core;
    std::size_t index = memory;
    for (const auto& sharing : accelerator_.shared_memories)
      if (std::ranges::count(sharing, CoreId(core)) > 0 && is_last(core, memory)) {
        owner = sharing.front().index();
        index = kOutermost;
      }
    const auto [at, added] = nodes_.try_emplace({owner, index}, MemoryNodeId(sizes.size()));
    if (added) {
      sizes.push_back(whole_size(accelerator_.cores[core], memory_of));
      instances.push_back(memory_of.size_bits);
    }
    return at->second;
  }

  std::vector<std::int64_t> sizes;      // of all instances together
  std::vector<std::int64_t> instances;  // of one

 private:
  static constexpr std::size_t kOutermost = ~std::size_t{0};

  [[nodiscard]] bool is_last(std::size_t core, std::size_t memory) const {
    return memory + 1 == on_chip_part(accelerator_.cores[core]).memories.size();
  }

  const Accelerator& accelerator_;
  std::map<std::pair<std::size_t, std::size_t>, MemoryNodeId> nodes_;
};

OperandMemory operand_memory(const Memory& memory, MemoryOperand operand, MemoryNodeId node) {
  const bool output = operand == MemoryOperand::O;
  OperandMemory result;
  result.node = node;
  result.fill = access_port(memory, operand, Direction::WriteFromHigh, memory.write_energy_pj);
  result.drain = access_port(memory,
                             operand,
                             output ? Direction::ReadToHigh : Direction::ReadToLow,
                             memory.read_energy_pj);
  result.read = access_port(memory, operand, Direction::ReadToLow, memory.read_energy_pj);
  result.write = access_port(memory,
                             operand,
                             output ? Direction::WriteFromLow : Direction::WriteFromHigh,
                             memory.write_energy_pj);
  return result;
}

OffchipMemory offchip_of(const Accelerator& accelerator, std::vector<std::string>& resources) {
  const std::optional<Memory> dram = offchip_memory(accelerator);
  if (!dram)
    refuse(accelerator,
           "no off-chip memory was found; expected offchip_core_id or a memory of type dram");
  OffchipMemory result;
  result.read = access_port(*dram, MemoryOperand::I1, Direction::ReadToLow, dram->read_energy_pj);
  result.write =
      access_port(*dram, MemoryOperand::O, Direction::WriteFromLow, dram->write_energy_pj);
  result.size_bits = dram->size_bits;
  result.read_port = ResourceId(resources.size());
  const auto port_of = [&](MemoryOperand operand, Direction direction) {
    for (std::size_t p = 0; p < dram->ports.size(); ++p)
      for (const PortUse& use : dram->ports[p].uses)
        if (use.operand == operand && use.direction == direction) return p;
    return std::size_t{0};
  };
  const bool one_port = port_of(MemoryOperand::I1, Direction::ReadToLow) ==
                        port_of(MemoryOperand::O, Direction::WriteFromLow);
  result.write_port = ResourceId(resources.size() + (one_port ? 0 : 1));
  resources.push_back(one_port ? "off-chip memory" : "off-chip memory, read port");
  if (!one_port) resources.push_back("off-chip memory, write port");
  return result;
}

ChipCore chip_core(const Accelerator& accelerator, std::size_t c, MemoryNodes& nodes) {
  ChipCore result;
  result.core = on_chip_part(accelerator.cores[c]);
  const bool offchip = accelerator.offchip && accelerator.offchip->index() == c;
  result.computes = !offchip && result.core.array.units() > 0;
  if (!result.computes) return result;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const auto memory = outermost(result.core, kMemoryOf[o]);
    if (!memory)
      refuse(accelerator,
             "core " + number_text(static_cast<std::int64_t>(c)) +
                 " has no on-chip memory for one of its operands; expected I1, I2 and O");
    const Memory& m = result.core.memories[*memory];
    result.memories[o] = operand_memory(m, kMemoryOf[o], nodes.node(c, *memory, m));
  }
  return result;
}

}  // namespace

Chip::Chip(const Accelerator& accelerator, CostModel model)
    : offchip_core_(accelerator.offchip),
      sharings_of_core_(accelerator.cores.size()),
      paths_(std::make_shared<const LinkPaths>(accelerator, model)) {
  for (std::size_t s = 0; s < accelerator.shared_memories.size(); ++s)
    for (const CoreId core : accelerator.shared_memories[s])
      sharings_of_core_[core.index()].push_back(s);
  const std::size_t count = accelerator.cores.size();
  MemoryNodes nodes(accelerator);
  for (std::size_t c = 0; c < count; ++c) {
    resources_.push_back("core " + number_text(static_cast<std::int64_t>(c)));
    cores_.push_back(chip_core(accelerator, c, nodes));
    cores_[c].alike = c;
    for (std::size_t before = 0; before < c; ++before)
      if (cores_[before].computes && cores_[c].computes &&
          alike(cores_[before].core, cores_[c].core)) {
        cores_[c].alike = before;
        break;
      }
  }
  memory_bits_ = nodes.sizes;
  instance_bits_ = nodes.instances;
  offchip_ = offchip_of(accelerator, resources_);
  list_links(accelerator);
  check_joined(accelerator);
}

void Chip::check_joined(const Accelerator& accelerator) const {
  std::vector<CoreId> needed;
  for (std::size_t c = 0; c < cores_.size(); ++c)
    if (cores_[c].computes || (offchip_core_ && offchip_core_->index() == c))
      needed.emplace_back(c);
  for (const CoreId a : needed) {
    for (const CoreId b : needed) {
      if (a == b || paths_->are_joined(a, b) || share_memory(a, b)) continue;
      refuse(accelerator,
             "cores " + number_text(static_cast<std::int64_t>(a.index())) + " and " +
                 number_text(static_cast<std::int64_t>(b.index())) +
                 " are not connected; expected a link, a bus or a path of links");
    }
  }
}

void Chip::list_links(const Accelerator& accelerator) {
  for (std::size_t l = 0; l < accelerator.links.size(); ++l) {
    const Link& link = accelerator.links[l];
    links_.push_back({link.cores[0],
                      {ResourceId(resources_.size()),
                       link.bandwidth_bits,
                       link.energy_per_cycle_pj,
                       link.is_bus}});
    if (link.is_bus) {
      resources_.push_back("bus " + number_text(static_cast<std::int64_t>(l)));
      continue;
    }
    const auto a = number_text(static_cast<std::int64_t>(link.cores[0].index()));
    const auto b = number_text(static_cast<std::int64_t>(link.cores[1].index()));
    resources_.push_back("link " + a + "-" + b);
    resources_.push_back("link " + b + "-" + a);
  }
}

Chip Chip::with_single_instances() const {
  Chip chip = *this;
  chip.memory_bits_ = instance_bits_;
  return chip;
}

bool Chip::share_memory(CoreId a, CoreId b) const {
  const std::vector<std::size_t>& others = sharings_of_core_[b.index()];
  return std::ranges::any_of(sharings_of_core_[a.index()], [&](std::size_t sharing) {
    return std::ranges::find(others, sharing) != others.end();
  });
}

std::vector<CoreId> Chip::nearest(std::vector<CoreId> cores, std::size_t most) const {
  if (cores.size() <= most) return cores;
  if (offchip_core_) {
    const auto last_hops = paths_->last_hops(*offchip_core_);
    std::ranges::stable_sort(cores, {}, [&](CoreId core) {
      const std::optional<LastHop>& last = last_hops[core.index()];
      return last ? last->hops : 0;
    });
  }
  cores.resize(most);
  std::ranges::sort(cores);
  return cores;
}

std::vector<Hop> Chip::path(CoreId from, CoreId to) const {
  std::vector<Hop> hops;
  if (share_memory(from, to)) return hops;
  const auto last_hops = paths_->last_hops(from);
  for (CoreId at = to; at != from;) {
    const std::optional<LastHop>& last = last_hops[at.index()];
    if (!last) return {};
    const LinkEnd& link = links_[last->link];
    hops.push_back(link.hop);
    if (!link.hop.is_bus && link.first != last->from)
      hops.back().resource = ResourceId(link.hop.resource.index() + 1);
    at = last->from;
  }
  std::ranges::reverse(hops);
  return hops;
}

std::vector<Hop> Chip::path_from_offchip(CoreId to) const {
  if (!offchip_core_) return {};
  return path(*offchip_core_, to);
}

std::vector<Hop> Chip::path_to_offchip(CoreId from) const {
  if (!offchip_core_) return {};
  return path(from, *offchip_core_);
}

}  // namespace paretrain::evaluator
