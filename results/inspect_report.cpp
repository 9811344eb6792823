#include "results/inspect_report.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "base/number_text.h"
#include "results/json_text.h"

namespace paretrain::results {

namespace {

using evaluator::CandidateSummary;
using evaluator::StepSummary;

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

std::string truth_text(bool truth) {
  return truth ? "true" : "false";
}

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

std::string_view gene_text(std::optional<bool> pin) {
  if (!pin) return "free";
  return *pin ? "keep" : "recompute";
}

std::string candidates_json(const InspectReport& report) {
  const std::vector<CandidateSummary>& candidates = report.summary.candidates;
  CHECK(candidates.size() == report.plans.keep_pins.size(), "every candidate has a keep gene");
  std::vector<std::string> items;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const CandidateSummary& candidate = candidates[i];
    items.push_back(JsonObject()
                        .text("name", candidate.name)
                        .text("operator", candidate.producer)
                        .raw("shape", shape_json(candidate.shape))
                        .number("bytes", candidate.bytes)
                        .raw("read_by_backward", truth_text(candidate.read_by_backward))
                        .text("gene", gene_text(report.plans.keep_pins[i]))
                        .str());
  }
  return json_list(items, ",\n    ");
}

std::string parameters_json(const StepSummary& summary) {
  std::vector<std::string> items;
  for (const auto& parameter : summary.parameters)
    items.push_back(JsonObject()
                        .text("name", parameter.name)
                        .raw("shape", shape_json(parameter.shape))
                        .number("bytes", parameter.bytes)
                        .raw("trained", truth_text(parameter.trained))
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

std::string fusion_genes_json(const std::optional<FusionGenes>& genes) {
  if (!genes) return "null";
  return JsonObject()
      .number("free", genes->free)
      .number("pinned", genes->pinned)
      .number("max_group_length", genes->max_group_length)
      .str();
}

std::string plans_json(const PlanChoices& plans) {
  const KeepGenes keep = keep_genes(plans);
  std::vector<std::string> objectives;
  for (const std::string& objective : plans.objectives)
    objectives.push_back(json_string(objective));
  return JsonObject()
      .raw("objectives", json_list(objectives, ", "))
      .text("checkpointing", plans.checkpointing)
      .text("fusion", plans.fusion)
      .raw("keep_genes",
           JsonObject()
               .number("free", keep.free)
               .number("kept", keep.kept)
               .number("recomputed", keep.recomputed)
               .str())
      .raw("fusion_genes", fusion_genes_json(plans.fusion_genes))
      .str();
}

std::string memory_limit_json(Bytes limit, const problems::PlanMemory& need) {
  return JsonObject()
      .number("bytes", limit)
      .raw("resident_fits", truth_text(need.resident <= limit))
      .raw("keep_all_fits", truth_text(need.keep_all_peak <= limit))
      .str();
}

}  // namespace

std::string_view phase_name(evaluator::Phase phase) {
  switch (phase) {
    case evaluator::Phase::Forward:
      return "forward";
    case evaluator::Phase::Backward:
      return "backward";
    case evaluator::Phase::Update:
      return "update";
  }
  CHECK(false, "a phase without a name");
}

KeepGenes keep_genes(const PlanChoices& plans) {
  KeepGenes genes;
  for (const std::optional<bool>& pin : plans.keep_pins)
    ++(!pin ? genes.free : *pin ? genes.kept : genes.recomputed);
  return genes;
}

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
            .number("needed_bytes", report.need.keep_all_peak)
            .str());
  add("memory",
      JsonObject()
          .number("resident_bytes", report.need.resident)
          .number("keep_all_bytes", report.need.keep_all_peak)
          .str());
  if (report.memory_limit)
    add("memory_limit", memory_limit_json(*report.memory_limit, report.need));
  add("plans", plans_json(report.plans));
  add("candidates", candidates_json(report));
  add("parameter_list", parameters_json(summary));
  add("recognised", recognised_json(summary));
  add("unsupported", unsupported_json(report));
  add("warnings", warnings_json(report));
  return text + "\n}\n";
}

}  // namespace paretrain::results
