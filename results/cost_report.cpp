#include "results/cost_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/number_text.h"
#include "results/json_text.h"

namespace paretrain::results {

namespace {

using evaluator::Core;
using evaluator::CoreCost;
using evaluator::Direction;
using evaluator::LevelTraffic;
using evaluator::MappedCost;
using evaluator::NestOperand;
using evaluator::OperandLevel;
using evaluator::SpatialLoop;
using evaluator::TemporalLoop;

constexpr std::array<const char*, evaluator::kNestOperandCount> kOperandNames = {"O", "W", "I"};

struct NamedDirection {
  Direction direction;
  const char* name;
};

constexpr std::array<NamedDirection, evaluator::kDirectionCount> kDirections = {
    {{Direction::ReadToLow, "rd_to_low"},
     {Direction::WriteFromLow, "wr_from_low"},
     {Direction::ReadToHigh, "rd_to_high"},
     {Direction::WriteFromHigh, "wr_from_high"}}};

double energy_of(const LevelTraffic& traffic) {
  double sum = 0;
  for (const double energy : traffic.energy_pj)
    sum += energy;
  return sum;
}

std::string quoted_number(const std::string& key, double number) {
  return json_string(key) + ": " + json_number(number);
}

std::string cycles_json(const CoreCost& cost) {
  return "{" + quoted_number("ideal", cost.ideal_cycles) + ", " +
         quoted_number("spatial", cost.spatial_cycles) + ", " +
         quoted_number("stall", cost.stall_cycles) + ", " +
         quoted_number("onload", cost.onload_cycles) + ", " +
         quoted_number("offload", cost.offload_cycles) + ", " +
         quoted_number("total", cost.total_cycles()) + "}";
}

std::string levels_json(const Core& core, const CoreCost& cost) {
  std::string members;
  for (std::size_t m = 0; m < core.memories.size(); ++m) {
    double sum = 0;
    bool used = false;
    for (const LevelTraffic& traffic : cost.traffic) {
      if (traffic.memory != m) continue;
      sum += energy_of(traffic);
      used = true;
    }
    if (!used) continue;
    members += (members.empty() ? "" : ", ") + quoted_number(core.memories[m].name, sum);
  }
  return "{" + members + "}";
}

std::string operands_json(const Core& core, const CoreCost& cost) {
  std::string members;
  for (const LevelTraffic& traffic : cost.traffic) {
    const std::string name = std::string(kOperandNames[static_cast<std::size_t>(traffic.operand)]) +
                             "@" + core.memories[traffic.memory].name;
    std::string directions;
    for (const NamedDirection& named : kDirections) {
      directions +=
          (directions.empty() ? "" : ", ") +
          quoted_number(named.name, traffic.energy_pj[static_cast<std::size_t>(named.direction)]);
    }
    members += (members.empty() ? "" : ", ") + json_string(name) + ": {" + directions + "}";
  }
  return "{" + members + "}";
}

std::string mapping_json(const Core& core, const MappedCost& mapped) {
  std::string spatial;
  for (const SpatialLoop& loop : mapped.mapping.spatial) {
    spatial += (spatial.empty() ? "" : ", ") + std::string("{\"axis\": ") +
               json_string("D" + std::to_string(loop.axis + 1)) +
               ", \"loop\": " + json_string(evaluator::loop_name(loop.loop)) + ", " +
               quoted_number("fractional", loop.fractional) + ", " +
               quoted_number("whole", loop.whole) + "}";
  }
  std::string levels;
  for (std::size_t o = 0; o < evaluator::kNestOperandCount; ++o) {
    if (mapped.mapping.levels[o].empty()) continue;
    std::string held;
    for (const OperandLevel& level : mapped.mapping.levels[o]) {
      held += (held.empty() ? "" : ", ") + std::string("{\"memory\": ") +
              json_string(core.memories[level.memory].name) +
              ", \"loops\": " + json_string(loops_text(level.loops)) + "}";
    }
    levels += (levels.empty() ? "" : ", ") + json_string(kOperandNames[o]) + ": [" + held + "]";
  }
  return "{\"spatial\": [" + spatial +
         "], \"order\": " + json_string(loops_text(mapped.mapping.order)) + ", \"levels\": {" +
         levels + "}, \"orders\": " + std::to_string(mapped.orders) + "}";
}

double utilization(const CoreCost& cost) {
  return cost.total_cycles() > 0 ? cost.ideal_cycles / cost.total_cycles() : 0;
}

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

// Thousands in groups; up to two decimals where there are any.
std::string readable(double number) {
  const double hundredths = std::round(number * 100);
  const auto whole = static_cast<std::int64_t>(std::trunc(hundredths / 100));
  std::string text = grouped_text(whole);
  const auto rest = static_cast<std::int64_t>(std::abs(hundredths)) % 100;
  if (rest == 0) return text;
  if (whole == 0 && hundredths < 0) text.insert(text.begin(), '-');
  text.push_back('.');
  text += std::to_string(rest / 10);
  if (rest % 10 != 0) text += std::to_string(rest % 10);
  return text;
}

std::string percent(double share) {
  const auto tenths = static_cast<std::int64_t>(std::llround(share * 1000));
  std::string text = std::to_string(tenths / 10);
  text.push_back('.');
  text += std::to_string(std::abs(tenths % 10));
  return text + " %";
}

void add_line(std::string& page, const std::string& name, double value, double total) {
  page += "  " + padded(name, 28) + right(readable(value), 20) +
          right(total > 0 ? percent(value / total) : "", 10) + "\n";
}

void add_cycles(std::string& page, const CoreCost& cost) {
  page += "cycles\n";
  const double total = cost.total_cycles();
  add_line(page, "ideal", cost.ideal_cycles, total);
  add_line(page, "spatial under-use", cost.spatial_cycles, total);
  add_line(page, "stall", cost.stall_cycles, total);
  add_line(page, "onload", cost.onload_cycles, total);
  add_line(page, "offload", cost.offload_cycles, total);
  add_line(page, "total", total, total);
}

void add_energy(std::string& page, const Core& core, const CoreCost& cost) {
  page += "energy, pJ\n";
  const double total = cost.total_energy_pj();
  add_line(page, "operations", cost.mac_energy_pj, total);
  for (const LevelTraffic& traffic : cost.traffic) {
    const std::string name = std::string(kOperandNames[static_cast<std::size_t>(traffic.operand)]) +
                             " at " + core.memories[traffic.memory].name;
    add_line(page, name, energy_of(traffic), total);
  }
  add_line(page, "total", total, total);
}

void add_mapping(std::string& page, const Core& core, const MappedCost& mapped) {
  page += "mapping\n  array                       ";
  if (mapped.mapping.spatial.empty()) page += " one unit";
  for (const SpatialLoop& loop : mapped.mapping.spatial) {
    page += " D" + std::to_string(loop.axis + 1) + "=" +
            std::string(evaluator::loop_name(loop.loop)) + ":" + number_text(loop.fractional);
  }
  page += "\n  temporal, inner to outer     " + loops_text(mapped.mapping.order) + "\n";
  for (std::size_t o = 0; o < evaluator::kNestOperandCount; ++o) {
    for (const OperandLevel& level : mapped.mapping.levels[o]) {
      const std::string loops = loops_text(level.loops);
      const std::string name =
          std::string(kOperandNames[o]) + " in " + core.memories[level.memory].name;
      page += "  " + padded(name, 29) + (loops.empty() ? "-" : loops) + "\n";
    }
  }
}

}  // namespace

std::string loops_text(std::span<const TemporalLoop> loops) {
  std::string text;
  for (const TemporalLoop& loop : loops) {
    text += (text.empty() ? "" : " ") + std::string(evaluator::loop_name(loop.loop)) + ":" +
            std::to_string(loop.size);
  }
  return text;
}

std::string cost_json_members(const Core& core, const MappedCost& mapped) {
  const CoreCost& cost = mapped.cost;
  return "\"cycles\": " + cycles_json(cost) + ", \"energy_pj\": {" +
         quoted_number("mac", cost.mac_energy_pj) + ", \"levels\": " + levels_json(core, cost) +
         ", \"operands\": " + operands_json(core, cost) + ", " +
         quoted_number("total", cost.total_energy_pj()) + "}, " +
         quoted_number("utilization", utilization(cost)) +
         ", \"mapping\": " + mapping_json(core, mapped);
}

std::string alternatives_json_member(std::span<const MappedCost> mappings) {
  std::string items;
  for (const MappedCost& mapped : mappings) {
    items += (items.empty() ? "" : ", ") + std::string("{") +
             quoted_number("cycles", mapped.cost.total_cycles()) + ", " +
             quoted_number("energy_pj", mapped.cost.total_energy_pj()) +
             ", \"order\": " + json_string(loops_text(mapped.mapping.order)) + "}";
  }
  return "\"alternatives\": [" + items + "]";
}

std::string cost_page(const Core& core, const MappedCost& mapped) {
  std::string page;
  add_cycles(page, mapped.cost);
  add_energy(page, core, mapped.cost);
  page += "utilization of the array        " + percent(utilization(mapped.cost)) + "\n";
  add_mapping(page, core, mapped);
  return page;
}

std::string alternatives_page(std::span<const MappedCost> mappings) {
  std::string page = "best orders, inner to outer\n";
  page += "  " + right("cycles", 16) + right("energy, pJ", 20) + "  order\n";
  for (const MappedCost& mapped : mappings) {
    page += "  " + right(readable(mapped.cost.total_cycles()), 16) +
            right(readable(mapped.cost.total_energy_pj()), 20) + "  " +
            loops_text(mapped.mapping.order) + "\n";
  }
  return page;
}

}  // namespace paretrain::results
