#include "cli/bench.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/search_options.h"
#include "cli/stop_signals.h"
#include "engine/archive.h"
#include "engine/hypervolume.h"
#include "engine/non_dominated_ranks.h"
#include "engine/search.h"
#include "problems/bench_problem.h"
#include "results/csv.h"
#include "results/json_text.h"
#include "results/run_folder.h"

namespace paretrain::cli {

namespace {

using engine::Individuals;
using results::json_number;
using results::json_string;

struct BenchRun {
  problems::BenchProblem problem;
  SearchOptions search;
  engine::SearchOptions engine;
  bool from_population = false;
  results::MachineSummary machine;
  std::vector<engine::GenerationReport> history;
  Individuals front;
  engine::SearchStatistics statistics;
  std::optional<double> least_violation;  // of the last population, when there is no front
  std::string status = "running";
  std::string stop;
};

engine::BitCrossover bit_crossover(const std::string& name) {
  if (name == "one-point") return engine::BitCrossover::OnePoint;
  return name == "uniform" ? engine::BitCrossover::Uniform : engine::BitCrossover::TwoPoint;
}

engine::TieRule tie_rule(const std::string& name) {
  if (name == "last") return engine::TieRule::CopiesLast;
  return name == "compete" ? engine::TieRule::CopiesCompete : engine::TieRule::CopiesWorse;
}

engine::SearchOptions engine_options(const Options& options,
                                     const SearchOptions& search,
                                     const problems::BenchProblem& problem) {
  engine::SearchOptions result;
  result.population = static_cast<std::size_t>(search.population);
  result.seed = search.seed;
  result.threads = search.threads;
  if (options.has("local-search")) result.local_search = options.real("local-search");
  result.keep_equal = static_cast<std::size_t>(search.keep_equal);
  result.variation.crossover_probability = search.crossover;
  result.variation.mutated_genes = search.mutation;
  if (search.run_mutation) result.variation.run_mutation = *search.run_mutation;
  result.variation.bit_crossover = bit_crossover(options.text("bit-crossover"));
  result.selection.ties = tie_rule(options.text("copies"));
  if (options.text("crowding") == "once") result.selection.crowding = engine::Crowding::Once;
  result.hypervolume = engine::HypervolumeOptions{.reference = problem.reference, .unit = 1};
  result.stop.generations = static_cast<std::uint64_t>(search.generations);
  if (search.max_evaluations)
    result.stop.evaluations = static_cast<std::uint64_t>(*search.max_evaluations);
  result.stop.seconds = search.max_seconds;
  if (search.patience) result.stop.patience = static_cast<std::uint64_t>(*search.patience);
  return result;
}

double natural(const BenchRun& run, std::size_t objective, double value) {
  return run.problem.maximised[objective] != 0 ? 0 - value : value;
}

std::vector<double> natural_row(const BenchRun& run, std::span<const double> objectives) {
  std::vector<double> row;
  for (std::size_t k = 0; k < objectives.size(); ++k)
    row.push_back(natural(run, k, objectives[k]));
  return row;
}

// What the population alone holds, without the archive's memory.
Individuals population_front(const BenchRun& run, const engine::SearchState& state) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < state.population.size(); ++row) {
    if (state.population.violations[row] == 0) rows.push_back(static_cast<std::uint32_t>(row));
  }
  Individuals feasible = state.population;
  feasible.keep(rows);
  const engine::Problem& problem = *run.problem.problem;
  engine::NonDominatedRanks sorter;
  const auto ranks = sorter.ranks(feasible.objectives, feasible.objective_count);
  rows.clear();
  for (std::size_t row = 0; row < ranks.size(); ++row) {
    if (ranks[row] == 0) rows.push_back(static_cast<std::uint32_t>(row));
  }
  Individuals front{.words_per_genome = feasible.words_per_genome,
                    .objective_count = feasible.objective_count};
  engine::ArchiveUpdate(problem, run.engine.keep_equal).add(front, feasible, rows);
  return front;
}

