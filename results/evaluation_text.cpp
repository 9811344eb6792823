#include "results/evaluation_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/number_text.h"
#include "results/json_text.h"

namespace paretrain::results {

namespace {

constexpr std::array<const char*, evaluator::kMemoryRoleCount> kRoleNames = {
    "parameters", "gradients", "optimizer_state", "activations", "inputs", "other"};
constexpr std::size_t kListed = 12;
constexpr std::size_t kNameWidth = 44;

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
  object.raw("saved",
             Object()
                 .count(latency, group.saving.latency)
                 .real(energy, group.saving.energy)
                 .count("offchip_bytes", group.saving.offchip_bytes)
                 .str());
  if (!group.detail) return object.str();
  object.count("inner_tiles", group.detail->inner_tiles)
      .text("axis", group.detail->axis)
      .text("split", group.detail->split)
      .raw("energy", energy_json(group.detail->energy));
  object.raw("busy_cycles",
             list(group.detail->resources, ", ", [](const evaluator::ResourceUse& use) {
               return Object().text("resource", use.name).count("cycles", use.busy_cycles).str();
             }));
  if (group.simulation)
    object.raw("simulated",
               Object()
                   .count(latency, group.simulation->latency)
                   .real(energy, group.simulation->energy.total())
                   .count("offchip_bytes", group.simulation->offchip_bytes)
                   .str());
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
  for (std::size_t role = 0; role < kRoleNames.size(); ++role)
    roles.count(kRoleNames[role], report.peak_by_role[role]);
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

constexpr double kMillisecondsPerSecond = 1e3;
constexpr double kPicojoulesPerMillijoule = 1e9;

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
    object
        .real(
            "latency_ms",
            static_cast<double>(report.totals.latency) / *report.clock_hz * kMillisecondsPerSecond)
        .real("energy_mj", report.totals.energy / kPicojoulesPerMillijoule);
  if (report.memory_limit_bytes) object.count("memory_limit_bytes", *report.memory_limit_bytes);
  object.count("violation_bytes", report.totals.violation_bytes)
      .count("offchip_bytes", report.totals.offchip_bytes)
      .count("recompute_macs", report.totals.recompute_work)
      .count("recomputed", report.totals.recomputed);
  if (report.energy) object.raw("energy", energy_json(*report.energy));
  object.raw("peak", peak_json(report));
  object.raw("groups", list(report.groups, ",\n    ", [&](const EvaluatedGroup& group) {
               return group_json(report, group);
             }));
  object.raw("recomputed_tensors",
             list(report.recomputed, ",\n    ", [&](const RecomputedTensor& tensor) {
               return recomputed_json(report, tensor);
             }));
  return object.str() + "\n";
}

namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
  text.resize(width, ' ');
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

// Four digits that matter.
std::string short_number(double number) {
  std::array<char, 32> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.4g", number);
  return {buffer.data(), static_cast<std::size_t>(std::max(0, length))};
}

std::string line(const std::string& name, const std::string& value) {
  return "  " + padded(name, 20) + value + "\n";
}

std::string totals_text(const EvaluationReport& report) {
  std::string text = report.problem + ", plan " + report.plan + "\n\n";
  std::string latency = grouped_text(report.totals.latency) + " " + report.units.latency;
  std::string energy = short_number(report.totals.energy) + " " + report.units.energy;
  if (report.clock_hz) {
    latency += "  (" +
               short_number(static_cast<double>(report.totals.latency) / *report.clock_hz *
                            kMillisecondsPerSecond) +
               " ms)";
    energy += "  (" + short_number(report.totals.energy / kPicojoulesPerMillijoule) + " mJ)";
  }
  text += line("latency", latency) + line("energy", energy);
  text += line("peak memory", grouped_text(report.totals.peak_bytes) + " bytes");
  if (report.totals.violation_bytes > 0)
    text += line("over the limit", grouped_text(report.totals.violation_bytes) + " bytes");
  text += line("off-chip traffic", grouped_text(report.totals.offchip_bytes) + " bytes");
  text += line("recompute",
               grouped_text(report.totals.recompute_work) + " MACs, " +
                   grouped_text(report.totals.recomputed) + " tensors");
  text += line("groups", grouped_text(report.totals.groups));
  if (report.energy) {
    text += "\nEnergy in " + report.units.energy + "\n";
    text += line("compute", short_number(report.energy->compute));
    text += line("on chip", short_number(report.energy->on_chip));
    text += line("off chip", short_number(report.energy->off_chip));
    text += line("links", short_number(report.energy->links));
  }
  return text;
}

// How far the model's latency is from the simulator's, group by group.
double deviation(const EvaluatedGroup& group) {
  const auto simulated = static_cast<double>(group.simulation->latency);
  // The model counts every micro-batch, the simulation one.
  const auto times = static_cast<double>(group.detail->repetitions);
  return static_cast<double>(group.cost.latency) / times / std::max(1.0, simulated) - 1;
}

std::string simulation_text(const EvaluationReport& report) {
  std::vector<double> sizes;
  std::int64_t latency = 0;
  for (const EvaluatedGroup& group : report.groups) {
    if (!group.simulation) return "";
    sizes.push_back(std::abs(deviation(group)));
    latency += group.simulation->latency * group.detail->repetitions;
  }
  if (sizes.empty()) return "";
  std::ranges::sort(sizes);
  std::string text = "\nSimulated tile by tile\n";
  text += line("latency", grouped_text(latency) + " " + report.units.latency);
  text += line("groups differ by",
               short_number(100 * sizes[sizes.size() / 2]) + " % (median), " +
                   short_number(100 * sizes.back()) + " % (most)");
  return text;
}

std::string peak_text(const EvaluationReport& report) {
  std::string text = "\nPeak at step " + grouped_text(static_cast<std::int64_t>(report.peak_step)) +
                     ", " + report.peak_operator + "; bytes by role\n";
  for (std::size_t role = 0; role < kRoleNames.size(); ++role)
    text += "  " + padded(kRoleNames[role], 20) +
            right(grouped_text(report.peak_by_role[role]), 16) + "\n";
  text += "\nLargest tensors at the peak, bytes\n";
  for (std::size_t i = 0; i < std::min(kListed, report.peak_tensors.size()); ++i) {
    const PeakTensor& tensor = report.peak_tensors[i];
    text += "  " + padded(tensor.name, kNameWidth) + right(grouped_text(tensor.bytes), 14) + "  " +
            tensor.role + (tensor.recomputed ? ", recomputed" : "") + "\n";
  }
  return text;
}

std::string fused_text(const EvaluationReport& report) {
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < report.groups.size(); ++g)
    if (report.groups[g].operators.size() > 1) order.push_back(g);
  if (order.empty()) return "";
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t g) {
    return report.groups[g].saving.latency;
  });
  std::string text = "\nWhat fusing saved, against the same operators one by one\n  " +
                     padded("group (first .. last operator)", kNameWidth) + "  ops" +
                     right(report.units.latency, 14) + right(report.units.energy, 12) +
                     right("bytes", 14) + "\n";
  for (std::size_t i = 0; i < std::min(kListed, order.size()); ++i) {
    const EvaluatedGroup& group = report.groups[order[i]];
    text += "  " + padded(group.operators.front() + " .. " + group.operators.back(), kNameWidth) +
            right(number_text(static_cast<std::int64_t>(group.operators.size())), 5) +
            right(grouped_text(group.saving.latency), 14) +
            right(short_number(group.saving.energy), 12) +
            right(grouped_text(group.saving.offchip_bytes), 14) + "\n";
  }
  if (order.size() > kListed)
    text += "  and " + number_text(static_cast<std::int64_t>(order.size() - kListed)) + " more\n";
  return text;
}

