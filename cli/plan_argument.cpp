#include "cli/plan_argument.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/printable_text.h"
#include "problems/json_file.h"
#include "problems/named_plans.h"
#include "results/front_file.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGenomePrefix = "genome:";
constexpr std::string_view kSchema = "paretrain-plan-1";

std::string without_blank_ends(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// The text of the genome that a plan file holds.
std::string genome_text(const std::string& content, const std::string& file) {
  const std::string bare = without_blank_ends(content);
  if (!bare.starts_with('{')) return bare;
  const problems::JsonValue document = problems::parsed_json(content, file);
  for (const problems::JsonMember* const member : problems::repeated_members(document)) {
    throw InputError(Problem{file + ":" + std::to_string(member->line),
                             "the key '" + printable(member->key) + "' is given twice",
                             ""});
  }
  std::string genome;
  std::string schema;
  for (const problems::JsonMember& member : document.members) {
    if (member.value.kind != problems::JsonKind::Text) continue;
    if (member.key == "genome") genome = member.value.text;
    if (member.key == "schema") schema = member.value.text;
  }
  if (schema != kSchema) {
    throw InputError(Problem{file,
                             "is no plan file: its `schema` is '" + printable(schema) +
                                 "'; expected '" + std::string(kSchema) + "'",
                             ""});
  }
  if (genome.empty()) throw InputError(Problem{file, "has no text under the key `genome`", ""});
  return genome;
}

// The genome of a row of a run's tables.
std::string genome_of_row(const fs::path& folder, const std::string& id, const std::string& text) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw InputError(Problem{
        text,
        "is no plan: neither a named plan nor a file, and " + folder.string() + " is no folder",
        "named plans: keep-all, recompute-all, every-K, greedy-memory, each also with +greedy; or "
        "genome:TEXT, a plan file, DIR:ID"});
  }
  bool has_tables = false;
  for (const char* const file : {"front.csv", "baselines.csv"}) {
    if (!fs::exists(folder / file, ignored)) continue;
    has_tables = true;
    const results::FrontFile front = results::read_front(folder / file);
    const auto found = std::ranges::find(front.points, id, &results::FrontPoint::plan);
    if (found != front.points.end()) return found->genome;
  }
  if (!has_tables) {
    throw InputError(
        Problem{folder.string(), "holds no results; expected the folder of a run", ""});
  }
  throw InputError(Problem{folder.string(),
                           "has no plan '" + printable(id) + "'",
                           "plans are numbered in " + (folder / "front.csv").string()});
}

}  // namespace

problems::Genome plan_of_file(const problems::PlanProblem& problem, const std::string& file) {
  return problem.parsed(genome_text(problems::read_text_file(file), file), file);
}

PlanArgument plan_argument(const problems::PlanProblem& problem, const std::string& text) {
  if (text.starts_with(kGenomePrefix))
    return {"genome", problem.parsed(text.substr(kGenomePrefix.size()), "genome")};
  if (const auto named = problems::named_plan(problem, text)) return {text, *named};
  std::error_code ignored;
  const bool is_folder = fs::is_directory(text, ignored);
  if (!is_folder && fs::exists(text, ignored)) return {text, plan_of_file(problem, text)};
  if (is_folder) {
    throw InputError(Problem{text,
                             "is a folder; expected a plan",
                             "DIR:ID is plan ID of the run in DIR, as in " +
                                 (fs::path(text) / "").parent_path().string() + ":0"});
  }
  const std::size_t colon = text.rfind(':');
  const std::string folder = text.substr(0, colon);
  const std::string id = colon == std::string::npos ? "" : text.substr(colon + 1);
  return {text, problem.parsed(genome_of_row(folder, id, text), text)};
}

}  // namespace paretrain::cli