std::optional<double> least_violation(const BenchRun& run, const engine::SearchState& state) {
  const std::vector<double>& violations = state.population.violations;
  if (run.front.size() > 0 || violations.empty()) return std::nullopt;
  return *std::min_element(violations.begin(), violations.end());
}

std::string front_csv(const BenchRun& run) {
  const engine::Problem& problem = *run.problem.problem;
  std::vector<std::uint32_t> order(run.front.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return natural_row(run, run.front.objectives_of(a)) <
           natural_row(run, run.front.objectives_of(b));
  });
  std::vector<std::string> header{"plan"};
  for (const std::string& name : problem.objective_names())
    header.push_back(name);
  header.emplace_back("genome");
  std::string text = results::csv_row(header);
  for (std::size_t plan = 0; plan < order.size(); ++plan) {
    std::vector<std::string> cells{std::to_string(plan)};
    for (const double value : natural_row(run, run.front.objectives_of(order[plan])))
      cells.push_back(number_text(value));
    cells.push_back(problems::genome_text(problem.layout(), run.front.genome(order[plan])));
    text += results::csv_row(cells);
  }
  return text;
}

std::string count_text(std::uint64_t count) {
  return number_text(static_cast<std::int64_t>(count));
}

std::string history_csv(const BenchRun& run) {
  std::vector<std::string> header{
      "generation", "evaluations", "front", "hypervolume", "infeasible"};
  for (const std::string& name : run.problem.problem->objective_names())
    header.push_back("best_" + name);
  std::string text = results::csv_row(header);
  for (const engine::GenerationReport& report : run.history) {
    std::vector<std::string> cells{count_text(report.generation),
                                   count_text(report.evaluations),
                                   count_text(report.front),
                                   report.hypervolume ? number_text(*report.hypervolume) : "",
                                   count_text(report.infeasible)};
    for (std::size_t k = 0; k + 5 < header.size(); ++k)
      cells.push_back(report.best.empty() ? "" : number_text(natural(run, k, report.best[k])));
    text += results::csv_row(cells);
  }
  return text;
}

double volume_of(const BenchRun& run) {
  engine::Hypervolume hypervolume;
  return hypervolume.volume(run.front.objectives, run.problem.reference);
}

// How many points of the exact front were found.
std::size_t exact_points_found(const BenchRun& run) {
  std::set<std::vector<double>> found;
  for (std::size_t row = 0; row < run.front.size(); ++row) {
    const std::span<const double> point = run.front.objectives_of(row);
    if (run.problem.front->contains(point)) found.emplace(point.begin(), point.end());
  }
  return found.size();
}

template <class Value, class Text>
std::string json_list(const std::vector<Value>& values, const Text& text_of) {
  std::string text = "[";
  for (const Value& value : values)
    text += (text.size() > 1 ? ", " : "") + text_of(value);
  return text + "]";
}

std::string problem_json(const BenchRun& run) {
  std::string text = "{\"name\": " + json_string(run.problem.name);
  text += ", \"genes\": " + count_text(run.problem.problem->layout().genes());
  text += ", \"objectives\": " + json_list(run.problem.problem->objective_names(), json_string);
  text += ", \"maximised\": " + json_list(run.problem.maximised, [](char value) {
            return std::string(value != 0 ? "true" : "false");
          });
  if (run.problem.front) {
    text += ", \"exact_front\": {\"points\": " + count_text(run.problem.front->points);
    text += ", \"found\": " + count_text(exact_points_found(run));
    if (run.problem.front->hypervolume)
      text += ", \"hypervolume\": " + json_number(*run.problem.front->hypervolume);
    text += "}";
  }
  return text + "}";
}

