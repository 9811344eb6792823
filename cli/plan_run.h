// Why: optimize, resume and enumerate share all of a run but the search itself: the folder, the
// baselines, the reference point, and what is written and printed at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/loaded_problem.h"
#include "cli/options.h"
#include "cli/problem_options.h"
#include "cli/search_options.h"
#include "cli/terminal.h"
#include "engine/individuals.h"
#include "engine/search.h"
#include "problems/named_plans.h"
#include "problems/plan_search_problem.h"
#include "problems/search_space.h"
#include "problems/warm_plans.h"
#include "results/history.h"
#include "results/manifest.h"
#include "results/plan_table.h"
#include "results/run_folder.h"

namespace paretrain::cli {

// What was asked for, as a value that a snapshot can hold and give back.
struct RunRequest {
  std::string command;
  ProblemOptions problem;
  SearchOptions search;
  std::vector<results::OptionValues> options;  // also the words by position
  std::vector<std::string> given;              // names of the options that the user said
};

// Every option, in order of its name.
[[nodiscard]] std::vector<results::OptionValues> stored_options(const Options& options);
// Whether an option says how one program runs rather than what is searched and when it ends: those
// are not in a snapshot, and a resumed run has those of its own command line.
[[nodiscard]] bool is_of_one_run(std::string_view option);
// What a snapshot keeps of an identity.
[[nodiscard]] results::RunIdentity lasting_identity(results::RunIdentity identity);
[[nodiscard]] Options restored_options(const std::vector<results::OptionValues>& stored,
                                       std::vector<std::string> given);
[[nodiscard]] RunRequest run_request(const std::string& command, const Options& options);

// A loaded problem with its genes, baselines and reference point. Stays where it is: the search
// looks into it.
class PlanRun {
 public:
  // Errors: InputError, IoError.
  explicit PlanRun(RunRequest request);
  PlanRun(const PlanRun&) = delete;
  PlanRun& operator=(const PlanRun&) = delete;
  PlanRun(PlanRun&&) = delete;
  PlanRun& operator=(PlanRun&&) = delete;
  ~PlanRun() = default;

  [[nodiscard]] const RunRequest& request() const noexcept { return request_; }

  [[nodiscard]] const LoadedProblem& loaded() const noexcept { return loaded_; }

  [[nodiscard]] const problems::PlanProblem& plans() const { return loaded_.plans(); }

  [[nodiscard]] const problems::SearchSpace& space() const noexcept { return space_; }

  [[nodiscard]] const problems::PlanSearchProblem& search_problem() const noexcept {
    return search_problem_;
  }

  [[nodiscard]] const results::RunIdentity& identity() const noexcept { return identity_; }

  // The inputs as the run was begun with them: same content, other names.
  void keep_inputs(std::vector<results::RunInput> inputs) { identity_.inputs = std::move(inputs); }

  // Evaluates the baselines; the reference point needs them. To be called once, before the rest; a
  // search calls the second one, which also finds what it starts from (not with --no-warm-start).
  void work_out_baselines();
  void work_out_starts();

  [[nodiscard]] const std::vector<problems::NamedPlan>& baselines() const { return baselines_; }

  [[nodiscard]] const std::vector<results::PlanRow>& baseline_rows() const {
    return baseline_rows_;
  }

  // One value per objective: the worst baseline + 1, or what --reference says.
  [[nodiscard]] const std::vector<double>& reference() const { return reference_; }

  [[nodiscard]] engine::SearchOptions engine_options() const;
  // Baselines as genomes of the search; empty with --no-warm-start.
  [[nodiscard]] std::vector<engine::Genome> warm_genomes() const;
  // Those for which there was no room.
  [[nodiscard]] std::vector<engine::Genome> offered_genomes() const;

  // Of a small step: how many halves of plans were walked to know all best plans; else 0.
  [[nodiscard]] std::uint64_t walked_halves() const noexcept { return walked_halves_; }

  // Rows of front.csv, sorted as there.
  [[nodiscard]] std::vector<results::PlanRow> front_rows(const engine::Individuals& archive) const;
  // Share of the product of the reference point.
  [[nodiscard]] double hypervolume(const std::vector<results::PlanRow>& rows) const;
  [[nodiscard]] results::HistoryColumns history_columns() const;
  [[nodiscard]] std::vector<double> objectives(const problems::PlanEvaluation& evaluation) const;

  // With what is known before the search.
  [[nodiscard]] results::RunManifest manifest() const;

  // Warnings of reading the problem, equal ones once with their count; the manifest repeats them.
  void print_warnings(Terminal& terminal) const;

 private:
  void evaluate_baselines();
  [[nodiscard]] std::size_t warm_others() const;

  RunRequest request_;
  LoadedProblem loaded_;
  problems::SearchSpace space_;
  problems::PlanSearchProblem search_problem_;
  results::RunIdentity identity_;
  std::vector<problems::NamedPlan> baselines_;
  std::vector<problems::Genome> other_starts_;
  std::uint64_t walked_halves_ = 0;
  std::vector<results::PlanRow> baseline_rows_;
  std::vector<double> reference_;
};

}  // namespace paretrain::cli
