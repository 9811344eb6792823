// Why: a plan can be named in several ways, and every command that takes one takes them all.
#pragma once

#include <string>
#include <vector>

#include "problems/plan_problem.h"

namespace paretrain::cli {

struct PlanArgument {
  std::string label;        // for people: "keep-all", "runs/first:17"
  problems::Genome genome;  // canonical
};

// `text` is a named plan (keep-all, recompute-all, every-K, greedy-memory, each also with +greedy),
// `genome:TEXT`, `DIR:ID` (row ID of DIR/front.csv, or the name of one of its baselines), or a file
// that holds a plan (see plan_of_file).
// Errors: InputError naming the text; a genome of another problem is refused.
[[nodiscard]] PlanArgument plan_argument(const problems::PlanProblem& problem,
                                         const std::string& text);

// A plan file: a JSON object with the keys `schema` ("paretrain-plan-1") and `genome`, further keys
// are for people; or the text of a genome alone. Errors: InputError naming the file.
[[nodiscard]] problems::Genome plan_of_file(const problems::PlanProblem& problem,
                                            const std::string& file);

}  // namespace paretrain::cli
