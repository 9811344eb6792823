#include "cli/search_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/number_text.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/run_outputs.h"
#include "cli/snapshot_keeper.h"
#include "cli/stop_signals.h"

namespace paretrain::cli {

namespace {

class SearchRun {
 public:
  SearchRun(PlanRun& run,
            const results::RunFolder& folder,
            std::optional<ResumedRun> from,
            Terminal& terminal)
      : run_(run),
        folder_(folder),
        from_(std::move(from)),
        terminal_(terminal),
        started_(std::chrono::steady_clock::now()),
        manifest_(run.manifest()) {}

  int execute(OutcomeFormat format) {
    const StopSignals signals;
    manifest_.machine = machine_summary(run_.request().search.threads);
    manifest_.resumptions = from_ ? from_->resumptions : 0;
    folder_.write("manifest.json", results::manifest_json(manifest_));
    {
      const LeaveAtSignal early([&](StopRequest request) { return leave_early(request, format); });
      run_.work_out_starts();
    }
    if (run_.walked_halves() > 0 && !from_) {
      terminal_.message("a small step: the search starts from all best plans, found by walking " +
                        grouped_text(static_cast<std::int64_t>(run_.walked_halves())) +
                        " halves of plans");
    }
    const RunOutcome outcome = run_.space().free_gene_count() == 0 ? only_plan() : searched();
    complete_manifest(manifest_, run_, outcome);
    warn_of_reference(manifest_, run_, terminal_);
    write_tables(folder_, run_, outcome);
    write_pictures(folder_, run_, manifest_, outcome);
    finish_manifest();
    report(outcome, format);
    return exit_value();
  }

 private:
  // Before the first generation of this program run; what was saved before stays as it is.
  int leave_early(StopRequest request, OutcomeFormat format) {
    request_ = request;
    manifest_.status = results::RunStatus::Interrupted;
    manifest_.stop = "stopped by a signal before the search began";
    if (from_) manifest_.generation = from_->snapshot.state.generation;
    note_finish();
    if (format == OutcomeFormat::Json) terminal_.data(results::manifest_json(manifest_));
    terminal_.message("stop: " + manifest_.stop);
    terminal_.message(from_ ? "resume with: paretrain resume " + folder_.path().string()
                            : "nothing to resume from: start it again");
    terminal_.flush();
    return exit_code(request);
  }

  // Every gene is fixed: there is one plan, and nothing to search or to resume.
  RunOutcome only_plan() {
    RunOutcome outcome;
    const results::PlanRow row = run_.baseline_rows().front();
    manifest_.statistics.evaluations = 1;
    manifest_.stop = "every gene is fixed: there is one plan";
    manifest_.status = results::RunStatus::Done;
    engine::GenerationReport report;
    report.evaluations = 1;
    if (row.evaluation.violation_bytes == 0) {
      outcome.front = {row};
      outcome.front.front().name = "0";
      report.front = 1;
      report.hypervolume = run_.hypervolume(outcome.front);
      report.best = run_.objectives(row.evaluation);
    } else {
      outcome.least_infeasible_bytes = row.evaluation.peak_bytes;
      report.infeasible = 1;
    }
    outcome.history = {report};
    return outcome;
  }

  RunOutcome searched() {
    engine::Search search(run_.search_problem(), run_.engine_options());
    SnapshotKeeper keeper(folder_, lasting_identity(run_.identity()), snapshot_every());
    Progress progress(terminal_, run_.request().search);
    search.offer(run_.offered_genomes());
    if (from_ && !is_before_the_first(from_->snapshot)) {
      search.resume(from_->snapshot.state);
      keeper.go_on_from(search.state(), from_->snapshot.history);
      terminal_.message("resumed from generation " +
                        number_text(static_cast<std::int64_t>(search.state().generation)));
      say_when_nothing_is_left(search);
    } else {
      start(search, keeper);
    }
    progress.begin(search.report());
    while (!search.stop_reason() && StopSignals::request() == StopRequest::None) {
      if (search.is_next_cut_short()) keeper.close(search.state());
      search.step();
      const engine::GenerationReport report = search.report();
      keeper.add(report);
      keeper.save_when_due(search.state());
      progress.show(report);
    }
    keeper.save_last(search.state());
    if (search.is_cut_short()) cut_note_ = cut_note(keeper);
    progress.finish(search.report());
    note_end(search);
    return outcome_of(search, keeper.history());
  }

  static std::string cut_note(const SnapshotKeeper& keeper) {
    const auto generation = keeper.last_whole();
    return "the limit of evaluations cut a generation short; a resume with a larger "
           "--max-evaluations N " +
           (generation
                ? "goes on from generation " + number_text(static_cast<std::int64_t>(*generation)) +
                      ", the last whole one"
                : std::string("begins with generation 0"));
  }

