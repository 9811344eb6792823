#include "results/inspect_report.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/number_text.h"
#include "results/json_text.h"

namespace paretrain::results {

namespace {

using evaluator::CandidateSummary;
using evaluator::Phase;
using evaluator::StepSummary;

constexpr std::size_t kLargestCandidates = 12;
constexpr std::size_t kNameWidth = 44;

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::Forward:
      return "forward";
    case Phase::Backward:
      return "backward";
    case Phase::Update:
      return "update";
  }
  CHECK(false, "a phase without a name");
}

// Members of a JSON object in the order they are added.
class JsonObject {
 public:
  JsonObject& raw(std::string_view key, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + json_string(key) + ": " + value;
    return *this;
  }

  JsonObject& number(std::string_view key, std::int64_t value) {
    return raw(key, number_text(value));
  }

  JsonObject& number(std::string_view key, Bytes value) { return number(key, value.number()); }

  JsonObject& text(std::string_view key, std::string_view value) {
    return raw(key, json_string(value));
  }

  [[nodiscard]] std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

std::string json_list(const std::vector<std::string>& items, std::string_view separator) {
  std::string list;
  for (const std::string& item : items)
    list += (list.empty() ? "" : std::string(separator)) + item;
  return "[" + list + "]";
}

std::string operators_json(const StepSummary& summary) {
  return JsonObject()
      .number("forward", summary.forward_operators)
      .number("backward", summary.backward_operators)
      .number("update", summary.update_operators)
      .str();
}

std::string macs_json(const evaluator::MacSummary& macs) {
  return JsonObject()
      .number("forward", macs.forward)
      .number("forward_activation", macs.forward_activation)
      .number("backward", macs.backward)
      .number("backward_input_grad", macs.backward_input_grad)
      .number("backward_weight_grad", macs.backward_weight_grad)
      .number("backward_activation", macs.backward_activation)
      .str();
}

std::string peak_json(const evaluator::DynamicPeak& peak) {
  const std::string roles = JsonObject()
                                .number("activations", peak.by_role.activations)
                                .number("gradients", peak.by_role.gradients)
                                .number("parameter_gradients", peak.by_role.parameter_gradients)
                                .str();
  return JsonObject()
      .number("dynamic_bytes", peak.bytes)
      .text("phase", phase_name(peak.phase))
      .text("operator", peak.operator_name)
      .raw("by_role", roles)
      .str();
}

std::string shape_json(const evaluator::Shape& shape) {
  std::vector<std::string> dimensions;
  for (const std::int64_t dimension : shape)
    dimensions.push_back(number_text(dimension));
  return json_list(dimensions, ", ");
}

std::string candidates_json(const StepSummary& summary) {
  std::vector<std::string> items;
  for (const CandidateSummary& candidate : summary.candidates)
    items.push_back(JsonObject()
                        .text("name", candidate.name)
                        .text("operator", candidate.producer)
                        .raw("shape", shape_json(candidate.shape))
                        .number("bytes", candidate.bytes)
                        .raw("read_by_backward", candidate.read_by_backward ? "true" : "false")
                        .str());
  return json_list(items, ",\n    ");
}

std::string parameters_json(const StepSummary& summary) {
  std::vector<std::string> items;
  for (const auto& parameter : summary.parameters)
    items.push_back(JsonObject()
                        .text("name", parameter.name)
                        .raw("shape", shape_json(parameter.shape))
                        .number("bytes", parameter.bytes)
                        .raw("trained", parameter.trained ? "true" : "false")
                        .str());
  return json_list(items, ",\n    ");
}

std::string recognised_json(const StepSummary& summary) {
  std::vector<std::string> items;
  for (const auto& pattern : summary.recognised)
    items.push_back(
        JsonObject().text("pattern", pattern.pattern).number("count", pattern.count).str());
  return json_list(items, ", ");
}

std::string unsupported_json(const InspectReport& report) {
  std::vector<std::string> items;
  for (const auto& entry : report.unsupported)
    items.push_back(JsonObject()
                        .text("operator", entry.type)
                        .number("count", entry.count)
                        .text("first_node", entry.first_node)
                        .str());
  return json_list(items, ", ");
}

std::string warnings_json(const InspectReport& report) {
  std::vector<std::string> items;
  for (const std::string& warning : report.warnings)
    items.push_back(json_string(warning));
  return json_list(items, ", ");
}

Bytes static_bytes(const StepSummary& summary) {
  return summary.parameter_bytes + summary.optimizer_state_bytes + summary.input_bytes +
         summary.buffer_bytes;
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

void add_line(std::string& page, const std::string& name, std::int64_t value) {
  page += "  " + padded(name, 36) + right(grouped_text(value), 22) + "\n";
}

// Long names keep their end, which tells them apart.
std::string shortened(const std::string& name) {
  if (name.size() <= kNameWidth) return name;
  return "…" + name.substr(name.size() - kNameWidth + 1);
}

std::string shape_text(const evaluator::Shape& shape) {
  std::string text;
  for (const std::int64_t dimension : shape)
    text += (text.empty() ? "" : "x") + number_text(dimension);
  return text.empty() ? "scalar" : text;
}

void add_candidates(std::string& page, const StepSummary& summary) {
  std::int64_t total = 0;
  std::int64_t read = 0;
  for (const CandidateSummary& candidate : summary.candidates) {
    total += candidate.bytes.number();
    if (candidate.read_by_backward) ++read;
  }
  page += "\nCandidates (what may be kept or recomputed)\n";
  add_line(page, "tensors", static_cast<std::int64_t>(summary.candidates.size()));
  add_line(page, "read by the backward pass", read);
  add_line(page, "bytes", total);
  std::vector<std::size_t> order(summary.candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return summary.candidates[a].bytes > summary.candidates[b].bytes;
  });
  if (order.size() > kLargestCandidates) order.resize(kLargestCandidates);
  if (!order.empty()) page += "  largest:\n";
  for (const std::size_t i : order) {
    const CandidateSummary& candidate = summary.candidates[i];
    page += "    " + padded(shortened(candidate.name), kNameWidth) +
            right(shape_text(candidate.shape), 16) +
            right(grouped_text(candidate.bytes.number()), 14) + "\n";
  }
}

void add_memory(std::string& page, const StepSummary& summary) {
  page += "\nMemory (bytes)\n";
  add_line(page, "parameters", summary.parameter_bytes.number());
  add_line(page, "parameter gradients", summary.gradient_bytes.number());
  add_line(page, "optimizer state", summary.optimizer_state_bytes.number());
  add_line(page, "inputs and targets", summary.input_bytes.number());
  add_line(page, "buffers", summary.buffer_bytes.number());
  add_line(page, "saved for the backward pass", summary.saved_bytes.number());
  add_line(page, "  of that, inputs and targets", summary.saved_input_bytes.number());
  add_line(page, "  in tensors", summary.saved_tensors);
  add_line(page, "dynamic peak, everything kept", summary.peak.bytes.number());
  page += "    in the " + std::string(phase_name(summary.peak.phase)) + " phase, at " +
          summary.peak.operator_name + "\n";
  add_line(page, "  activations", summary.peak.by_role.activations);
  add_line(page, "  gradients", summary.peak.by_role.gradients);
  add_line(page, "  parameter gradients", summary.peak.by_role.parameter_gradients);
}

void add_fit(std::string& page, const InspectReport& report) {
  if (!report.memory) return;
  const std::int64_t needed = (static_bytes(report.summary) + report.summary.peak.bytes).number();
  const std::int64_t capacity = report.memory->capacity.number();
  page += "\nOn " + report.memory->accelerator + "\n";
  add_line(page, "off-chip memory", capacity);
  add_line(page, "needed with everything kept", needed);
  page += needed <= capacity ? "  fits\n" : "  does not fit; recomputing may make it fit\n";
}

}  // namespace

