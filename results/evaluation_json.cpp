#include "results/evaluation_json.h"

#include "base/number_text.h"
#include "results/json_text.h"

namespace paretrain::results {

namespace {

// Members of a JSON object in the order they are added.
class Object {
 public:
  Object& raw(const std::string& key, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + json_string(key) + ": " + value;
    return *this;
  }

  Object& text(const std::string& key, const std::string& value) {
    return raw(key, json_string(value));
  }

  Object& count(const std::string& key, std::int64_t value) { return raw(key, number_text(value)); }

  Object& real(const std::string& key, double value) { return raw(key, json_number(value)); }

  [[nodiscard]] std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

template <class Items, class Text>
std::string list(const Items& items, const std::string& separator, Text&& text) {
  std::string result;
  for (const auto& item : items)
    result += (result.empty() ? "" : separator) + text(item);
  return "[" + result + "]";
}

std::string energy_json(const evaluator::EnergyBreakdown& energy) {
  return Object()
      .real("compute", energy.compute)
      .real("on_chip", energy.on_chip)
      .real("off_chip", energy.off_chip)
      .real("links", energy.links)
      .str();
}

std::string saving_json(const EvaluationReport& report, const GroupSaving& saving) {
  return Object()
      .count("latency_" + report.units.latency, saving.latency)
      .real("energy_" + report.units.energy, saving.energy)
      .count("offchip_bytes", saving.offchip_bytes)
      .str();
}

std::string handed_over_json(const EvaluationReport& report, const HandedOver& handed) {
  return Object()
      .raw("tensors",
           list(handed.tensors,
                ", ",
                [](const HandedTensor& tensor) {
                  return Object()
                      .text("name", tensor.name)
                      .count("bytes", tensor.bytes)
                      .text("place", tensor.place)
                      .str();
                }))
      .raw("saved", saving_json(report, handed.saving))
      .str();
}

std::string hand_overs_json(const EvaluationReport& report) {
  const HandedOver all = all_handed_over(report);
  return Object()
      .count("tensors", static_cast<std::int64_t>(all.tensors.size()))
      .count("bytes", bytes_of(all))
      .raw("saved", saving_json(report, all.saving))
      .count("saved_peak_memory_bytes",
             *report.peak_without_hand_overs_bytes - report.totals.peak_bytes)
      .str();
}

std::string group_json(const EvaluationReport& report, const EvaluatedGroup& group) {
  const std::string latency = "latency_" + report.units.latency;
  const std::string energy = "energy_" + report.units.energy;
  Object object;
  object.raw("operators", list(group.operators, ", ", [](const std::string& name) {
               return json_string(name);
             }));
  object.text("phase", group.phase)
      .count("tiles", group.detail ? group.detail->tiles : 1)
      .count(latency, group.cost.latency)
      .real(energy, group.cost.energy)
      .count("offchip_bytes", group.cost.offchip_bytes)
      .count("alive_bytes", group.alive_bytes);
  object.raw("saved", saving_json(report, group.saving));
  if (group.handed_over) object.raw("handed_over", handed_over_json(report, *group.handed_over));
  if (!group.detail) return object.str();
  object.count("inner_tiles", group.detail->inner_tiles)
      .text("axis", group.detail->axis)
      .text("split", group.detail->split)
      .raw("energy", energy_json(group.detail->energy));
  object.raw("busy_cycles",
             list(group.detail->resources, ", ", [](const evaluator::ResourceUse& use) {
               return Object().text("resource", use.name).count("cycles", use.busy_cycles).str();
             }));
  if (group.simulation) {
    // One micro-batch is played; everything else here counts all of them.
    const std::int64_t times = group.detail->repetitions;
    object.raw("simulated",
               Object()
                   .count(latency, group.simulation->latency * times)
                   .real(energy, group.simulation->energy.total() * static_cast<double>(times))
                   .count("offchip_bytes", group.simulation->offchip_bytes * times)
                   .str());
  }
  return object.str();
}

std::string recomputed_json(const EvaluationReport& report, const RecomputedTensor& tensor) {
  return Object()
      .text("name", tensor.name)
      .count("bytes", tensor.bytes)
      .count("freed_at_peak_bytes", tensor.freed_at_peak_bytes)
      .count("peak_if_kept_bytes", tensor.peak_if_kept_bytes)
      .count("latency_paid_" + report.units.latency, tensor.latency_paid)
      .real("energy_paid_" + report.units.energy, tensor.energy_paid)
      .str();
}

std::string peak_json(const EvaluationReport& report) {
  Object roles;
  for (std::size_t role = 0; role < report.peak_by_role.size(); ++role)
    roles.count(role_name(static_cast<evaluator::MemoryRole>(role)), report.peak_by_role[role]);
  return Object()
      .count("step", static_cast<std::int64_t>(report.peak_step))
      .text("operator", report.peak_operator)
      .raw("by_role", roles.str())
      .raw("tensors",
           list(report.peak_tensors,
                ",\n    ",
                [](const PeakTensor& tensor) {
                  return Object()
                      .text("name", tensor.name)
                      .text("role", tensor.role)
                      .count("bytes", tensor.bytes)
                      .raw("recomputed", tensor.recomputed ? "true" : "false")
                      .str();
                }))
      .str();
}

}  // namespace

std::string evaluation_json(const EvaluationReport& report) {
  Object object;
  object.text("schema", "paretrain-evaluation-1")
      .text("problem", report.problem)
      .text("plan", report.plan)
      .text("genome", report.genome)
      .count("latency_" + report.units.latency, report.totals.latency)
      .real("energy_" + report.units.energy, report.totals.energy)
      .count("peak_memory_bytes", report.totals.peak_bytes);
  if (report.clock_hz)
    object.real("latency_ms", latency_ms(report)).real("energy_mj", energy_mj(report));
  if (report.memory_limit_bytes) object.count("memory_limit_bytes", *report.memory_limit_bytes);
  object.count("violation_bytes", report.totals.violation_bytes)
      .count("offchip_bytes", report.totals.offchip_bytes)
      .count("recompute_macs", report.totals.recompute_work)
      .count("recomputed", report.totals.recomputed);
  if (report.energy) object.raw("energy", energy_json(*report.energy));
  if (report.peak_without_hand_overs_bytes) object.raw("handed_over", hand_overs_json(report));
  object.raw("peak", peak_json(report));
  object.raw("groups", list(report.groups, ",\n    ", [&](const EvaluatedGroup& group) {
               return group_json(report, group);
             }));
  object.raw("recomputed_tensors",
             list(report.recomputed, ",\n    ", [&](const RecomputedTensor& tensor) {
               return recomputed_json(report, tensor);
             }));
  object.count("recomputed_tensors_left_out",
               static_cast<std::int64_t>(report.recomputed_left_out));
  return object.str() + "\n";
}

}  // namespace paretrain::results
