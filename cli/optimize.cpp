#include "cli/optimize.h"

#include "base/error.h"
#include "cli/plan_run.h"
#include "cli/search_run.h"

namespace paretrain::cli {

CommandSyntax optimize_syntax() {
  CommandSyntax syntax{
      .name = "optimize",
      .usage = "optimize MODEL --accelerator A -o DIR [options]",
      .description =
          "Searches the plans of one training step that are Pareto-optimal in latency, energy and "
          "peak memory, writes them to DIR, and prints them against the baselines with the "
          "smallest feasible memory.",
      .positionals =
          {{"MODEL",
            "an .onnx file, a cost graph (.json; then no accelerator) or a built-in name "
            "(`paretrain list models`)"}},
      .groups = problem_option_groups(),
      .examples =
          {"paretrain optimize resnet18 --accelerator edge-tpu-quad -o runs/first",
           "paretrain optimize net.onnx --batch 8 --accelerator chip.yaml --memory-limit 64MiB -o "
           "runs/net"},
      .notes = {"DIR gets manifest.json, front.csv, baselines.csv, history.csv, pareto.svg, "
                "report.html, snapshot and snapshot.previous. The first SIGINT, SIGTERM or SIGHUP "
                "ends the search after the generation at hand with everything saved, SIGUSR1 too "
                "(exit code 0); the second ends it at once. `paretrain resume DIR` goes on."}};
  syntax.groups.push_back(search_option_group());
  syntax.groups.push_back(stop_option_group());
  syntax.groups.push_back(machine_option_group());
  syntax.groups.push_back(run_option_group());
  syntax.groups.push_back(output_option_group());
  return syntax;
}

int run_optimize(const Options& options, Terminal& terminal) {
  if (!options.has("output"))
    throw InputError(Problem{"--output", "is missing; expected -o DIR, the folder to write", ""});
  const std::string folder = options.text("output");
  const auto replace = options.flag("force") ? results::Replace::Allow : results::Replace::Refuse;
  results::check_run_folder(folder, replace);
  PlanRun run(run_request("optimize", options));
  run.print_warnings(terminal);
  const results::RunFolder run_folder = results::RunFolder::created(folder, replace);
  return run_search(run,
                    run_folder,
                    std::nullopt,
                    options.flag("json") ? OutcomeFormat::Json : OutcomeFormat::Text,
                    terminal);
}

}  // namespace paretrain::cli
