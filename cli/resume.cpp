#include "cli/resume.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/plan_run.h"
#include "cli/search_run.h"
#include "problems/json_file.h"
#include "results/manifest.h"
#include "results/run_snapshot.h"
#include "results/snapshot_files.h"

namespace paretrain::cli {

namespace {

// Stops and machine settings; nothing else may differ from the run's beginning.
bool may_change(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames{
      "generations", "max-evaluations", "max-seconds", "patience", "snapshot-every"};
  return is_of_one_run(name) || std::ranges::find(kNames, name) != kNames.end();
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += ", ";
    text += printable(value);
  }
  return text;
}

std::vector<std::string> stored_values(const std::vector<results::OptionValues>& stored,
                                       const std::string& name) {
  const auto found = std::ranges::find(stored, name, &results::OptionValues::name);
  return found == stored.end() ? std::vector<std::string>{} : found->values;
}

// What the run was begun with, with the stops and machine settings that are said now.
std::vector<results::OptionValues> merged_options(std::vector<results::OptionValues> stored,
                                                  const Options& said) {
  std::vector<Problem> problems;
  std::erase_if(stored, [](const results::OptionValues& one) { return is_of_one_run(one.name); });
  for (const auto& option : said.values()) {
    const std::string& name = option.first;
    const std::vector<std::string>& values = option.second;
    if (!is_of_one_run(name) && !said.is_given(name)) continue;
    if (!may_change(name)) {
      const std::vector<std::string> before = stored_values(stored, name);
      if (values == before) continue;
      problems.push_back({"--" + name,
                          "is " + joined(values) + "; the run was begun with " +
                              (before.empty() ? std::string("none") : joined(before)),
                          "only stops and machine settings may change"});
      continue;
    }
    std::erase_if(stored, [&](const results::OptionValues& one) { return one.name == name; });
    stored.push_back({name, values});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  std::ranges::sort(stored, {}, &results::OptionValues::name);
  return stored;
}

// Files are found again from any working folder.
void locate_inputs(std::vector<results::OptionValues>& options,
                   const std::vector<results::RunInput>& inputs) {
  for (const results::RunInput& input : inputs) {
    if (input.path.empty()) continue;
    for (results::OptionValues& option : options) {
      const bool names_input = option.name == "MODEL" || option.name == "accelerator" ||
                               option.name == "mapping" || option.name == "fusion";
      if (!names_input) continue;
      std::ranges::replace(option.values, input.name, input.path);
    }
  }
}

void check_inputs(const results::RunIdentity& before, const results::RunIdentity& now) {
  std::vector<Problem> problems;
  for (const results::RunInput& input : before.inputs) {
    const auto found = std::ranges::find(now.inputs, input.role, &results::RunInput::role);
    if (found != now.inputs.end() && found->content == input.content) continue;
    problems.push_back({input.path.empty() ? printable(input.name) : input.path,
                        "the " + input.role + " has changed since the run began",
                        "start a new run"});
  }
  const bool same_problem = before.problem_fingerprint == now.problem_fingerprint &&
                            before.space_fingerprint == now.space_fingerprint;
  if (problems.empty() && !same_problem) {
    problems.push_back({"the problem",
                        "this program (" + now.program_version +
                            ") makes another one of the same inputs than the one that began the "
                            "run (" +
                            printable(before.program_version) + ")",
                        "start a new run"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

// What the manifest of the run says; empty where it says nothing.
struct ManifestFacts {
  std::optional<std::uint64_t> resumptions;
  std::string problem_fingerprint;
};

ManifestFacts manifest_facts(const std::filesystem::path& file, Terminal& terminal) {
  ManifestFacts facts;
  try {
    const problems::JsonValue manifest =
        problems::parsed_json(problems::read_text_file(file), file.string());
    for (const problems::JsonMember& member : manifest.members) {
      if (member.key == "resumptions")
        if (const auto count = parsed_integer(member.value.text); count && *count >= 0)
          facts.resumptions = static_cast<std::uint64_t>(*count);
      if (member.key == "problem")
        for (const problems::JsonMember& part : member.value.members)
          if (part.key == "fingerprint") facts.problem_fingerprint = part.value.text;
    }
  } catch (const InputError& error) {
    terminal.warning(error.what());
  }
  if (!facts.resumptions)
    terminal.warning(file.string() + " does not say how often the run was resumed; counted anew");
  return facts;
}

// A snapshot that was copied here from another run would put its results in place of these.
void check_own_snapshot(const results::FoundSnapshot& found,
                        const std::filesystem::path& manifest,
                        const ManifestFacts& facts) {
  const std::string fingerprint =
      results::fingerprint_text(found.snapshot.identity.problem_fingerprint);
  if (facts.problem_fingerprint.empty() || facts.problem_fingerprint == fingerprint) return;
  throw InputError(Problem{found.path.string(),
                           "is of another problem (" + fingerprint + ") than " + manifest.string() +
                               " (" + printable(facts.problem_fingerprint) + ")",
                           "put back the snapshot of this run, or start a new run"});
}

}  // namespace

CommandSyntax resume_syntax() {
  CommandSyntax syntax{
      .name = "resume",
      .usage = "resume DIR [--generations N] [--threads T] …",
      .description =
          "Goes on where the run in DIR stopped or was killed, up to N generations in total. The "
          "files are the same, byte for byte, as if it had never stopped. Stops and machine "
          "settings may change; everything else is as it was, and what differs is refused by name. "
          "How the program runs (threads, messages) is not remembered.",
      .positionals = {{"DIR", "the folder of a run"}},
      .groups = {stop_option_group(), machine_option_group(), output_option_group()},
      .examples = {"paretrain resume runs/first",
                   "paretrain resume runs/first --generations 1000 --threads 8"}};
  for (OptionGroup& group : syntax.groups)  // without such an option the run's own value stays
    for (Option& option : group.options)
      if (!is_of_one_run(option.name)) option.default_text.clear();
  for (OptionGroup& group : problem_option_groups())
    syntax.groups.push_back({group.title + " (as the run was begun)", std::move(group.options)});
  syntax.groups.push_back(
      {"Search (as the run was begun)", std::move(search_option_group().options)});
  return syntax;
}

int run_resume(const Options& options, Terminal& terminal) {
  const results::RunFolder folder = results::RunFolder::opened(options.positional("DIR"));
  results::FoundSnapshot found = results::read_snapshot(folder.path());
  if (!found.warning.empty())
    terminal.warning(found.warning + "\nwarning: going on from " + found.path.string());
  const std::filesystem::path manifest = folder.path() / "manifest.json";
  const ManifestFacts facts = manifest_facts(manifest, terminal);
  check_own_snapshot(found, manifest, facts);
  std::vector<results::OptionValues> merged =
      merged_options(found.snapshot.identity.options, options);
  std::vector<results::OptionValues> located = merged;
  locate_inputs(located, found.snapshot.identity.inputs);
  RunRequest request = run_request(found.snapshot.identity.command,
                                   restored_options(located, found.snapshot.identity.given));
  request.options = std::move(merged);
  PlanRun run(std::move(request));
  check_inputs(found.snapshot.identity, run.identity());
  run.print_warnings(terminal);
  run.keep_inputs(found.snapshot.identity.inputs);
  return run_search(run,
                    folder,
                    ResumedRun{std::move(found.snapshot), facts.resumptions.value_or(0) + 1},
                    options.flag("json") ? OutcomeFormat::Json : OutcomeFormat::Text,
                    terminal);
}

}  // namespace paretrain::cli
