#include "base/error.h"

#include <utility>

#include "base/check.h"

namespace paretrain {

namespace {

std::string joined_text(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem_text(problem);
  }
  return text;
}

}  // namespace

std::string problem_text(const Problem& problem) {
  std::string text = problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
  if (!problem.hint.empty()) text += "\nhint: " + problem.hint;
  return text;
}

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems)
    : problems_(std::move(problems)), text_(joined_text(problems_)) {
  CHECK(!problems_.empty(), "an InputError says what is wrong");
}

IoError::IoError(std::string where, std::string what)
    : text_(where.empty() ? std::move(what) : std::move(where) + ": " + what) {}

}  // namespace paretrain
