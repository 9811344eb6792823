#include "problems/accelerator_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "problems/builtin_accelerators.h"
#include "problems/core_description.h"
#include "problems/yaml_reader.h"

namespace paretrain::problems {

namespace {

using evaluator::Accelerator;
using evaluator::Core;
using evaluator::CoreId;
using evaluator::CoreKind;
using evaluator::Link;

constexpr std::array<std::string_view, 6> kTopKeys = {"name",
                                                      "cores",
                                                      "offchip_core_id",
                                                      "unit_energy_cost",
                                                      "core_connectivity",
                                                      "core_memory_sharing"};
constexpr std::array<std::string_view, 4> kLinkKeys = {
    "type", "cores", "bandwidth", "unit_energy_cost"};
constexpr std::int64_t kMaxCores = 100'000;
constexpr std::int64_t kMaxBandwidth = std::int64_t{1} << 40U;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Sets of cores that can reach one another.
class Reach {
 public:
  explicit Reach(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

  [[nodiscard]] std::size_t root(std::size_t a) {
    while (parent_[a] != a) {
      parent_[a] = parent_[parent_[a]];
      a = parent_[a];
    }
    return a;
  }

 private:
  std::vector<std::size_t> parent_;
};

// Where core files named in a text are looked for; empty for a text that has no folder.
using CoreFolder = std::optional<std::filesystem::path>;

class AcceleratorReader {
 public:
  AcceleratorReader(const std::string& name, CoreFolder folder)
      : reader_(name), folder_(std::move(folder)) {}

  AcceleratorFile read(const YamlNode& root) {
    if (reader_.is_map(root, "a map that describes an accelerator")) {
      const bool single = reader_.find(root, "cores") == nullptr &&
                          (reader_.find(root, "memories") != nullptr ||
                           reader_.find(root, "operational_array") != nullptr);
      single ? read_single(root) : read_multiple(root);
    }
    problems_.insert(problems_.begin(), reader_.problems().begin(), reader_.problems().end());
    if (!problems_.empty()) throw InputError{std::move(problems_)};
    return {std::move(result_), std::move(reader_.warnings())};
  }

 private:
  void read_single(const YamlNode& root) {
    auto core = core_from_yaml(reader_, root, CoreTypeKey::Optional);
    if (!core) return;
    if (core->kind == CoreKind::Memory)
      reader_.problem(root.line, "the only core has no array units");
    result_.name = core->name;
    result_.cores.push_back(std::move(*core));
  }

  void read_multiple(const YamlNode& root) {
    reader_.check_keys(root, "an accelerator", kTopKeys);
    if (const YamlNode* name = reader_.require(root, "name", "the accelerator"))
      result_.name = reader_.word(*name).value_or("");
    if (const YamlNode* energy = reader_.find(root, "unit_energy_cost"))
      link_energy_ = reader_.number(*energy, 0, kNoLimit).value_or(0);
    const YamlNode* cores = reader_.require(root, "cores", "the accelerator");
    if (cores == nullptr || !read_cores(*cores)) return;
    if (const YamlNode* offchip = reader_.require(root, "offchip_core_id", "the accelerator"))
      read_offchip(*offchip);
    if (const YamlNode* links = reader_.require(root, "core_connectivity", "the accelerator"))
      read_links(*links);
    if (const YamlNode* sharing = reader_.find(root, "core_memory_sharing")) read_sharing(*sharing);
    if (problems_.empty() && reader_.problems().empty()) check_reach(root.line);
  }

  // False when ids are so wrong that nothing else makes sense.
  bool read_cores(const YamlNode& node) {
    if (!reader_.is_map(node, "a map from core id to core file")) return false;
    if (node.entries.empty()) {
      reader_.problem(node.line, "no cores; expected at least one");
      return false;
    }
    const auto count = static_cast<std::int64_t>(node.entries.size());
    std::map<std::int64_t, const YamlEntry*> by_id;
    for (const YamlEntry& entry : node.entries) {
      YamlNode key;
      key.kind = YamlKind::Scalar;
      key.text = entry.key;
      key.line = entry.line;
      const auto id = reader_.integer(key, 0, std::min(count, kMaxCores) - 1);
      if (!id) continue;
      if (!by_id.emplace(*id, &entry).second)
        reader_.problem(entry.line, "core " + entry.key + " stands twice");
    }
    if (static_cast<std::int64_t>(by_id.size()) != count) {
      reader_.problem(node.line,
                      "core ids must be 0 to " + std::to_string(count - 1) + " without holes");
      return false;
    }
    for (const auto& [id, entry] : by_id)
      result_.cores.push_back(core_of(*entry));
    return true;
  }

  // An empty core stands in for one that is wrong; its problems are noted.
  Core core_of(const YamlEntry& entry) {
    if (entry.value.is_map()) {
      const auto core = core_from_yaml(reader_, entry.value, CoreTypeKey::Required);
      return core ? *core : Core{};
    }
    const auto file = reader_.word(entry.value);
    if (!file) return {};
    const auto known = files_.find(*file);
    if (known != files_.end()) return known->second;
    Core core = core_of_file(*file, entry.line);
    files_.emplace(*file, core);
    return core;
  }

