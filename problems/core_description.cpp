#include "problems/core_description.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/checked_math.h"
#include "evaluator/hardware/core_kind.h"

namespace paretrain::problems {

namespace {

using evaluator::Core;
using evaluator::Direction;
using evaluator::Loop;
using evaluator::Memory;
using evaluator::MemoryOperand;
using evaluator::MemoryPort;
using evaluator::PortUse;
using evaluator::UnrollFactor;

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kCoreKeys = {
    "name", "type", "memories", "operational_array", "dataflows"};
constexpr std::array<std::string_view, 11> kMemoryKeys = {"size",
                                                          "r_cost",
                                                          "w_cost",
                                                          "area",
                                                          "latency",
                                                          "mem_type",
                                                          "auto_cost_extraction",
                                                          "operands",
                                                          "ports",
                                                          "served_dimensions",
                                                          "force_double_buffering"};
constexpr std::array<std::string_view, 1> kRepeatableMemoryKeys = {"ports"};
constexpr std::array<std::string_view, 5> kPortKeys = {
    "name", "type", "bandwidth_min", "bandwidth_max", "allocation"};
constexpr std::array<std::string_view, 9> kArrayKeys = {"dimensions",
                                                        "sizes",
                                                        "unit_energy",
                                                        "unit_area",
                                                        "input_precision",
                                                        "is_imc",
                                                        "imc_type",
                                                        "adc_resolution",
                                                        "bit_serial_precision"};
constexpr std::array<std::string_view, 3> kOperands = {"O", "I2", "I1"};
constexpr std::array<std::string_view, 4> kDirections = {"fh", "tl", "fl", "th"};
constexpr std::array<std::string_view, 3> kPortTypes = {"read", "write", "read_write"};
constexpr std::array<std::string_view, 2> kCoreTypes = {"compute", "memory"};

constexpr std::int64_t kMaxBits = std::int64_t{1} << 53U;
constexpr std::int64_t kMaxBandwidth = std::int64_t{1} << 40U;
constexpr std::int64_t kMaxUnits = std::int64_t{1} << 40U;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

std::string listed(Words words) {
  std::string text;
  for (const std::string_view word : words)
    text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::optional<std::size_t> index_in(Words words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

class CoreReader {
 public:
  explicit CoreReader(YamlReader& reader) : reader_(reader) {}

  std::optional<Core> read(const YamlNode& node, CoreTypeKey type_key) {
    const std::size_t problems_before = reader_.problems().size();
    if (!reader_.is_map(node, "a map that describes a core")) return std::nullopt;
    if (reader_.find(node, "cores") != nullptr) {
      reader_.problem(node.line, "a file of several cores cannot be a core itself");
      return std::nullopt;
    }
    reader_.check_keys(node, "a core", kCoreKeys);
    if (const YamlNode* name = reader_.find(node, "name"))
      core_.name = reader_.word(*name).value_or("");
    read_type(node, type_key);
    if (const YamlNode* array = reader_.require(node, "operational_array", "the core"))
      read_array(*array);
    if (const YamlNode* memories = reader_.require(node, "memories", "the core"))
      read_memories(*memories);
    read_dataflows(node);
    if (reader_.problems().size() != problems_before) return std::nullopt;
    core_.kind = evaluator::core_kind(core_);
    return std::move(core_);
  }

 private:
  // A wrong value is noted with the words that would do.
  std::optional<std::size_t> choice(const YamlNode& node, Words words) {
    const auto text = reader_.word(node);
    if (!text) return std::nullopt;
    const auto index = index_in(words, *text);
    if (!index)
      reader_.problem(node.line, "found '" + *text + "'; expected one of " + listed(words));
    return index;
  }

  void read_type(const YamlNode& node, CoreTypeKey type_key) {
    const YamlNode* type = reader_.find(node, "type");
    if (type == nullptr) {
      if (type_key == CoreTypeKey::Required)
        reader_.problem(node.line, "the core lacks the key 'type'", "compute or memory");
      return;
    }
    if (const auto index = choice(*type, kCoreTypes)) is_memory_core_ = *index == 1;
  }

  void read_array(const YamlNode& node) {
    if (!reader_.is_map(node, "a map")) return;
    reader_.check_keys(node, "operational_array", kArrayKeys);
    if (const YamlNode* imc = reader_.find(node, "is_imc")) {
      if (reader_.truth(*imc).value_or(false))
        reader_.problem(imc->line, "in-memory computing arrays are not modelled");
    }
    if (const YamlNode* energy = reader_.require(node, "unit_energy", "operational_array"))
      core_.array.mac_energy_pj = reader_.number(*energy, 0, kNoLimit).value_or(0);
    const YamlNode* dimensions = reader_.require(node, "dimensions", "operational_array");
    const YamlNode* sizes = reader_.require(node, "sizes", "operational_array");
    if (dimensions == nullptr || sizes == nullptr) return;
    const auto* names = reader_.list(*dimensions);
    const auto* units = reader_.list(*sizes);
    if (names == nullptr || units == nullptr) return;
    if (names->size() != units->size() || names->empty()) {
      reader_.problem(sizes->line,
                      "found " + std::to_string(units->size()) + " sizes for " +
                          std::to_string(names->size()) + " dimensions; expected one each");
      return;
    }
    for (const YamlNode& name : *names)
      axis_names_.push_back(reader_.word(name).value_or(""));
    read_sizes(*units, sizes->line);
  }

  void read_sizes(const std::vector<YamlNode>& units, int line) {
    std::int64_t product = 1;
    for (const YamlNode& size : units) {
      const std::int64_t low = is_memory_core_ ? 0 : 1;
      const std::int64_t value = reader_.integer(size, low, kMaxUnits).value_or(1);
      core_.array.sizes.push_back(value);
      product = checked_product(product, value).value_or(kMaxUnits + 1);
      if (product > kMaxUnits) {
        reader_.problem(line, "more than 2^40 units in the array");
        return;
      }
    }
  }

  [[nodiscard]] std::optional<std::size_t> axis(const YamlNode& node, const std::string& name) {
    const auto found = std::find(axis_names_.begin(), axis_names_.end(), name);
    if (found != axis_names_.end()) return static_cast<std::size_t>(found - axis_names_.begin());
    reader_.problem(
        node.line,
        "found '" + name + "'; expected a dimension of the array (" +
            listed(std::vector<std::string_view>(axis_names_.begin(), axis_names_.end())) + ")");
    return std::nullopt;
  }

  void read_memories(const YamlNode& node) {
    if (!reader_.is_map(node, "a map of memories")) return;
    if (node.entries.empty()) reader_.problem(node.line, "no memories; expected at least one");
    std::set<std::string> names;
    for (const YamlEntry& entry : node.entries) {
      if (!names.insert(entry.key).second)
        reader_.problem(entry.line, "memory '" + entry.key + "' stands twice");
      read_memory(entry);
    }
  }

  void read_memory(const YamlEntry& entry) {
    const YamlNode& node = entry.value;
    if (!reader_.is_map(node, "a map that describes memory '" + entry.key + "'")) return;
    const std::string owner = "memory '" + entry.key + "'";
    reader_.check_keys(node, owner, kMemoryKeys, kRepeatableMemoryKeys);
    Memory memory;
    memory.name = entry.key;
    if (const YamlNode* size = reader_.require(node, "size", owner))
      memory.size_bits = reader_.integer(*size, 1, kMaxBits).value_or(1);
    if (const YamlNode* cost = reader_.require(node, "r_cost", owner))
      memory.read_energy_pj = reader_.number(*cost, 0, kNoLimit).value_or(0);
    if (const YamlNode* cost = reader_.require(node, "w_cost", owner))
      memory.write_energy_pj = reader_.number(*cost, 0, kNoLimit).value_or(0);
    memory.is_dram = entry.key == "dram" || entry.key == "DRAM";
    if (const YamlNode* type = reader_.find(node, "mem_type"))
      memory.is_dram = memory.is_dram || reader_.word(*type).value_or("") == "dram";
    refuse_extraction(node);
    if (const YamlNode* operands = reader_.require(node, "operands", owner))
      read_operands(*operands, memory);
    if (const YamlNode* ports = reader_.require(node, "ports", owner)) read_ports(*ports, memory);
    if (const YamlNode* served = reader_.require(node, "served_dimensions", owner))
      read_served(*served, memory);
    check_allocation(node, memory);
    core_.memories.push_back(std::move(memory));
  }

  void refuse_extraction(const YamlNode& node) {
    const YamlNode* extraction = reader_.find(node, "auto_cost_extraction");
    if (extraction != nullptr && reader_.truth(*extraction).value_or(false)) {
      reader_.problem(extraction->line,
                      "costs are not extracted automatically",
                      "write r_cost and w_cost in pJ and set auto_cost_extraction to false");
    }
  }

  void read_operands(const YamlNode& node, Memory& memory) {
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    if (items->empty()) reader_.problem(node.line, "no operands; expected some of I1, I2, O");
    for (const YamlNode& item : *items) {
      const auto index = choice(item, kOperands);
      if (!index) continue;
      const auto operand = static_cast<MemoryOperand>(*index);
      if (std::find(memory.operands.begin(), memory.operands.end(), operand) !=
          memory.operands.end()) {
        reader_.problem(item.line, "operand '" + item.text + "' stands twice");
        continue;
      }
      memory.operands.push_back(operand);
    }
  }

  void read_served(const YamlNode& node, Memory& memory) {
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    for (const YamlNode& item : *items) {
      const auto name = reader_.word(item);
      if (!name) continue;
      if (const auto index = axis(item, *name)) memory.served_axes.push_back(*index);
    }
  }

  void read_ports(const YamlNode& node, Memory& memory) {
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    for (const YamlNode& item : *items)
      read_port(item, memory);
  }

  void read_port(const YamlNode& node, Memory& memory) {
    if (!reader_.is_map(node, "a map that describes a port")) return;
    reader_.check_keys(node, "a port", kPortKeys);
    MemoryPort port;
    if (const YamlNode* name = reader_.require(node, "name", "the port"))
      port.name = reader_.word(*name).value_or("");
    std::size_t type = 2;
    if (const YamlNode* found = reader_.require(node, "type", "the port"))
      type = choice(*found, kPortTypes).value_or(2);
    if (const YamlNode* bandwidth = reader_.require(node, "bandwidth_max", "the port"))
      port.bandwidth_max_bits = reader_.integer(*bandwidth, 1, kMaxBandwidth).value_or(1);
    port.bandwidth_min_bits = port.bandwidth_max_bits;
    if (const YamlNode* bandwidth = reader_.require(node, "bandwidth_min", "the port")) {
      const auto value = reader_.integer(*bandwidth, 1, kMaxBandwidth);
      port.bandwidth_min_bits = value.value_or(port.bandwidth_max_bits);
      if (port.bandwidth_min_bits > port.bandwidth_max_bits) {
        reader_.problem(bandwidth->line,
                        "bandwidth_min " + bandwidth->text + " exceeds bandwidth_max " +
                            std::to_string(port.bandwidth_max_bits));
      }
    }
    if (const YamlNode* allocation = reader_.require(node, "allocation", "the port"))
      read_allocation(*allocation, type, port);
    memory.ports.push_back(std::move(port));
  }

  void read_allocation(const YamlNode& node, std::size_t type, MemoryPort& port) {
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    for (const YamlNode& item : *items) {
      const auto pair = reader_.pair(item);
      if (!pair) continue;
      const auto operand = index_in(kOperands, pair->first);
      const auto direction = index_in(kDirections, pair->second);
      if (!operand || !direction) {
        reader_.problem(item.line,
                        "found '" + pair->first + ", " + pair->second + "'; expected an operand (" +
                            listed(kOperands) + ") and a direction (" + listed(kDirections) + ")");
        continue;
      }
      const bool reads = pair->second == "tl" || pair->second == "th";
      if ((type == 0 && !reads) || (type == 1 && reads)) {
        reader_.problem(
            item.line,
            "a " + std::string(kPortTypes[type]) + " port cannot carry '" + pair->second + "'");
      }
      port.uses.push_back(
          PortUse{static_cast<MemoryOperand>(*operand), static_cast<Direction>(*direction)});
    }
  }

  // Each operand held needs each of its directions on exactly one port.
  void check_allocation(const YamlNode& node, const Memory& memory) {
    for (const MemoryOperand operand : memory.operands) {
      for (std::size_t d = 0; d < kDirections.size(); ++d) {
        std::size_t count = 0;
        for (const MemoryPort& port : memory.ports) {
          count += static_cast<std::size_t>(
              std::count_if(port.uses.begin(), port.uses.end(), [&](const PortUse& use) {
                return use.operand == operand && use.direction == static_cast<Direction>(d);
              }));
        }
        const bool needed =
            operand == MemoryOperand::O || kDirections[d] == "fh" || kDirections[d] == "tl";
        if (count == 1 || (count == 0 && !needed)) continue;
        const std::string use = std::string(kOperands[static_cast<std::size_t>(operand)]) + ", " +
                                std::string(kDirections[d]);
        reader_.problem(node.line,
                        "memory '" + memory.name + "' has '" + use + "' on " +
                            std::to_string(count) + " ports; expected one");
      }
    }
    check_strays(node, memory);
  }

  void check_strays(const YamlNode& node, const Memory& memory) {
    for (const MemoryPort& port : memory.ports) {
      for (const PortUse& use : port.uses) {
        if (std::find(memory.operands.begin(), memory.operands.end(), use.operand) !=
            memory.operands.end())
          continue;
        reader_.problem(node.line,
                        "port '" + port.name + "' of memory '" + memory.name + "' carries '" +
                            std::string(kOperands[static_cast<std::size_t>(use.operand)]) +
                            "', which the memory does not hold");
        return;
      }
    }
  }

  void read_dataflows(const YamlNode& node) {
    core_.dataflow.resize(core_.array.sizes.size());
    const YamlNode* dataflows = reader_.find(node, "dataflows");
    if (dataflows == nullptr || dataflows->kind == YamlKind::Null) return;
    if (!reader_.is_map(*dataflows, "a map from dimensions to loops")) return;
    std::set<std::string> seen;
    for (const YamlEntry& entry : dataflows->entries) {
      if (!seen.insert(entry.key).second)
        reader_.problem(entry.line, "dimension '" + entry.key + "' stands twice");
      YamlNode position;
      position.line = entry.line;
      const auto index = axis(position, entry.key);
      if (!index || *index >= core_.dataflow.size()) continue;
      core_.dataflow[*index] = factors(entry.value, core_.array.sizes[*index]);
    }
  }

  std::vector<UnrollFactor> factors(const YamlNode& node, std::int64_t units) {
    std::vector<UnrollFactor> result;
    if (node.kind == YamlKind::Null) return result;
    const auto* items = reader_.list(node);
    if (items == nullptr) return result;
    for (const YamlNode& item : *items) {
      const auto pair = reader_.pair(item);
      if (!pair) continue;
      const auto loop = loop_of_name(pair->first);
      if (!loop) reader_.problem(item.line, "found '" + pair->first + "'; expected a loop name");
      YamlNode number = item;
      number.kind = YamlKind::Scalar;
      number.text = pair->second;
      const auto factor =
          reader_.number(number, 1, static_cast<double>(std::max<std::int64_t>(units, 1)));
      if (loop && factor) result.push_back({*loop, *factor});
    }
    return result;
  }

  YamlReader& reader_;
  Core core_;
  bool is_memory_core_ = false;
  std::vector<std::string> axis_names_;
};

}  // namespace

std::optional<Loop> loop_of_name(std::string_view name) {
  for (std::size_t l = 0; l < evaluator::kLoopCount; ++l) {
    if (evaluator::loop_name(static_cast<Loop>(l)) == name) return static_cast<Loop>(l);
  }
  return std::nullopt;
}

std::optional<Core> core_from_yaml(YamlReader& reader, const YamlNode& node, CoreTypeKey type_key) {
  return CoreReader(reader).read(node, type_key);
}

}  // namespace paretrain::problems
