#include "problems/cost_graph_file.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/nearest_name.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "problems/json_file.h"

namespace paretrain::problems {

namespace {

constexpr std::string_view kSchema = "paretrain-cost-graph-1";
constexpr std::size_t kShownBytes = 60;

constexpr std::array<std::string_view, 8> kTopKeys = {
    "schema", "name", "units", "input_bytes", "static_bytes", "count_gradients", "nodes", "fusion"};
constexpr std::array<std::string_view, 2> kUnitKeys = {"latency", "energy"};
constexpr std::array<std::string_view, 4> kFusionKeys = {
    "max_group_length", "on_chip_bytes", "latency_per_byte", "energy_per_byte"};
constexpr std::array<std::string_view, 13> kNodeKeys = {"id",
                                                        "name",
                                                        "op",
                                                        "inputs",
                                                        "backward_reads",
                                                        "forward_latency",
                                                        "backward_latency",
                                                        "forward_energy",
                                                        "backward_energy",
                                                        "output_bytes",
                                                        "gradient_bytes",
                                                        "tile_bytes",
                                                        "needs_gradient"};

std::string shown(std::string_view text) {
  const std::string harmless = printable(text.substr(0, kShownBytes));
  return text.size() > kShownBytes ? harmless + "..." : harmless;
}

std::string in_quotes(std::string_view text) {
  std::string result(1, '"');
  result += shown(text);
  result += '"';
  return result;
}

// A value as a message shows it.
std::string found(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::Number:
      return shown(value.text);
    case JsonKind::Text:
      return in_quotes(value.text);
    case JsonKind::Bool:
      return value.boolean ? "true" : "false";
    case JsonKind::Null:
    case JsonKind::List:
    case JsonKind::Object:
      break;
  }
  return std::string(json_kind_text(value.kind));
}

// One object of the file: looks keys up and reports what is missing, unknown or of the wrong kind.
class ObjectReader {
 public:
  // `subject` begins messages: "node 3: " or "".
  ObjectReader(const JsonValue& object,
               std::string subject,
               std::span<const std::string_view> known,
               JsonProblems& problems)
      : object_(object), subject_(std::move(subject)), known_(known), problems_(problems) {
    check_keys();
  }

  void report(std::uint32_t line, const std::string& what, std::string hint = "") const {
    problems_.add(line, subject_ + what, std::move(hint));
  }

  [[nodiscard]] const JsonValue* find(std::string_view key) const {
    const auto index =
        static_cast<std::size_t>(std::find(known_.begin(), known_.end(), key) - known_.begin());
    return values_[index];
  }

  // Nothing, after a report, when the key is missing.
  [[nodiscard]] const JsonValue* require(std::string_view key) const {
    const JsonValue* value = find(key);
    if (value == nullptr) report(object_.line, std::string(key) + " is missing");
    return value;
  }

  [[nodiscard]] bool is_kind(std::string_view key, const JsonValue& value, JsonKind kind) const {
    if (value.kind == kind) return true;
    report(value.line,
           std::string(key) + " is " + found(value) + "; expected " +
               std::string(json_kind_text(kind)));
    return false;
  }

  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key,
                                                    const JsonValue& value) const {
    if (!is_kind(key, value, JsonKind::Number)) return std::nullopt;
    const std::optional<std::int64_t> number = parsed_integer(value.text);
    if (!number) {
      const bool whole = value.text.find_first_of(".eE") == std::string::npos;
      report(value.line,
             std::string(key) + " is " + found(value) +
                 (whole ? "; expected a number that fits 64 bits" : "; expected a whole number"));
    }
    return number;
  }

  // 0 after a report.
  [[nodiscard]] std::int64_t amount(std::string_view key, const JsonValue* value) const {
    if (value == nullptr) return 0;
    const std::optional<std::int64_t> number = integer(key, *value);
    if (!number) return 0;
    if (*number >= 0) return *number;
    report(value->line,
           std::string(key) + " is " + found(*value) + "; expected a number from 0 up");
    return 0;
  }

  [[nodiscard]] std::int64_t required_amount(std::string_view key) const {
    return amount(key, require(key));
  }

  [[nodiscard]] std::int64_t amount_or(std::string_view key, std::int64_t fallback) const {
    const JsonValue* value = find(key);
    return value == nullptr ? fallback : amount(key, value);
  }

