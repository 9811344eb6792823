#include <string>

#include "base/number_text.h"
#include "problems/accelerator_file.h"

namespace paretrain::problems {

namespace {

using evaluator::Accelerator;
using evaluator::Core;
using evaluator::CoreKind;
using evaluator::Link;
using evaluator::Memory;
using evaluator::MemoryPort;
using evaluator::PortUse;

constexpr const char* kOperandNames[] = {"O", "I2", "I1"};
constexpr const char* kDirectionNames[] = {"fh", "tl", "fl", "th"};

// Names come from users; a YAML string in double quotes holds any of them.
std::string quoted(const std::string& text) {
  std::string result(1, '"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr const char* kDigits = "0123456789abcdef";
      result += "\\x";
      result += kDigits[byte >> 4U];
      result += kDigits[byte & 0xfU];
    } else {
      result += c;
    }
  }
  result.push_back('"');
  return result;
}

template <class Items, class Text>
std::string joined(const Items& items, const Text& text) {
  std::string result(1, '[');
  for (const auto& item : items) {
    if (result.size() > 1) result.append(", ");
    result.append(text(item));
  }
  result.push_back(']');
  return result;
}

std::string axis_name(std::size_t axis) {
  return std::string(1, 'D').append(std::to_string(axis + 1));
}

// Which directions a port type must allow.
const char* port_type(const MemoryPort& port) {
  bool reads = false;
  bool writes = false;
  for (const PortUse& use : port.uses) {
    const bool read = use.direction == evaluator::Direction::ReadToLow ||
                      use.direction == evaluator::Direction::ReadToHigh;
    (read ? reads : writes) = true;
  }
  if (reads && writes) return "read_write";
  return reads ? "read" : "write";
}

void add_port(std::string& out, const MemoryPort& port, const std::string& indent) {
  out += indent + "  - name: " + quoted(port.name) + "\n";
  out += indent + "    type: " + port_type(port) + "\n";
  out += indent + "    bandwidth_min: " + number_text(port.bandwidth_min_bits) + "\n";
  out += indent + "    bandwidth_max: " + number_text(port.bandwidth_max_bits) + "\n";
  out += indent + "    allocation:\n";
  for (const PortUse& use : port.uses) {
    out += indent + "      - " + kOperandNames[static_cast<std::size_t>(use.operand)] + ", " +
           kDirectionNames[static_cast<std::size_t>(use.direction)] + "\n";
  }
}

void add_memory(std::string& out, const Memory& memory, const std::string& indent) {
  const std::string inner = indent + "  ";
  out += indent + quoted(memory.name) + ":\n";
  out += inner + "size: " + number_text(memory.size_bits) + "\n";
  out += inner + "r_cost: " + number_text(memory.read_energy_pj) + "\n";
  out += inner + "w_cost: " + number_text(memory.write_energy_pj) + "\n";
  out += inner + "area: 0\n" + inner + "latency: 1\n";
  if (memory.is_dram) out += inner + "mem_type: dram\n";
  out += inner + "operands: " +
         joined(memory.operands,
                [](evaluator::MemoryOperand operand) {
                  return std::string(kOperandNames[static_cast<std::size_t>(operand)]);
                }) +
         "\n";
  out += inner + "ports:\n";
  for (const MemoryPort& port : memory.ports)
    add_port(out, port, inner);
  out += inner + "served_dimensions: " + joined(memory.served_axes, axis_name) + "\n";
}

void add_dataflows(std::string& out, const Core& core, const std::string& indent) {
  bool first = true;
  for (std::size_t axis = 0; axis < core.dataflow.size(); ++axis) {
    if (!core.dataflow[axis]) continue;
    if (first) out += indent + "dataflows:\n";
    first = false;
    if (core.dataflow[axis]->empty()) {
      out += indent + "  " + axis_name(axis) + ": []\n";
      continue;
    }
    out += indent + "  " + axis_name(axis) + ":\n";
    for (const evaluator::UnrollFactor& factor : *core.dataflow[axis]) {
      out += indent + "    - " + std::string(evaluator::loop_name(factor.loop)) + ", " +
             number_text(factor.factor) + "\n";
    }
  }
}

void add_core(std::string& out, const Core& core, const std::string& indent) {
  if (!core.name.empty()) out += indent + "name: " + quoted(core.name) + "\n";
  out += indent + "type: " + (core.kind == CoreKind::Memory ? "memory" : "compute") + "\n";
  out += indent + "memories:\n";
  for (const Memory& memory : core.memories)
    add_memory(out, memory, indent + "  ");
  out += indent + "operational_array:\n";
  out += indent + "  unit_energy: " + number_text(core.array.mac_energy_pj) + "\n";
  std::vector<std::size_t> axes(core.array.sizes.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    axes[axis] = axis;
  out += indent + "  dimensions: " + joined(axes, axis_name) + "\n";
  out += indent + "  sizes: " +
         joined(core.array.sizes, [](std::int64_t size) { return number_text(size); }) + "\n";
  add_dataflows(out, core, indent);
}

void add_links(std::string& out, const Accelerator& accelerator) {
  const auto id_text = [](evaluator::CoreId id) { return std::to_string(id.index()); };
  out += "core_connectivity:";
  out += accelerator.links.empty() ? " []\n" : "\n";
  for (const Link& link : accelerator.links) {
    out += std::string("  - type: ") + (link.is_bus ? "bus" : "link") + "\n";
    out += "    cores: " + joined(link.cores, id_text) + "\n";
    out += "    bandwidth: " + number_text(link.bandwidth_bits) + "\n";
    out += "    unit_energy_cost: " + number_text(link.energy_per_cycle_pj) + "\n";
  }
  if (accelerator.shared_memories.empty()) return;
  out += "core_memory_sharing:\n";
  for (const auto& group : accelerator.shared_memories)
    out += "  - " + joined(group, id_text) + "\n";
}

}  // namespace

std::string accelerator_text(const Accelerator& accelerator) {
  std::string out;
  if (!accelerator.offchip && accelerator.cores.size() == 1) {
    Core core = accelerator.cores[0];
    core.name = accelerator.name;
    add_core(out, core, "");
    return out;
  }
  out += "name: " + quoted(accelerator.name) + "\n";
  out += "cores:\n";
  for (std::size_t c = 0; c < accelerator.cores.size(); ++c) {
    out += "  " + std::to_string(c) + ":\n";
    add_core(out, accelerator.cores[c], "    ");
  }
  if (accelerator.offchip)
    out += "offchip_core_id: " + std::to_string(accelerator.offchip->index()) + "\n";
  add_links(out, accelerator);
  return out;
}

}  // namespace paretrain::problems
