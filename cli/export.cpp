#include "cli/export.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "cli/front_argument.h"
#include "results/atomic_file.h"
#include "results/json_text.h"

namespace paretrain::cli {

namespace {

using results::json_number;
using results::json_string;

// The row of front.csv with that number, or of baselines.csv with that name.
const results::FrontPoint* found_point(const results::FrontFile& front, const std::string& id) {
  const auto found = std::ranges::find(front.points, id, &results::FrontPoint::plan);
  return found == front.points.end() ? nullptr : &*found;
}

std::string plan_json(const results::FrontFile& front, const results::FrontPoint& point) {
  return "{\n \"schema\": \"paretrain-plan-1\",\n \"plan\": " + json_string(point.plan) + ",\n " +
         json_string("latency_" + front.latency_unit) + ": " + json_number(point.latency) + ",\n " +
         json_string("energy_" + front.energy_unit) + ": " + json_number(point.energy) +
         ",\n \"peak_memory_bytes\": " + json_number(point.memory_bytes) +
         ",\n \"genome\": " + json_string(point.genome) + "\n}\n";
}

std::string plan_text(const std::string& name, const std::string& id, Terminal& terminal) {
  const FrontArgument argument = front_argument(name, terminal);
  results::FrontFile front = argument.front;
  const results::FrontPoint* point = found_point(front, id);
  const std::filesystem::path baselines = std::filesystem::path(name) / "baselines.csv";
  std::error_code ignored;
  if (point == nullptr && std::filesystem::exists(baselines, ignored)) {
    front = results::read_front(baselines);
    point = found_point(front, id);
  }
  if (point == nullptr)
    throw InputError(Problem{argument.file, "has no plan '" + printable(id) + "'", ""});
  if (point->genome.empty())
    throw InputError(Problem{argument.file, "has no genome of plan '" + printable(id) + "'", ""});
  return plan_json(front, *point);
}

}  // namespace

CommandSyntax export_syntax() {
  return {.name = "export",
          .usage = "export DIR --plan ID [--format plan] [-o FILE]",
          .description =
              "Writes a plan of a run for other programs, or to standard output without "
              "-o. The format `plan` is this program's own: `evaluate --plan FILE` and "
              "`--fusion FILE` read it.",
          .positionals = {{"DIR", "the folder of a run, or a front as CSV"}},
          .groups = {{"Export",
                      {{"plan", "ID", AnyText{}, "number of a plan, or name of a baseline"},
                       {"format",
                        "F",
                        Choice{{"plan", "torch", "perfetto", "stream", "onnx"}},
                        "kind of file; this build writes plan",
                        "plan"},
                       {"output", "FILE", AnyText{}, "file to write", "", false, "o"}}},
                     {"Output", {{"quiet", "", Flag{}, "no messages, only warnings and errors"}}}},
          .examples = {"paretrain export runs/first --plan 3 -o plan.json",
                       "paretrain export runs/first --plan keep-all+greedy"}};
}

int run_export(const Options& options, Terminal& terminal) {
  const std::string format = options.text("format");
  if (format != "plan") {
    throw InputError(
        Problem{"--format", "this build does not write '" + format + "'; expected plan", ""});
  }
  if (!options.has("plan"))
    throw InputError(Problem{"--plan", "is missing; expected a number of front.csv", ""});
  const std::string text = plan_text(options.positional("DIR"), options.text("plan"), terminal);
  if (!options.has("output")) {
    terminal.data(text);
    return kDone;
  }
  results::write_atomically(options.text("output"), text);
  terminal.message("wrote " + options.text("output"));
  return kDone;
}

}  // namespace paretrain::cli