  [[nodiscard]] bool flag_or(std::string_view key, bool fallback) const {
    const JsonValue* value = find(key);
    if (value == nullptr || !is_kind(key, *value, JsonKind::Bool)) return fallback;
    return value->boolean;
  }

  [[nodiscard]] std::string text_or_empty(std::string_view key) const {
    const JsonValue* value = find(key);
    if (value == nullptr || !is_kind(key, *value, JsonKind::Text)) return "";
    return value->text;
  }

 private:
  void check_keys() {
    values_.assign(known_.size(), nullptr);
    for (const JsonMember& member : object_.members) {
      const auto place = std::find(known_.begin(), known_.end(), member.key);
      if (place == known_.end()) {
        const std::optional<std::string> nearest = nearest_name(member.key, known_);
        report(member.line,
               "unknown key " + in_quotes(member.key),
               nearest ? "did you mean \"" + *nearest + "\"?" : "");
        continue;
      }
      const JsonValue*& value = values_[static_cast<std::size_t>(place - known_.begin())];
      if (value != nullptr) report(member.line, member.key + " is given twice");
      value = &member.value;
    }
  }

  const JsonValue& object_;
  std::string subject_;
  std::span<const std::string_view> known_;
  JsonProblems& problems_;
  std::vector<const JsonValue*> values_;  // by known key
};

// Units become parts of column names.
bool is_unit(std::string_view unit) {
  constexpr std::string_view kMicro = "\xc2\xb5";
  constexpr std::string_view kMu = "\xce\xbc";
  if (unit.starts_with(kMicro) || unit.starts_with(kMu)) unit.remove_prefix(kMicro.size());
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '%' || c == '-' || c == '^' || c == '*' || c == '/' || c == '.';
  };
  return !unit.empty() && unit.size() <= 32 && std::all_of(unit.begin(), unit.end(), allowed) &&
         unit.front() != '-' && unit.find("..") == std::string_view::npos;
}

std::string unit(const ObjectReader& units, std::string_view key) {
  const JsonValue* value = units.require(key);
  if (value == nullptr || !units.is_kind(key, *value, JsonKind::Text)) return "";
  if (!is_unit(value->text))
    units.report(value->line,
                 std::string(key) + " is " + in_quotes(value->text) +
                     "; expected a short unit of letters, digits and _ % - ^ * / . (it becomes "
                     "part of column names)");
  return value->text;
}

// Ids of a list without those that come again; `largest` is the largest that may stand there.
std::vector<std::int64_t> ids(const ObjectReader& node,
                              std::string_view key,
                              std::int64_t largest) {
  std::vector<std::int64_t> result;
  const JsonValue* list = node.require(key);
  if (list == nullptr || !node.is_kind(key, *list, JsonKind::List)) return result;
  std::set<std::int64_t> seen;
  const std::string subject = "an entry of " + std::string(key);
  for (const JsonValue& item : list->items) {
    const std::optional<std::int64_t> id = node.integer(subject, item);
    if (!id) continue;
    if (*id < -1 || *id > largest) {
      node.report(item.line,
                  subject + " is " + found(item) + "; expected -1 (the graph input) or the id of " +
                      (key == "inputs" ? "an earlier node" : "an input or of the node itself"));
      continue;
    }
    if (seen.insert(*id).second) result.push_back(*id);
  }
  return result;
}

void check_reads(const ObjectReader& node, std::int64_t id, const CostGraphNode& read) {
  const std::set<std::int64_t> inputs(read.inputs.begin(), read.inputs.end());
  for (const std::int64_t tensor : read.backward_reads) {
    if (tensor != id && !inputs.contains(tensor))
      node.report(node.find("backward_reads")->line,
                  "backward_reads has " + std::to_string(tensor) +
                      ", which is neither an input of the node nor the node itself");
  }
}