  // Generation 0.
  void start(engine::Search& search, SnapshotKeeper& keeper) {
    if (from_) {
      keeper.go_on_from_nothing();
      terminal_.message("resumed before generation 0");
    }
    const engine::SearchState nothing = search.state();
    search.start(run_.warm_genomes());
    if (search.is_cut_short()) keeper.close_before_the_first(nothing);
    keeper.add(search.report());
    keeper.save_when_due(search.state());
  }

  void say_when_nothing_is_left(const engine::Search& search) {
    const auto reason = search.stop_reason();
    if (!reason) return;
    std::string why(engine::description(*reason));
    if (reason == engine::StopReason::Generations) why += "; a larger --generations N goes on";
    terminal_.message("nothing is left to do: " + why);
  }

  [[nodiscard]] std::uint64_t snapshot_every() const {
    return static_cast<std::uint64_t>(run_.request().search.snapshot_every);
  }

  void note_end(const engine::Search& search) {
    manifest_.statistics = search.state().statistics;
    manifest_.generation = search.state().generation;
    if (const auto reason = search.stop_reason()) {
      manifest_.status = results::RunStatus::Done;
      manifest_.stop = engine::description(*reason);
    } else {
      manifest_.status = results::RunStatus::Interrupted;
      manifest_.stop = "stopped by a signal";
      request_ = StopSignals::request();
    }
    const std::uint64_t not_finite = manifest_.statistics.not_finite;
    if (not_finite > 0) {
      manifest_.warnings.push_back({"evaluations whose result was not a finite number",
                                    static_cast<std::int64_t>(not_finite)});
    }
  }

  RunOutcome outcome_of(const engine::Search& search,
                        const std::vector<engine::GenerationReport>& history) {
    RunOutcome outcome;
    outcome.front = run_.front_rows(search.state().archive);
    outcome.history = history;
    std::int64_t least = INT64_MAX;
    for (const results::PlanRow& row : run_.front_rows(search.state().population)) {
      least = std::min(least, row.evaluation.peak_bytes);
      if (row.evaluation.violation_bytes == 0) outcome.others.push_back(row.evaluation);
    }
    for (const results::PlanRow& row : run_.baseline_rows())
      least = std::min(least, row.evaluation.peak_bytes);
    if (outcome.front.empty()) outcome.least_infeasible_bytes = least;
    return outcome;
  }

  void finish_manifest() {
    if (manifest_.front == 0 && manifest_.status == results::RunStatus::Done)
      manifest_.status = results::RunStatus::Infeasible;
    note_finish();
  }

  void note_finish() {
    manifest_.machine.finished = time_text();
    manifest_.machine.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    folder_.write("manifest.json", results::manifest_json(manifest_));
  }

  void report(const RunOutcome& outcome, OutcomeFormat format) {
    const std::string folder = folder_.path().string();
    switch (format) {
      case OutcomeFormat::Json:
        terminal_.data(results::manifest_json(manifest_));
        break;
      case OutcomeFormat::Text:
        terminal_.data(outcome_text(run_, manifest_, outcome));
        break;
    }
    terminal_.message("stop: " + manifest_.stop + "\nwrote " + folder);
    if (!cut_note_.empty()) terminal_.message(cut_note_);
    if (manifest_.status == results::RunStatus::Interrupted)
      terminal_.message("resume with: paretrain resume " + folder);
    if (manifest_.status == results::RunStatus::Infeasible) {
      terminal_.error("nothing feasible under the memory limit of " +
                      number_text(run_.plans().memory_limit_bytes().value_or(0)) +
                      " bytes; the smallest memory found that would do is " +
                      number_text(*manifest_.smallest_memory_bytes) + " bytes");
    }
  }

  [[nodiscard]] int exit_value() const {
    switch (manifest_.status) {
      case results::RunStatus::Infeasible:
        return kNothingFeasible;
      case results::RunStatus::Interrupted:
        return exit_code(request_);
      case results::RunStatus::Running:
      case results::RunStatus::Done:
        break;
    }
    return kDone;
  }

  PlanRun& run_;
  const results::RunFolder& folder_;
  std::optional<ResumedRun> from_;
  Terminal& terminal_;
  std::chrono::steady_clock::time_point started_;
  results::RunManifest manifest_;
  StopRequest request_ = StopRequest::None;
  std::string cut_note_;  // when the limit of evaluations cut the end short
};

}  // namespace

int run_search(PlanRun& run,
               const results::RunFolder& folder,
               std::optional<ResumedRun> from,
               OutcomeFormat format,
               Terminal& terminal) {
  return SearchRun(run, folder, std::move(from), terminal).execute(format);
}

}  // namespace paretrain::cli