std::string inspect_json(const InspectReport& report) {
  const StepSummary& summary = report.summary;
  std::string text = "{\n  \"schema\": 1";
  const auto add = [&](std::string_view key, const std::string& value) {
    text += ",\n  " + json_string(key) + ": " + value;
  };
  add("model", json_string(summary.model));
  add("batch", number_text(summary.batch));
  add("operators", operators_json(summary));
  if (summary.imported_nodes)
    add("imported_nodes",
        JsonObject()
            .number("forward", summary.imported_nodes->forward)
            .number("backward", summary.imported_nodes->backward)
            .number("optimizer", summary.imported_nodes->optimizer)
            .str());
  add("macs", macs_json(summary.macs));
  add("parameters",
      JsonObject()
          .number("tensors", summary.parameter_tensors)
          .number("elements", summary.parameter_elements)
          .number("bytes", summary.parameter_bytes)
          .str());
  add("gradients", JsonObject().number("bytes", summary.gradient_bytes).str());
  add("optimizer_state", JsonObject().number("bytes", summary.optimizer_state_bytes).str());
  add("inputs", JsonObject().number("bytes", summary.input_bytes).str());
  add("buffers", JsonObject().number("bytes", summary.buffer_bytes).str());
  add("saved",
      JsonObject()
          .number("tensors", summary.saved_tensors)
          .number("bytes", summary.saved_bytes)
          .number("input_bytes", summary.saved_input_bytes)
          .str());
  add("peak", peak_json(summary.peak));
  if (report.memory)
    add("accelerator",
        JsonObject()
            .text("name", report.memory->accelerator)
            .number("memory_bytes", report.memory->capacity)
            .number("needed_bytes", static_bytes(summary) + summary.peak.bytes)
            .str());
  add("candidates", candidates_json(summary));
  add("parameter_list", parameters_json(summary));
  add("recognised", recognised_json(summary));
  add("unsupported", unsupported_json(report));
  add("warnings", warnings_json(report));
  return text + "\n}\n";
}

std::string inspect_page(const InspectReport& report) {
  const StepSummary& summary = report.summary;
  std::string page = "Training step of " + summary.model + ", batch " + number_text(summary.batch) +
                     "\n\nOperators\n";
  add_line(page, "forward", summary.forward_operators);
  add_line(page, "backward", summary.backward_operators);
  add_line(page, "update", summary.update_operators);
  for (const auto& pattern : summary.recognised)
    page += "  recognised: " + pattern.pattern + " (" + number_text(pattern.count) + ")\n";
  for (const auto& entry : report.unsupported)
    page += "  treated as elementwise: " + entry.type + " (" + number_text(entry.count) + ")\n";
  page += "\nMultiply-accumulates\n";
  add_line(page, "forward", summary.macs.forward);
  add_line(page, "  of two activations", summary.macs.forward_activation);
  add_line(page, "backward", summary.macs.backward);
  add_line(page, "  input gradients", summary.macs.backward_input_grad);
  add_line(page, "  weight gradients", summary.macs.backward_weight_grad);
  add_line(page, "  of two activations", summary.macs.backward_activation);
  page += "\nParameters\n";
  add_line(page, "tensors", summary.parameter_tensors);
  add_line(page, "elements", summary.parameter_elements);
  add_memory(page, summary);
  add_candidates(page, summary);
  add_fit(page, report);
  return page;
}

}  // namespace paretrain::results
