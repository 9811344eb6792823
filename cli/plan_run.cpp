#include "cli/plan_run.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "engine/hypervolume.h"
#include "engine/parallel_for.h"
#include "engine/thread_team.h"

namespace paretrain::cli {

namespace {

bool is_word(const std::string& name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
}

std::vector<double> checked_reference(const RunRequest& request) {
  const std::vector<double>& reference = request.search.reference;
  const std::size_t count = request.problem.plan.objectives.size();
  if (!reference.empty() && reference.size() != count) {
    throw InputError(Problem{
        "--reference",
        number_text(static_cast<std::int64_t>(reference.size())) + " numbers found; expected " +
            number_text(static_cast<std::int64_t>(count)) + ", one per objective",
        ""});
  }
  return reference;
}

double product(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 1.0, std::multiplies<>());
}

}  // namespace

std::vector<results::OptionValues> stored_options(const Options& options) {
  std::vector<results::OptionValues> stored;
  for (const auto& [name, values] : options.values())
    stored.push_back({name, values});
  for (const auto& [name, values] : options.words())
    stored.push_back({name, values});
  std::ranges::sort(stored, {}, &results::OptionValues::name);
  return stored;
}

bool is_of_one_run(std::string_view option) {
  static constexpr std::array<std::string_view, 8> kNames{
      "threads", "log-generations", "quiet", "json", "output", "force", "config", "print-config"};
  return std::ranges::find(kNames, option) != kNames.end();
}

results::RunIdentity lasting_identity(results::RunIdentity identity) {
  std::erase_if(identity.options,
                [](const results::OptionValues& option) { return is_of_one_run(option.name); });
  std::erase_if(identity.given, is_of_one_run);
  std::ranges::sort(identity.given);
  return identity;
}

Options restored_options(const std::vector<results::OptionValues>& stored,
                         std::vector<std::string> given) {
  Options::Values values;
  Options::Values words;
  for (const results::OptionValues& option : stored) {
    if (is_word(option.name)) {
      words[option.name] = option.values;
    } else {
      values[option.name] = option.values;
    }
  }
  return {std::move(values), std::move(words), std::move(given)};
}

RunRequest run_request(const std::string& command, const Options& options) {
  RunRequest request{command,
                     problem_options(options),
                     search_options(options),
                     stored_options(options),
                     options.given()};
  if (!options.has("fusion")) {
    // `enumerate`: all genomes of a cost graph; of a network, those of the keep genes.
    request.problem.plan.fusion = is_cost_graph(request.problem.model) ? "search" : "none";
  }
  return request;
}

PlanRun::PlanRun(RunRequest request)
    : request_(std::move(request)),
      loaded_(loaded_problem(request_.problem)),
      space_(search_space(loaded_.plans(), request_.problem.plan)),
      search_problem_(loaded_.plans(), space_, request_.problem.plan.objectives),
      reference_(checked_reference(request_)) {
  identity_.command = request_.command;
  identity_.program_version = PARETRAIN_VERSION;
  identity_.options = request_.options;
  identity_.given = request_.given;
  identity_.inputs = loaded_.inputs;
  identity_.problem_fingerprint = plans().fingerprint();
  identity_.space_fingerprint = space_.fingerprint();
  identity_.objectives = search_problem_.objective_names();
}

std::vector<double> PlanRun::objectives(const problems::PlanEvaluation& evaluation) const {
  std::vector<double> values;
  for (const PlanObjective objective : request_.problem.plan.objectives)
    values.push_back(problems::objective_value(evaluation, objective));
  return values;
}

// One plan after another, but threads work out the groups of each together.
void PlanRun::work_out_baselines() {
  engine::ThreadTeam team(request_.search.threads);
  engine::parallel_for(1, team, [this](std::size_t) {
    baselines_ = problems::baselines(plans(), space_);
    evaluate_baselines();
  });
}

void PlanRun::work_out_starts() {
  if (!request_.search.warm_start) return work_out_baselines();
  engine::ThreadTeam team(request_.search.threads);
  engine::parallel_for(1, team, [this](std::size_t) {
    problems::StartPlans start = problems::start_plans(plans(), space_);
    baselines_ = std::move(start.baselines);
    other_starts_ = std::move(start.others);
    walked_halves_ = start.halves;
    evaluate_baselines();
  });
}

void PlanRun::evaluate_baselines() {
  std::vector<double> worst;
  for (const problems::NamedPlan& plan : baselines_) {
    const problems::PlanEvaluation evaluation = plans().evaluate(plan.genome);
    baseline_rows_.push_back({plan.name, evaluation, plans().text(plan.genome)});
    const std::vector<double> values = objectives(evaluation);
    if (worst.empty()) worst = values;
    for (std::size_t k = 0; k < values.size(); ++k)
      worst[k] = std::max(worst[k], values[k]);
  }
  CHECK(!worst.empty(), "there is always a baseline");
  if (!reference_.empty()) return;
  for (const double value : worst)
    reference_.push_back(value + 1);
}

