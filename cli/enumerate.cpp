#include "cli/enumerate.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/number_text.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/plan_run.h"
#include "cli/run_outputs.h"
#include "engine/enumeration.h"

namespace paretrain::cli {

namespace {

// With all genes fixed there is one genome, which the engine need not look for.
engine::Enumeration single_genome(const PlanRun& run) {
  engine::Enumeration result;
  const problems::Genome genome = run.space().projected(run.plans().keep_all());
  const problems::PlanEvaluation evaluation = run.plans().evaluate(genome);
  result.genomes = 1;
  result.canonical_genomes = 1;
  result.front.words_per_genome = 0;
  result.front.objective_count = run.request().problem.plan.objectives.size();
  if (evaluation.violation_bytes == 0) {
    result.front.append({}, run.objectives(evaluation), 0);
    result.worst = run.objectives(evaluation);
    result.genomes_per_point = {1};
  } else {
    result.infeasible = 1;
  }
  return result;
}

engine::Enumeration every_genome(const PlanRun& run) {
  if (run.space().free_gene_count() == 0) return single_genome(run);
  engine::EnumerationOptions options;
  options.keep_equal = static_cast<std::size_t>(run.request().search.keep_equal);
  options.threads = run.request().search.threads;
  return engine::enumeration(run.search_problem(), options);
}

RunOutcome outcome_of(const PlanRun& run, const engine::Enumeration& truth) {
  RunOutcome outcome;
  outcome.front = run.front_rows(truth.front);
  engine::GenerationReport report;
  report.evaluations = truth.canonical_genomes;
  report.front = outcome.front.size();
  report.infeasible = truth.infeasible;
  report.hypervolume = run.hypervolume(outcome.front);
  for (const results::PlanRow& row : outcome.front) {
    const std::vector<double> values = run.objectives(row.evaluation);
    if (report.best.empty()) report.best = values;
    for (std::size_t k = 0; k < values.size(); ++k)
      report.best[k] = std::min(report.best[k], values[k]);
  }
  outcome.history = {report};
  if (outcome.front.empty()) {
    std::int64_t least = run.baseline_rows().front().evaluation.peak_bytes;
    for (const results::PlanRow& row : run.baseline_rows())
      least = std::min(least, row.evaluation.peak_bytes);
    outcome.least_infeasible_bytes = least;
  }
  return outcome;
}

results::RunManifest manifest_of(const PlanRun& run,
                                 const engine::Enumeration& truth,
                                 const RunOutcome& outcome) {
  results::RunManifest manifest = run.manifest();
  manifest.machine = machine_summary(run.request().search.threads);
  manifest.statistics.evaluations = truth.canonical_genomes;
  manifest.statistics.infeasible_evaluations = truth.infeasible;
  manifest.statistics.not_finite = truth.not_finite;
  manifest.genomes = truth.genomes;
  manifest.canonical_genomes = truth.canonical_genomes;
  manifest.status =
      outcome.front.empty() ? results::RunStatus::Infeasible : results::RunStatus::Done;
  manifest.stop = "every genome has been evaluated: the front is exact";
  complete_manifest(manifest, run, outcome);
  return manifest;
}

}  // namespace

CommandSyntax enumerate_syntax() {
  CommandSyntax syntax{
      .name = "enumerate",
      .usage = "enumerate MODEL --accelerator A -o DIR [options]",
      .description =
          "Evaluates every genome of a small problem and writes the exact front and the "
          "number of genomes. For a network: all keep/recompute genes, with the fusion "
          "that --fusion fixes (none by default). For a cost graph: every canonical "
          "genome with its fusion genes (--fusion search by default). More than 2^28 "
          "genomes are refused.",
      .positionals =
          {{"MODEL",
            "an .onnx file, a cost graph (.json; then no accelerator) or a built-in name"}},
      .groups = problem_option_groups(),
      .examples = {
          "paretrain enumerate chain.json -o runs/truth",
          "paretrain enumerate chain.json --objectives latency,memory --count-gradients off "
          "-o runs/two"}};
  for (Option& option : syntax.groups.back().options)
    if (option.name == "fusion") option.default_text.clear();
  syntax.groups.push_back(
      {"Enumeration",
       {{"keep-equal", "K", IntegerRange{1, 1'000'000}, "genomes kept per point of the front", "1"},
        {"reference",
         "A,B[,C]",
         AnyText{},
         "reference point of the hypervolume; default: per objective the worst "
         "baseline + 1"},
        {"threads", "T", IntegerRange{0, 4096}, "0: all cores", "0"}}});
  syntax.groups.push_back(run_option_group());
  syntax.groups.push_back(output_option_group());
  return syntax;
}

int run_enumerate(const Options& options, Terminal& terminal) {
  if (!options.has("output"))
    throw InputError(Problem{"--output", "is missing; expected -o DIR, the folder to write", ""});
  const auto started = std::chrono::steady_clock::now();
  const std::string folder = options.text("output");
  const auto replace = options.flag("force") ? results::Replace::Allow : results::Replace::Refuse;
  results::check_run_folder(folder, replace);
  PlanRun run(run_request("enumerate", options));
  run.print_warnings(terminal);
  const engine::Enumeration truth = every_genome(run);
  const results::RunFolder run_folder = results::RunFolder::created(folder, replace);
  run.work_out_baselines();
  const RunOutcome outcome = outcome_of(run, truth);
  results::RunManifest manifest = manifest_of(run, truth, outcome);
  warn_of_reference(manifest, run, terminal);
  write_tables(run_folder, run, outcome);
  write_pictures(run_folder, run, manifest, outcome);
  manifest.machine.finished = time_text();
  manifest.machine.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  run_folder.write("manifest.json", results::manifest_json(manifest));
  if (options.flag("json")) {
    terminal.data(results::manifest_json(manifest));
  } else {
    terminal.data(outcome_text(run, manifest, outcome));
  }
  terminal.message(
      "genomes: " + grouped_text(static_cast<std::int64_t>(truth.genomes)) + ", canonical: " +
      grouped_text(static_cast<std::int64_t>(truth.canonical_genomes)) + "\nwrote " + folder);
  if (!outcome.front.empty()) return kDone;
  terminal.error("nothing feasible; the smallest memory of a baseline is " +
                 number_text(*manifest.smallest_memory_bytes) + " bytes");
  return kNothingFeasible;
}

}  // namespace paretrain::cli
