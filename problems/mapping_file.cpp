#include "problems/mapping_file.h"

#include <algorithm>

#include "base/number_text.h"
#include "problems/core_description.h"
#include "problems/yaml_reader.h"

namespace paretrain::problems {

namespace {

using evaluator::Dataflow;
using evaluator::MemoryOperand;
using evaluator::UnrollFactor;

constexpr std::array<std::string_view, 10> kKeys = {"name",
                                                    "core_allocation",
                                                    "intra_core_tiling",
                                                    "inter_core_tiling",
                                                    "layer_dimension_names",
                                                    "spatial_mapping",
                                                    "spatial_mapping_hint",
                                                    "temporal_ordering",
                                                    "memory_operand_links",
                                                    "temporal_mapping_type"};
constexpr std::array<std::string_view, 3> kOperands = {"O", "W", "I"};
constexpr std::array<std::string_view, 3> kMemoryOperands = {"O", "I2", "I1"};
constexpr std::int64_t kMaxFactor = std::int64_t{1} << 40U;
constexpr std::size_t kMaxAxes = 16;

class MappingReader {
 public:
  MappingReader(const std::string& name, std::size_t core_count)
      : reader_(name), core_count_(core_count) {}

  MappingFile read(const YamlNode& root) {
    MappingFile file;
    if (const auto* items = reader_.list(root)) {
      if (items->empty()) reader_.problem(root.line, "no entries; expected at least one");
      for (const YamlNode& item : *items)
        file.entries.push_back(entry(item));
    }
    if (!reader_.problems().empty()) throw InputError{std::move(reader_.problems())};
    return file;
  }

 private:
  MappingEntry entry(const YamlNode& node) {
    MappingEntry result;
    result.line = node.line;
    if (!reader_.is_map(node, "a map that describes a mapping")) return result;
    reader_.check_keys(node, "a mapping", kKeys);
    if (const YamlNode* name = reader_.require(node, "name", "the mapping"))
      result.name = reader_.word(*name).value_or("");
    if (const YamlNode* cores = reader_.find(node, "core_allocation")) read_cores(*cores, result);
    if (const YamlNode* tiling = reader_.find(node, "intra_core_tiling"))
      result.intra_core_tiling = tilings(*tiling);
    if (const YamlNode* tiling = reader_.find(node, "inter_core_tiling"))
      result.inter_core_tiling = tilings(*tiling);
    if (const YamlNode* spatial = reader_.find(node, "spatial_mapping"))
      result.spatial = dataflow(*spatial);
    if (const YamlNode* order = reader_.find(node, "temporal_ordering")) read_order(*order, result);
    if (const YamlNode* links = reader_.find(node, "memory_operand_links"))
      read_links(*links, result);
    return result;
  }

  void read_cores(const YamlNode& node, MappingEntry& entry) {
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    if (items->empty()) reader_.problem(node.line, "no cores; expected at least one core id");
    for (const YamlNode& item : *items) {
      const auto id = reader_.integer(item, 0, static_cast<std::int64_t>(core_count_) - 1);
      if (!id) continue;
      const evaluator::CoreId core(static_cast<std::size_t>(*id));
      if (std::find(entry.cores.begin(), entry.cores.end(), core) != entry.cores.end()) {
        reader_.problem(item.line, "core " + item.text + " stands twice");
        continue;
      }
      entry.cores.push_back(core);
    }
  }

  std::optional<evaluator::Loop> loop(const YamlNode& node, const std::string& name) {
    const auto found = loop_of_name(name);
    if (!found) reader_.problem(node.line, "found '" + name + "'; expected a loop name");
    return found;
  }

  std::vector<LoopTiling> tilings(const YamlNode& node) {
    std::vector<LoopTiling> result;
    if (node.kind == YamlKind::Null) return result;
    const auto* items = reader_.list(node);
    if (items == nullptr) return result;
    for (const YamlNode& item : *items) {
      const auto pair = reader_.pair(item);
      if (!pair) continue;
      const auto found = loop(item, pair->first);
      if (!found) continue;
      LoopTiling tiling;
      tiling.loop = *found;
      if (pair->second == "all") {
        tiling.amount = TilingAmount::All;
      } else if (pair->second == "*") {
        tiling.amount = TilingAmount::Any;
      } else {
        tiling.number = number(item, pair->second);
      }
      result.push_back(tiling);
    }
    return result;
  }