std::string recomputed_text(const EvaluationReport& report) {
  if (report.recomputed.empty()) return "";
  std::vector<std::size_t> order(report.recomputed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) {
    return report.recomputed[i].freed_at_peak_bytes;
  });
  std::string text = "\nRecomputed tensors: bytes freed at the peak, and what it costs\n  " +
                     padded("tensor", kNameWidth) + right("bytes", 14) +
                     right(report.units.latency, 14) + right(report.units.energy, 12) + "\n";
  for (std::size_t i = 0; i < std::min(kListed, order.size()); ++i) {
    const RecomputedTensor& tensor = report.recomputed[order[i]];
    text += "  " + padded(tensor.name, kNameWidth) +
            right(grouped_text(tensor.freed_at_peak_bytes), 14) +
            right(grouped_text(tensor.latency_paid), 14) +
            right(short_number(tensor.energy_paid), 12) + "\n";
  }
  if (order.size() > kListed)
    text += "  and " + number_text(static_cast<std::int64_t>(order.size() - kListed)) + " more\n";
  return text;
}

std::string slowest_text(const EvaluationReport& report) {
  std::vector<std::size_t> order(report.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, std::ranges::greater{}, [&](std::size_t g) { return report.groups[g].cost.latency; });
  std::string text = "\nSlowest groups\n  " + padded("group (first .. last operator)", kNameWidth) +
                     right("tiles", 7) + right(report.units.latency, 14) +
                     right(report.units.energy, 12) + right("bytes", 14) + "\n";
  for (std::size_t i = 0; i < std::min(kListed, order.size()); ++i) {
    const EvaluatedGroup& group = report.groups[order[i]];
    const std::string name = group.operators.size() == 1
                                 ? group.operators.front()
                                 : group.operators.front() + " .. " + group.operators.back();
    text += "  " + padded(name, kNameWidth) +
            right(number_text(group.detail ? group.detail->tiles * group.detail->inner_tiles
                                           : std::int64_t{1}),
                  7) +
            right(grouped_text(group.cost.latency), 14) +
            right(short_number(group.cost.energy), 12) +
            right(grouped_text(group.cost.offchip_bytes), 14) + "\n";
  }
  return text;
}

}  // namespace

std::string evaluation_page(const EvaluationReport& report) {
  return totals_text(report) + simulation_text(report) + peak_text(report) + slowest_text(report) +
         fused_text(report) + recomputed_text(report) + "\ngenome " + report.genome + "\n";
}

}  // namespace paretrain::results