  Core core_of_file(const std::string& file, int line) {
    const std::filesystem::path relative(file);
    const bool leaves = relative.is_absolute() ||
                        std::any_of(relative.begin(), relative.end(), [](const auto& part) {
                          return part == "..";
                        });
    if (!folder_ || leaves) {
      reader_.problem(line,
                      "core file '" + file + "' " +
                          (leaves ? "lies outside the accelerator's folder"
                                  : "cannot be named here; expected the core itself"));
      return {};
    }
    std::error_code ignored;
    std::filesystem::path path = *folder_ / "cores" / relative;
    if (!std::filesystem::exists(path, ignored)) path = *folder_ / relative;
    if (!std::filesystem::exists(path, ignored)) {
      reader_.problem(line,
                      "core file '" + file + "' does not exist",
                      "core files are looked for in the folder 'cores' beside the file, then "
                      "beside it");
      return {};
    }
    return parsed_core(path);
  }

  Core parsed_core(const std::filesystem::path& path) {
    YamlReader core_reader(path.string());
    std::optional<Core> core;
    try {
      const YamlNode root = yaml_from_file(path);
      core = core_from_yaml(core_reader, root, CoreTypeKey::Required);
    } catch (const InputError& error) {
      problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
      return {};
    }
    problems_.insert(problems_.end(), core_reader.problems().begin(), core_reader.problems().end());
    reader_.warnings().insert(
        reader_.warnings().end(), core_reader.warnings().begin(), core_reader.warnings().end());
    return core ? std::move(*core) : Core{};
  }

  std::optional<CoreId> core_id(const YamlNode& node) {
    const auto id = reader_.integer(node, 0, static_cast<std::int64_t>(result_.cores.size()) - 1);
    if (!id) return std::nullopt;
    return CoreId(static_cast<std::size_t>(*id));
  }

  void read_offchip(const YamlNode& node) {
    const auto id = core_id(node);
    if (!id) return;
    result_.offchip = id;
    const Core& core = result_.cores[id->index()];
    if (core.memories.size() > 1 || (!core.memories.empty() && core.kind != CoreKind::Memory)) {
      reader_.problem(node.line,
                      "core " + node.text +
                          " is not an off-chip memory; expected a core with one "
                          "memory and no array units");
    }
  }

  void read_links(const YamlNode& node) {
    if (node.kind == YamlKind::Null) return;
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    for (const YamlNode& item : *items)
      read_link(item);
  }

  void read_link(const YamlNode& node) {
    if (!reader_.is_map(node, "a map that describes a link")) return;
    reader_.check_keys(node, "a link", kLinkKeys);
    Link link;
    link.energy_per_cycle_pj = link_energy_;
    if (const YamlNode* type = reader_.require(node, "type", "the link")) {
      const auto word = reader_.word(*type);
      if (word && *word != "link" && *word != "bus")
        reader_.problem(type->line, "found '" + *word + "'; expected link or bus");
      link.is_bus = word && *word == "bus";
    }
    if (const YamlNode* bandwidth = reader_.require(node, "bandwidth", "the link"))
      link.bandwidth_bits = reader_.integer(*bandwidth, 1, kMaxBandwidth).value_or(1);
    if (const YamlNode* energy = reader_.find(node, "unit_energy_cost"))
      link.energy_per_cycle_pj = reader_.number(*energy, 0, kNoLimit).value_or(0);
    const YamlNode* cores = reader_.require(node, "cores", "the link");
    if (cores == nullptr || !read_ends(*cores, link)) return;
    note_repetition(node, link);
    result_.links.push_back(std::move(link));
  }

  bool read_ends(const YamlNode& node, Link& link) {
    const auto* items = reader_.list(node);
    if (items == nullptr) return false;
    std::set<CoreId> ends;
    for (const YamlNode& item : *items) {
      const auto id = core_id(item);
      if (!id) return false;
      if (!ends.insert(*id).second) {
        reader_.problem(item.line, "core " + item.text + " stands twice in one link");
        return false;
      }
      link.cores.push_back(*id);
    }
    const bool enough = link.is_bus ? ends.size() >= 2 : ends.size() == 2;
    if (!enough) {
      reader_.problem(node.line,
                      "found " + std::to_string(ends.size()) + " cores; expected " +
                          (link.is_bus ? "two or more for a bus" : "two for a link"));
    }
    return enough;
  }

  void note_repetition(const YamlNode& node, const Link& link) {
    if (link.is_bus) return;
    const auto ends = std::minmax(link.cores[0], link.cores[1]);
    if (!pairs_.insert(ends).second) {
      reader_.warn(node.line,
                   "cores " + std::to_string(ends.first.index()) + " and " +
                       std::to_string(ends.second.index()) + " are linked twice");
    }
  }