std::string manifest_json(const BenchRun& run) {
  const std::uint64_t generation = run.history.empty() ? 0 : run.history.back().generation;
  std::string text = "{\n  \"schema\": \"paretrain-bench-1\",\n  \"command\": \"bench\",\n";
  text += "  \"status\": " + json_string(run.status) + ",\n";
  text += "  \"stop\": " + json_string(run.stop) + ",\n";
  text += "  \"problem\": " + problem_json(run) + ",\n";
  text += "  \"seed\": " + json_string(std::to_string(run.search.seed)) + ",\n";
  text += "  \"population\": " + number_text(run.search.population) + ",\n";
  text += "  \"generation\": " + count_text(generation) + ",\n";
  text += "  \"evaluations\": " + count_text(run.statistics.evaluations) + ",\n";
  text +=
      "  \"infeasible_evaluations\": " + count_text(run.statistics.infeasible_evaluations) + ",\n";
  text += "  \"not_finite\": " + count_text(run.statistics.not_finite) + ",\n";
  text += "  \"cache_hits\": " + count_text(run.statistics.cache_hits) + ",\n";
  text += "  \"duplicates\": " + count_text(run.statistics.duplicates) + ",\n";
  text += "  \"local_search\": " +
          json_number(engine::local_search_share(run.engine, run.problem.problem->layout())) +
          ",\n";
  text += "  \"result\": " + json_string(run.from_population ? "population" : "archive") + ",\n";
  text += "  \"front\": " + count_text(run.front.size()) + ",\n";
  if (run.least_violation)
    text += "  \"least_violation\": " + json_number(*run.least_violation) + ",\n";
  text += "  \"hypervolume\": {\"reference_point\": " +
          json_list(natural_row(run, run.problem.reference), json_number) +
          ", \"front\": " + json_number(volume_of(run)) + "},\n";
  text += "  \"machine\": {\"host\": " + json_string(run.machine.host) +
          ", \"started\": " + json_string(run.machine.started) +
          ", \"finished\": " + json_string(run.machine.finished) +
          ", \"seconds\": " + json_number(run.machine.seconds) +
          ", \"threads\": " + number_text(run.machine.threads) +
          ", \"processors\": " + number_text(run.machine.processors) + "}\n";
  return text + "}\n";
}

std::string summary_text(const BenchRun& run) {
  std::string text = run.problem.name + ": " + count_text(run.front.size()) +
                     (run.front.size() == 1 ? " point, " : " points, ");
  if (run.problem.front) {
    text += count_text(exact_points_found(run)) + " of the " +
            count_text(run.problem.front->points) + " of the exact front, ";
  }
  text += "hypervolume " + number_text(volume_of(run));
  if (run.problem.front && run.problem.front->hypervolume)
    text += " of " + number_text(*run.problem.front->hypervolume);
  return text + "\n" + grouped_text(static_cast<std::int64_t>(run.statistics.evaluations)) +
         " evaluations, " + grouped_text(static_cast<std::int64_t>(run.statistics.cache_hits)) +
         " cache hits, " + grouped_text(static_cast<std::int64_t>(run.statistics.duplicates)) +
         " duplicates changed\n";
}

StopRequest searched(BenchRun& run, Terminal& terminal) {
  const StopSignals signals;
  engine::Search search(*run.problem.problem, run.engine);
  Progress progress(terminal, run.search);
  search.start({});
  run.history.push_back(search.report());
  progress.begin(search.report());
  while (!search.stop_reason() && StopSignals::request() == StopRequest::None) {
    search.step();
    run.history.push_back(search.report());
    progress.show(run.history.back());
  }
  progress.finish(run.history.back());
  run.statistics = search.state().statistics;
  run.front = run.from_population ? population_front(run, search.state()) : search.state().archive;
  run.least_violation = least_violation(run, search.state());
  const auto reason = search.stop_reason();
  run.stop = reason ? engine::description(*reason) : "stopped by a signal";
  run.status = !reason ? "interrupted" : run.front.size() == 0 ? "infeasible" : "finished";
  return reason ? StopRequest::None : StopSignals::request();
}