CostGraphNode node(const JsonValue& value, std::int64_t id, JsonProblems& problems) {
  CostGraphNode result;
  const std::string subject = "node " + std::to_string(id) + ": ";
  if (value.kind != JsonKind::Object) {
    problems.add(value.line, subject + "is " + found(value) + "; expected an object");
    return result;
  }
  const ObjectReader reader(value, subject, kNodeKeys, problems);
  if (const JsonValue* given = reader.require("id"); given != nullptr) {
    const std::optional<std::int64_t> number = reader.integer("id", *given);
    if (number && *number != id)
      reader.report(given->line,
                    "id is " + found(*given) + "; expected " + std::to_string(id) +
                        " (ids count from 0 in the order of the list)");
  }
  result.name = reader.text_or_empty("name");
  result.op = reader.text_or_empty("op");
  result.inputs = ids(reader, "inputs", id - 1);
  result.backward_reads = ids(reader, "backward_reads", id);
  check_reads(reader, id, result);
  result.forward_latency = reader.required_amount("forward_latency");
  result.backward_latency = reader.required_amount("backward_latency");
  result.forward_energy = reader.required_amount("forward_energy");
  result.backward_energy = reader.required_amount("backward_energy");
  result.output_bytes = reader.required_amount("output_bytes");
  result.gradient_bytes = reader.amount_or("gradient_bytes", result.output_bytes);
  result.tile_bytes = reader.amount_or("tile_bytes", 0);
  result.needs_gradient = reader.flag_or("needs_gradient", true);
  return result;
}

CostGraphFusion fusion(const JsonValue& value, JsonProblems& problems) {
  const ObjectReader reader(value, "fusion: ", kFusionKeys, problems);
  CostGraphFusion result;
  const JsonValue* length = reader.require("max_group_length");
  if (length != nullptr) {
    result.max_group_length = reader.amount("max_group_length", length);
    if (result.max_group_length < 1 && parsed_integer(length->text) == 0)
      reader.report(length->line, "max_group_length is 0; expected 1 or more");
  }
  result.on_chip_bytes = reader.required_amount("on_chip_bytes");
  result.latency_per_byte = reader.required_amount("latency_per_byte");
  result.energy_per_byte = reader.required_amount("energy_per_byte");
  return result;
}

void read_schema(const ObjectReader& top) {
  const JsonValue* schema = top.require("schema");
  if (schema == nullptr || !top.is_kind("schema", *schema, JsonKind::Text)) return;
  if (schema->text != kSchema)
    top.report(schema->line,
               "schema is " + in_quotes(schema->text) + "; expected " + in_quotes(kSchema));
}

void read_nodes(const ObjectReader& top, CostGraph& graph, JsonProblems& problems) {
  const JsonValue* nodes = top.require("nodes");
  if (nodes == nullptr || !top.is_kind("nodes", *nodes, JsonKind::List)) return;
  if (nodes->items.empty()) top.report(nodes->line, "nodes is empty; expected at least one node");
  graph.nodes.reserve(nodes->items.size());
  for (const JsonValue& item : nodes->items)
    graph.nodes.push_back(node(item, static_cast<std::int64_t>(graph.nodes.size()), problems));
}

}  // namespace

CostGraph parsed_cost_graph(std::string_view text, const std::string& name) {
  const JsonValue document = parsed_json(text, name);
  JsonProblems problems(name);
  CostGraph graph;
  graph.source = name;
  if (document.kind != JsonKind::Object) {
    problems.add(document.line, "is " + found(document) + "; expected a cost graph, an object");
    problems.throw_if_any();
  }
  const ObjectReader top(document, "", kTopKeys, problems);
  read_schema(top);
  graph.name = top.text_or_empty("name");
  const JsonValue* units = top.require("units");
  if (units != nullptr && top.is_kind("units", *units, JsonKind::Object)) {
    const ObjectReader reader(*units, "units: ", kUnitKeys, problems);
    graph.latency_unit = unit(reader, "latency");
    graph.energy_unit = unit(reader, "energy");
  }
  graph.input_bytes = top.required_amount("input_bytes");
  graph.static_bytes = top.amount_or("static_bytes", 0);
  graph.count_gradients = top.flag_or("count_gradients", true);
  const JsonValue* fused = top.find("fusion");
  if (fused != nullptr && top.is_kind("fusion", *fused, JsonKind::Object))
    graph.fusion = fusion(*fused, problems);
  read_nodes(top, graph, problems);
  problems.throw_if_any();
  return graph;
}

CostGraph read_cost_graph(const std::filesystem::path& file) {
  CostGraph graph = parsed_cost_graph(read_text_file(file), file.string());
  if (graph.name.empty()) graph.name = file.stem().string();
  return graph;
}

}  // namespace paretrain::problems
