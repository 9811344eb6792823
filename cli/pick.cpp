#include "cli/pick.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "cli/front_argument.h"
#include "cli/text_table.h"
#include "results/front_file.h"
#include "results/json_text.h"
#include "results/knee.h"
#include "results/plan_table.h"

namespace paretrain::cli {

namespace {

constexpr std::array<const char*, 3> kNames{"latency", "energy", "memory"};

results::ObjectivePoint point_of(const results::FrontPoint& point) {
  return {point.latency, point.energy, point.memory_bytes};
}

struct Limits {
  std::array<std::optional<double>, 3> most;
  std::string text;  // for people; empty without limits

  [[nodiscard]] bool admit(const results::ObjectivePoint& point) const {
    for (std::size_t k = 0; k < point.size(); ++k)
      if (most[k] && point[k] > *most[k]) return false;
    return true;
  }
};

Limits limits_of(const Options& options) {
  Limits limits;
  if (options.has("latency")) limits.most[0] = options.real("latency");
  if (options.has("energy")) limits.most[1] = options.real("energy");
  if (options.has("memory")) limits.most[2] = static_cast<double>(options.bytes("memory"));
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    if (!limits.most[k]) continue;
    if (!limits.text.empty()) limits.text += ", ";
    limits.text += std::string(kNames[k]) + " up to " + results::energy_text(*limits.most[k]);
  }
  return limits;
}

struct PickedPlan {
  std::size_t index = 0;
  std::string reason;
};

// The least of one objective; ties by the others in order, then by the first plan.
std::size_t least(const std::vector<results::ObjectivePoint>& points, std::size_t objective) {
  const auto key = [&](const results::ObjectivePoint& point) {
    results::ObjectivePoint ordered = point;
    std::rotate(ordered.begin(),
                ordered.begin() + static_cast<std::ptrdiff_t>(objective),
                ordered.begin() + static_cast<std::ptrdiff_t>(objective) + 1);
    return ordered;
  };
  return static_cast<std::size_t>(std::ranges::min_element(points, {}, key) - points.begin());
}

// With limits but no wish: the fastest of what they admit. Without either: the knee.
PickedPlan chosen(const Options& options,
                  const std::vector<results::ObjectivePoint>& points,
                  const Limits& limits) {
  const std::string among = "of the " + number_text(static_cast<std::int64_t>(points.size())) +
                            " plans" + (limits.text.empty() ? "" : " with " + limits.text);
  if (options.has("min")) {
    const std::string wish = options.text("min");
    const auto* const found = std::ranges::find(kNames, wish);
    return {least(points, static_cast<std::size_t>(found - kNames.begin())),
            "the least " + wish + " " + among};
  }
  if (options.flag("knee") || limits.text.empty()) {
    return {*results::knee(points),
            "the knee, nearest to the best of every objective at once, " + among};
  }
  return {least(points, 0), "the fastest " + among};
}

std::string picked_text(const results::FrontFile& front,
                        const results::FrontPoint& point,
                        const std::string& reason) {
  return "plan " + printable(point.plan) + ": " + reason + "\n  latency      " +
         results::energy_text(point.latency) + " " + printable(front.latency_unit) +
         "\n  energy       " + results::energy_text(point.energy) + " " +
         printable(front.energy_unit) + "\n  peak memory  " +
         results::energy_text(point.memory_bytes) + " bytes\n" +
         (point.genome.empty() ? "" : "  genome       " + printable(point.genome) + "\n");
}

std::string picked_json(const results::FrontFile& front,
                        const results::FrontPoint& point,
                        const std::string& reason) {
  return "{\"schema\": \"paretrain-pick-1\", \"plan\": " + results::json_string(point.plan) +
         ", \"reason\": " + results::json_string(reason) + ", " +
         results::json_string("latency_" + front.latency_unit) + ": " +
         results::json_number(point.latency) + ", " +
         results::json_string("energy_" + front.energy_unit) + ": " +
         results::json_number(point.energy) +
         ", \"peak_memory_bytes\": " + results::json_number(point.memory_bytes) +
         ", \"genome\": " + results::json_string(point.genome) + "}\n";
}

// What would do: the smallest value of every objective in the whole front.
std::string smallest_text(const results::FrontFile& front) {
  results::ObjectivePoint low = point_of(front.points.front());
  for (const results::FrontPoint& point : front.points)
    for (std::size_t k = 0; k < low.size(); ++k)
      low[k] = std::min(low[k], point_of(point)[k]);
  return "the least latency of the front is " + results::energy_text(low[0]) +
         ", the least energy " + results::energy_text(low[1]) + ", the smallest memory " +
         results::energy_text(low[2]) + " bytes";
}

}  // namespace

CommandSyntax pick_syntax() {
  constexpr double kMost = 1e300;
  return {
      .name = "pick",
      .usage = "pick DIR [--memory SIZE] [--latency X] [--energy X] [--knee] [--min WHAT]",
      .description =
          "Chooses a plan of a front and says why: among the plans within the limits the "
          "knee, or the least of one objective. With limits alone the fastest plan, "
          "without anything the knee.",
      .positionals = {{"DIR", "the folder of a run, or a front as CSV"}},
      .groups = {{"Limits (in the units of the front)",
                  {{"memory", "SIZE", SizeRange{0, INT64_MAX}, "most peak memory"},
                   {"latency", "X", RealRange{0, kMost}, "most latency"},
                   {"energy", "X", RealRange{0, kMost}, "most energy"}}},
                 {"Wish",
                  {{"knee", "", Flag{}, "the plan nearest to the best of every objective"},
                   {"min", "WHAT", Choice{{"latency", "energy", "memory"}}, "the least of this"}}},
                 output_option_group()},
      .examples = {"paretrain pick runs/first --memory 64MiB",
                   "paretrain pick runs/first --memory 64MiB --min energy --json"}};
}

int run_pick(const Options& options, Terminal& terminal) {
  if (options.flag("knee") && options.has("min"))
    throw InputError(Problem{"--knee", "cannot be had together with --min", ""});
  const std::string name = options.positional("DIR");
  const FrontArgument argument = front_argument(name, terminal);
  const results::FrontFile& front = argument.front;
  if (front.points.empty()) {
    terminal.error(argument.file + ": holds no plan: nothing was feasible");
    return kNothingFeasible;
  }
  const Limits limits = limits_of(options);
  std::vector<results::ObjectivePoint> points;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < front.points.size(); ++row) {
    if (!limits.admit(point_of(front.points[row]))) continue;
    points.push_back(point_of(front.points[row]));
    rows.push_back(row);
  }
  if (points.empty()) {
    terminal.error(argument.file + ": no plan with " + limits.text + "; " + smallest_text(front));
    return kNothingFeasible;
  }
  const PickedPlan choice = chosen(options, points, limits);
  const results::FrontPoint& point = front.points[rows[choice.index]];
  terminal.data(options.flag("json") ? picked_json(front, point, choice.reason)
                                     : picked_text(front, point, choice.reason));
  return kDone;
}

}  // namespace paretrain::cli