OptionGroup operator_group() {
  return {"Operators",
          {{"bit-crossover",
            "KIND",
            Choice{{"two-point", "one-point", "uniform"}},
            "how bits of two parents are mixed",
            "two-point"},
           {"copies",
            "RULE",
            Choice{{"worse", "last", "compete"}},
            "where genomes with the objectives of another one stand: behind all first ones, "
            "behind those of the front that is cut, or nowhere special",
            "worse"},
           {"crowding",
            "KIND",
            Choice{{"updated", "once"}},
            "measured again after each removal, or once",
            "updated"},
           {"result",
            "FROM",
            Choice{{"archive", "population"}},
            "front.csv from everything ever seen, or from the last population alone",
            "archive"}}};
}

OptionGroup without(OptionGroup group, const std::vector<std::string>& names) {
  std::erase_if(group.options, [&](const Option& option) {
    return std::find(names.begin(), names.end(), option.name) != names.end();
  });
  return group;
}

}  // namespace

CommandSyntax bench_syntax() {
  CommandSyntax syntax{
      .name = "bench",
      .usage = "bench PROBLEM -o DIR [options]",
      .description =
          "Runs the search engine on a problem of the literature whose front is known, and writes "
          "front.csv (plan, f1, f2, ..., genome; natural values), history.csv and manifest.json "
          "(which objectives are maximised, how many points of the exact front were found).",
      .positionals = {{"PROBLEM", std::string(problems::bench_problem_forms())}},
      .groups = {without(search_option_group(), {"no-warm-start", "reference"}),
                 operator_group(),
                 stop_option_group(),
                 without(machine_option_group(), {"snapshot-every"}),
                 run_option_group(),
                 output_option_group()},
      .examples = {"paretrain bench lotz:60 -o runs/lotz",
                   "paretrain bench zdt1 --local-search 0 --result population -o runs/zdt1"},
      .notes = {"There is no snapshot and no resuming: SIGINT, SIGTERM and SIGHUP end the run with "
                "everything found so far written, a killed run leaves nothing but manifest.json, "
                "whose status stays 'running'."}};
  for (Option& option : syntax.groups.front().options) {
    if (option.name != "local-search") continue;
    option.default_text.clear();
    option.description += "; default: 0.2, for reals only 0";
  }
  return syntax;
}

int run_bench(const Options& options, Terminal& terminal) {
  if (!options.has("output"))
    throw InputError(Problem{"--output", "is missing; expected -o DIR, the folder to write", ""});
  const auto started = std::chrono::steady_clock::now();
  const std::string path = options.text("output");
  const auto replace = options.flag("force") ? results::Replace::Allow : results::Replace::Refuse;
  results::check_run_folder(path, replace);
  BenchRun run;
  run.problem = problems::bench_problem(options.positional("PROBLEM"));
  run.search = search_options(options);
  run.engine = engine_options(options, run.search, run.problem);
  run.from_population = options.text("result") == "population";
  const results::RunFolder folder = results::RunFolder::created(path, replace);
  run.machine = machine_summary(run.search.threads);
  run.front.objective_count = run.problem.reference.size();
  folder.write("manifest.json", manifest_json(run));
  const StopRequest request = searched(run, terminal);
  folder.write("history.csv", history_csv(run));
  folder.write("front.csv", front_csv(run));
  run.machine.finished = time_text();
  run.machine.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  folder.write("manifest.json", manifest_json(run));
  terminal.data(options.flag("json") ? manifest_json(run) : summary_text(run));
  terminal.message("stop: " + run.stop + "\nwrote " + path);
  if (request != StopRequest::None) return exit_code(request);
  if (run.front.size() > 0) return kDone;
  terminal.error(std::string(run.from_population ? "nothing feasible is in the last population"
                                                 : "nothing feasible was found") +
                 (run.least_violation ? "; the least violation found is " +
                                            number_text(*run.least_violation) + " (0: feasible)"
                                      : std::string()));
  return kNothingFeasible;
}

}  // namespace paretrain::cli
