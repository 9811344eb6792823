#include "cli/describe_snapshot.h"

#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "results/json_text.h"
#include "results/snapshot_files.h"
#include "results/snapshot_frame.h"

namespace paretrain::cli {

namespace {

std::string count_text(std::uint64_t count) {
  return grouped_text(static_cast<std::int64_t>(count));
}

std::string line(const std::string& name, const std::string& value) {
  return name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + printable(value) + "\n";
}

std::string input_text(const results::RunInput& input) {
  return input.name + (input.path.empty() ? " (built in)" : " (" + input.path + ")") +
         ", XXH3-128 " + input.content;
}

std::string generation_text(const results::RunSnapshot& snapshot) {
  if (is_before_the_first(snapshot)) return "none: the limit of evaluations cut the first short";
  return count_text(snapshot.state.generation);
}

std::string description(const results::FoundSnapshot& found) {
  const results::RunSnapshot& snapshot = found.snapshot;
  const engine::SearchState& state = snapshot.state;
  std::string text = line("snapshot", found.path.string()) +
                     line("format", number_text(std::int64_t{results::kSnapshotFormat})) +
                     line("command", snapshot.identity.command) +
                     line("program", "paretrain " + snapshot.identity.program_version) +
                     line("generation", generation_text(snapshot)) +
                     line("evaluations", count_text(state.statistics.evaluations)) +
                     line("population", count_text(state.population.size())) +
                     line("front", count_text(state.archive.size()));
  if (!snapshot.history.empty() && snapshot.history.back().hypervolume)
    text += line("hypervolume", number_text(*snapshot.history.back().hypervolume));
  for (const std::string& objective : snapshot.identity.objectives)
    text += line("objective", objective);
  for (const results::RunInput& input : snapshot.identity.inputs)
    text += line(input.role, input_text(input));
  return text;
}

std::string key(const std::string& name, const std::string& value) {
  return results::json_string(name) + ": " + value;
}

std::string description_json(const results::FoundSnapshot& found) {
  const results::RunSnapshot& snapshot = found.snapshot;
  const engine::SearchState& state = snapshot.state;
  std::string text = "{\n " + key("schema", results::json_string("paretrain-snapshot-1")) + ",\n " +
                     key("path", results::json_string(found.path.string())) + ",\n " +
                     key("format", number_text(std::int64_t{results::kSnapshotFormat})) + ",\n " +
                     key("command", results::json_string(snapshot.identity.command)) + ",\n " +
                     key("generation", std::to_string(state.generation)) + ",\n " +
                     key("evaluations", std::to_string(state.statistics.evaluations)) + ",\n " +
                     key("population", std::to_string(state.population.size())) + ",\n " +
                     key("front", std::to_string(state.archive.size())) + ",\n " +
                     key("inputs", "[");
  for (const results::RunInput& input : snapshot.identity.inputs) {
    if (&input != &snapshot.identity.inputs.front()) text += ", ";
    text += "{" + key("role", results::json_string(input.role)) + ", " +
            key("name", results::json_string(input.name)) + ", " +
            key("path", results::json_string(input.path)) + ", " +
            key("xxh3_128", results::json_string(input.content)) + "}";
  }
  return text + "]\n}\n";
}

}  // namespace

CommandSyntax snapshot_syntax() {
  return {.name = "snapshot",
          .usage = "snapshot DIR|FILE",
          .description =
              "Checks a snapshot as a whole (frame, checksum, content) and describes it. "
              "Of a folder, the newest good one.",
          .positionals = {{"FILE", "the folder of a run, or a snapshot file"}},
          .groups = {output_option_group()},
          .examples = {"paretrain snapshot runs/first",
                       "paretrain snapshot runs/first/snapshot.previous --json"}};
}

int run_snapshot(const Options& options, Terminal& terminal) {
  const results::FoundSnapshot found = results::read_snapshot(options.positional("FILE"));
  if (!found.warning.empty()) terminal.warning(found.warning);
  terminal.data(options.flag("json") ? description_json(found) : description(found));
  return kDone;
}

}  // namespace paretrain::cli
