// Why: every command that takes a MODEL reads it the same way, and a run remembers what it read.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/problem_options.h"
#include "problems/plan_problem.h"
#include "problems/search_space.h"
#include "problems/training_problem.h"
#include "results/run_snapshot.h"

namespace paretrain::cli {

// A cost graph needs no accelerator, a network does.
struct LoadedProblem {
  std::variant<problems::PlanProblem, problems::TrainingProblem> parts;
  std::string title;  // "resnet18 training step on edge-tpu-quad"
  std::vector<results::RunInput> inputs;
  std::vector<std::string> warnings;

  [[nodiscard]] const problems::PlanProblem& plans() const;
};

// Errors: InputError for everything that is wrong with files or options; IoError.
[[nodiscard]] LoadedProblem loaded_problem(const ProblemOptions& options);

// What the options hold, as the problem knows it. Errors: InputError for a bad plan file.
[[nodiscard]] problems::SearchSpaceOptions search_space_options(
    const problems::PlanProblem& problem, const PlanOptions& options);

// The genes that the options leave free.
// Errors: InputError.
[[nodiscard]] problems::SearchSpace search_space(const problems::PlanProblem& problem,
                                                 const PlanOptions& options);

}  // namespace paretrain::cli