engine::SearchOptions PlanRun::engine_options() const {
  const SearchOptions& search = request_.search;
  engine::SearchOptions options;
  options.population = static_cast<std::size_t>(search.population);
  options.seed = search.seed;
  if (search.crossover) options.variation.crossover_probability = *search.crossover;
  if (search.mutation) options.variation.mutated_genes = *search.mutation;
  if (search.run_mutation) options.variation.run_mutation = *search.run_mutation;
  options.local_search = search.local_search;
  options.keep_equal = static_cast<std::size_t>(search.keep_equal);
  options.hypervolume = engine::HypervolumeOptions{reference_, product(reference_)};
  options.stop.generations = static_cast<std::uint64_t>(search.generations);
  if (search.max_evaluations)
    options.stop.evaluations = static_cast<std::uint64_t>(*search.max_evaluations);
  options.stop.seconds = search.max_seconds;
  if (search.patience) options.stop.patience = static_cast<std::uint64_t>(*search.patience);
  options.threads = search.threads;
  return options;
}

// Chance fills the other half of the population.
std::size_t PlanRun::warm_others() const {
  const auto half = static_cast<std::size_t>(request_.search.population) / 2;
  const std::size_t room = half > baselines_.size() ? half - baselines_.size() : 0;
  return std::min(room, other_starts_.size());
}

std::vector<engine::Genome> PlanRun::warm_genomes() const {
  std::vector<engine::Genome> genomes;
  if (!request_.search.warm_start) return genomes;
  for (const problems::NamedPlan& plan : baselines_)
    genomes.push_back(search_problem_.free_bits(plan.genome));
  for (std::size_t i = 0; i < warm_others(); ++i)
    genomes.push_back(search_problem_.free_bits(other_starts_[i]));
  return genomes;
}

std::vector<engine::Genome> PlanRun::offered_genomes() const {
  std::vector<engine::Genome> genomes;
  if (!request_.search.warm_start) return genomes;
  for (std::size_t i = warm_others(); i < other_starts_.size(); ++i)
    genomes.push_back(search_problem_.free_bits(other_starts_[i]));
  return genomes;
}

std::vector<results::PlanRow> PlanRun::front_rows(const engine::Individuals& archive) const {
  std::vector<results::PlanRow> rows;
  for (std::size_t row = 0; row < archive.size(); ++row) {
    const problems::Genome genome = search_problem_.genome(archive.genome(row));
    rows.push_back({number_text(static_cast<std::int64_t>(row)),
                    plans().evaluate(genome),
                    plans().text(genome)});
  }
  return rows;
}

double PlanRun::hypervolume(const std::vector<results::PlanRow>& rows) const {
  std::vector<double> points;
  for (const results::PlanRow& row : rows) {
    if (row.evaluation.violation_bytes > 0) continue;
    const std::vector<double> values = objectives(row.evaluation);
    points.insert(points.end(), values.begin(), values.end());
  }
  return engine::Hypervolume().volume(points, reference_) / product(reference_);
}

results::HistoryColumns PlanRun::history_columns() const {
  const results::ObjectiveColumns columns = results::objective_columns(plans().units());
  results::HistoryColumns history;
  history.names = {columns.latency, columns.energy, columns.memory};
  const std::vector<std::string>& names = search_problem_.objective_names();
  for (const std::string& name : history.names) {
    const auto found = std::ranges::find(names, name);
    history.objective_of.push_back(
        found == names.end()
            ? std::nullopt
            : std::optional<std::size_t>(static_cast<std::size_t>(found - names.begin())));
  }
  return history;
}

results::RunManifest PlanRun::manifest() const {
  results::RunManifest manifest;
  manifest.identity = identity_;
  manifest.problem.name = plans().name();
  manifest.problem.genes = static_cast<std::int64_t>(plans().gene_count());
  manifest.problem.keep_genes = static_cast<std::int64_t>(plans().keep_gene_count());
  manifest.problem.fusion_genes = static_cast<std::int64_t>(plans().fusion_gene_count());
  manifest.problem.free_genes = static_cast<std::int64_t>(space_.free_gene_count());
  for (const std::string& warning : loaded_.warnings)
    results::add_warning(manifest.warnings, warning);
  return manifest;
}

void PlanRun::print_warnings(Terminal& terminal) const {
  for (const results::CountedWarning& warning : manifest().warnings) {
    terminal.warning(warning.count == 1
                         ? warning.text
                         : warning.text + " (" + grouped_text(warning.count) + " times)");
  }
}

}  // namespace paretrain::cli
