#include "results/inspect_page.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/check.h"
#include "base/number_text.h"

namespace paretrain::results {

namespace {

using evaluator::CandidateSummary;
using evaluator::StepSummary;

constexpr std::size_t kLargestCandidates = 12;
constexpr std::size_t kMostPins = 12;
constexpr std::size_t kNameWidth = 44;

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

// Which candidates --keep, --recompute and --checkpointing hold.
void add_pins(std::string& page, const InspectReport& report) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < report.summary.candidates.size(); ++i) {
    const std::optional<bool>& pin = report.plans.keep_pins[i];
    if (!pin || ++held > kMostPins) continue;
    page += std::string(*pin ? "    keep       " : "    recompute  ") +
            shortened(report.summary.candidates[i].name) + "\n";
  }
  if (held > kMostPins)
    page += "    … and " + grouped_text(static_cast<std::int64_t>(held - kMostPins)) +
            " more; --json lists all\n";
}

void add_plans(std::string& page, const InspectReport& report) {
  const PlanChoices& plans = report.plans;
  CHECK(plans.keep_pins.size() == report.summary.candidates.size(),
        "every candidate has a keep gene");
  std::string objectives;
  for (const std::string& objective : plans.objectives)
    objectives += (objectives.empty() ? "" : ", ") + objective;
  page += "\nPlans (what a search may choose)\n  minimised: " + objectives + "\n";
  const KeepGenes keep = keep_genes(plans);
  add_line(page, "free keep genes", keep.free);
  add_line(page, "held at keep", keep.kept);
  add_line(page, "held at recompute", keep.recomputed);
  add_pins(page, report);
  if (!plans.fusion_genes) {
    page += "  fusion genes: only with --accelerator, which decides what can fuse\n";
    return;
  }
  add_line(page, "free fusion genes", plans.fusion_genes->free);
  add_line(page, "held fusion genes", plans.fusion_genes->pinned);
  add_line(page, "operators in a group, at most", plans.fusion_genes->max_group_length);
}

// Whether some plan that the options leave recomputes or fuses something.
bool may_change(const PlanChoices& plans) {
  const KeepGenes keep = keep_genes(plans);
  if (keep.free > 0 || keep.recomputed > 0) return true;
  if (plans.fusion == "none") return false;
  const std::optional<FusionGenes>& genes = plans.fusion_genes;
  return !genes || genes->free > 0 || genes->pinned > 0;
}

std::string_view verdict(const problems::PlanMemory& need,
                         const PlanChoices& plans,
                         Bytes capacity) {
  if (need.resident > capacity)
    return "  no plan fits: what is alive during the whole step is larger\n";
  if (need.keep_all_peak <= capacity) return "  fits\n";
  return may_change(plans) ? "  does not fit; recomputing or fusing may make it fit\n"
                           : "  no plan fits: nothing may be recomputed or fused\n";
}

void add_fit(std::string& page,
             std::string_view capacity_name,
             Bytes capacity,
             const InspectReport& report) {
  const problems::PlanMemory& need = report.need;
  add_line(page, std::string(capacity_name), capacity.number());
  add_line(page, "alive during the whole step", need.resident.number());
  add_line(page, "needed with everything kept", need.keep_all_peak.number());
  page += verdict(need, report.plans, capacity);
}

void add_fits(std::string& page, const InspectReport& report) {
  if (report.memory) {
    page += "\nOn " + report.memory->accelerator + "\n";
    add_fit(page, "off-chip memory", report.memory->capacity, report);
  }
  if (report.memory_limit) {
    page += "\nUnder --memory-limit\n";
    add_fit(page, "limit", *report.memory_limit, report);
  }
}

}  // namespace

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
  add_plans(page, report);
  add_fits(page, report);
  return page;
}

}  // namespace paretrain::results
