#include "results/evaluation_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "base/number_text.h"

namespace paretrain::results {

namespace {

constexpr std::size_t kListed = 12;
constexpr std::size_t kNameWidth = 44;

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
    latency += "  (" + short_number(latency_ms(report)) + " ms)";
    energy += "  (" + short_number(energy_mj(report)) + " mJ)";
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
  for (std::size_t role = 0; role < report.peak_by_role.size(); ++role)
    text += "  " + padded(role_name(static_cast<evaluator::MemoryRole>(role)), 20) +
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

std::string handed_over_text(const EvaluationReport& report) {
  if (!report.peak_without_hand_overs_bytes) return "";
  const HandedOver all = all_handed_over(report);
  std::string text = "\nHanded to the next group on chip\n";
  text += line("tensors",
               grouped_text(static_cast<std::int64_t>(all.tensors.size())) + ", " +
                   grouped_text(bytes_of(all)) + " bytes");
  text += line("saved latency", grouped_text(all.saving.latency) + " " + report.units.latency);
  text += line("saved energy", short_number(all.saving.energy) + " " + report.units.energy);
  text += line("saved traffic", grouped_text(all.saving.offchip_bytes) + " bytes");
  text += line(
      "saved peak",
      grouped_text(*report.peak_without_hand_overs_bytes - report.totals.peak_bytes) + " bytes");
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < report.groups.size(); ++g)
    if (!report.groups[g].handed_over->tensors.empty()) order.push_back(g);
  if (order.empty()) return text;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t g) {
    return report.groups[g].handed_over->saving.latency;
  });
  text += "\n  " + padded("largest tensor handed over", kNameWidth) +
          right(report.units.latency, 14) + right(report.units.energy, 12) + right("bytes", 14) +
          "  at\n";
  for (std::size_t i = 0; i < std::min(kListed, order.size()); ++i) {
    const HandedOver& handed = *report.groups[order[i]].handed_over;
    text += "  " + padded(handed.tensors.front().name, kNameWidth) +
            right(grouped_text(handed.saving.latency), 14) +
            right(short_number(handed.saving.energy), 12) +
            right(grouped_text(handed.saving.offchip_bytes), 14) + "  " +
            handed.tensors.front().place + "\n";
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
  if (report.recomputed_left_out > 0)
    text += "  and " + number_text(static_cast<std::int64_t>(report.recomputed_left_out)) +
            " smaller ones that were not worked out, for the plan is large\n";
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
         fused_text(report) + handed_over_text(report) + recomputed_text(report) + "\ngenome " +
         report.genome + "\n";
}

}  // namespace paretrain::results