  std::int64_t number(const YamlNode& place, const std::string& text) {
    YamlNode node = place;
    node.kind = YamlKind::Scalar;
    node.text = text;
    return reader_.integer(node, 1, kMaxFactor).value_or(1);
  }

  Dataflow dataflow(const YamlNode& node) {
    Dataflow result;
    if (node.kind == YamlKind::Null || !reader_.is_map(node, "a map from array axes to loops"))
      return result;
    for (const YamlEntry& entry : node.entries) {
      const auto axis = entry.key.starts_with('D') ? parsed_integer(entry.key.substr(1))
                                                   : std::optional<std::int64_t>{};
      if (!axis || *axis < 1 || *axis > static_cast<std::int64_t>(kMaxAxes)) {
        reader_.problem(entry.line, "found '" + entry.key + "'; expected an array axis D1, D2, …");
        continue;
      }
      const auto index = static_cast<std::size_t>(*axis - 1);
      if (result.size() <= index) result.resize(index + 1);
      if (result[index]) reader_.problem(entry.line, "axis '" + entry.key + "' stands twice");
      result[index] = factors(entry.value);
    }
    return result;
  }

  std::vector<UnrollFactor> factors(const YamlNode& node) {
    std::vector<UnrollFactor> result;
    if (node.kind == YamlKind::Null) return result;
    const auto* items = reader_.list(node);
    if (items == nullptr) return result;
    for (const YamlNode& item : *items) {
      const auto pair = reader_.pair(item);
      if (!pair) continue;
      const auto found = loop(item, pair->first);
      const std::int64_t factor = number(item, pair->second);
      if (found) result.push_back({*found, static_cast<double>(factor)});
    }
    return result;
  }

  void read_order(const YamlNode& node, MappingEntry& entry) {
    if (node.kind == YamlKind::Null) return;
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    for (const YamlNode& item : *items) {
      const auto pair = reader_.pair(item);
      if (!pair) continue;
      const auto found = loop(item, pair->first);
      if (!found) continue;
      OrderedLoop ordered{*found, std::nullopt};
      if (pair->second != "*") ordered.size = number(item, pair->second);
      entry.order.push_back(ordered);
    }
  }

  void read_links(const YamlNode& node, MappingEntry& entry) {
    if (!reader_.is_map(node, "a map from O, W, I to memory operands")) return;
    reader_.check_keys(node, "memory_operand_links", kOperands);
    std::array<MemoryOperand, evaluator::kNestOperandCount> links = {
        MemoryOperand::O, MemoryOperand::I2, MemoryOperand::I1};
    for (std::size_t o = 0; o < kOperands.size(); ++o) {
      const YamlNode* link = reader_.find(node, kOperands[o]);
      const auto word = link == nullptr ? std::nullopt : reader_.word(*link);
      if (!word) continue;
      const auto found = std::find(kMemoryOperands.begin(), kMemoryOperands.end(), *word);
      if (found == kMemoryOperands.end()) {
        reader_.problem(link->line, "found '" + *word + "'; expected one of O, I2, I1");
        continue;
      }
      links[o] = static_cast<MemoryOperand>(found - kMemoryOperands.begin());
    }
    if (links[0] == links[1] || links[0] == links[2] || links[1] == links[2])
      reader_.problem(node.line, "two operands are linked to one memory operand");
    entry.links = links;
  }

  YamlReader reader_;
  std::size_t core_count_;
};

}  // namespace

const MappingEntry* MappingFile::find(std::string_view node, std::string_view type) const {
  for (const std::string_view wanted : {node, type, std::string_view("default")}) {
    const auto entry = std::find_if(
        entries.begin(), entries.end(), [&](const MappingEntry& e) { return e.name == wanted; });
    if (entry != entries.end()) return &*entry;
  }
  return nullptr;
}

MappingFile read_mapping_file(const std::filesystem::path& path, std::size_t core_count) {
  return MappingReader(path.string(), core_count).read(yaml_from_file(path));
}

}  // namespace paretrain::problems