  // "0, 1": the outermost memory of these cores is one instance.
  void read_sharing(const YamlNode& node) {
    if (node.kind == YamlKind::Null) return;
    const auto* items = reader_.list(node);
    if (items == nullptr) return;
    for (const YamlNode& item : *items)
      read_shared_group(item);
  }

  void read_shared_group(const YamlNode& item) {
    std::vector<YamlNode> words = item.items;
    if (item.is_scalar()) {
      std::size_t start = 0;
      while (start <= item.text.size()) {
        const std::size_t end = std::min(item.text.find(',', start), item.text.size());
        YamlNode word = item;
        word.text = item.text.substr(start, end - start);
        word.text.erase(std::remove(word.text.begin(), word.text.end(), ' '), word.text.end());
        words.push_back(std::move(word));
        start = end + 1;
      }
    }
    std::vector<CoreId> group;
    for (const YamlNode& word : words) {
      const auto id = core_id(word);
      if (!id) return;
      if (std::find(group.begin(), group.end(), *id) != group.end()) {
        reader_.problem(item.line, "core " + word.text + " stands twice in one sharing group");
        return;
      }
      group.push_back(*id);
    }
    if (group.size() < 2) {
      reader_.problem(item.line, "found " + item.description() + "; expected two or more core ids");
      return;
    }
    check_shared_memories(item, group);
    result_.shared_memories.push_back(std::move(group));
  }

  void check_shared_memories(const YamlNode& item, const std::vector<CoreId>& group) {
    const auto& first = result_.cores[group[0].index()].memories;
    for (const CoreId id : group) {
      const auto& other = result_.cores[id.index()].memories;
      if (first.empty() || other.empty()) return;
      const evaluator::Memory& a = first.back();
      const evaluator::Memory& b = other.back();
      const bool same = a.name == b.name && a.size_bits == b.size_bits &&
                        a.read_energy_pj == b.read_energy_pj &&
                        a.write_energy_pj == b.write_energy_pj && a.operands == b.operands &&
                        a.ports.size() == b.ports.size();
      if (same) continue;
      reader_.problem(item.line,
                      "the outermost memories of cores " + std::to_string(group[0].index()) +
                          " and " + std::to_string(id.index()) +
                          " differ; a shared memory must be described alike in both");
      return;
    }
  }

  void check_reach(int line) {
    Reach reach(result_.cores.size());
    for (const Link& link : result_.links) {
      for (const CoreId id : link.cores)
        reach.join(link.cores[0].index(), id.index());
    }
    for (const auto& group : result_.shared_memories) {
      for (const CoreId id : group)
        reach.join(group[0].index(), id.index());
    }
    for (std::size_t c = 1; c < result_.cores.size(); ++c) {
      if (reach.root(c) == reach.root(0)) continue;
      reader_.problem(line,
                      "core " + std::to_string(c) +
                          " cannot be reached from core 0 over any link, bus or shared memory");
      return;
    }
    const bool computes = std::any_of(result_.cores.begin(),
                                      result_.cores.end(),
                                      [](const Core& c) { return c.kind != CoreKind::Memory; });
    if (!computes) reader_.problem(line, "no core has array units");
  }

  YamlReader reader_;
  CoreFolder folder_;
  Accelerator result_;
  std::vector<Problem> problems_;  // of core files
  std::map<std::string, Core> files_;
  std::set<std::pair<CoreId, CoreId>> pairs_;
  double link_energy_ = 0;
};

bool looks_like_path(const std::string& text) {
  const std::filesystem::path path(text);
  return text.find('/') != std::string::npos || path.extension() == ".yaml" ||
         path.extension() == ".yml" || path.extension() == ".json";
}

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const BuiltinAccelerator& builtin : builtin_accelerators()) {
    names.push_back(builtin.name);
    all += (all.empty() ? "" : ", ") + std::string(builtin.name);
  }
  const auto near = nearest_word(name, names);
  throw InputError{
      Problem{name,
              "is neither an accelerator file (.yaml, .yml, .json) nor built in",
              (near ? "did you mean " + *near + "? " : std::string()) + "built in are " + all}};
}

}  // namespace

AcceleratorFile read_accelerator_file(const std::filesystem::path& path) {
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const YamlNode root = yaml_from_file(path);
  return AcceleratorReader(path.string(), folder).read(root);
}

AcceleratorFile read_accelerator_text(std::string_view text, const std::string& name) {
  return AcceleratorReader(name, std::nullopt).read(yaml_from_text(text, name));
}

AcceleratorFile accelerator_of(const std::string& path_or_name) {
  if (looks_like_path(path_or_name)) return read_accelerator_file(path_or_name);
  if (auto builtin = builtin_accelerator(path_or_name)) return {std::move(*builtin), {}};
  refuse_name(path_or_name);
}

}  // namespace paretrain::problems
