// Why: the two errors that a user can cause or meet, told apart from faults of our own code
// (base/check.h).
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace paretrain {

// One thing wrong with an input. `where` is "file:line", "file: node", or an option; it is printed
// first. `what` says what was found and what was expected. `hint` may be empty.
struct Problem {
  std::string where;
  std::string what;
  std::string hint;
};

// The user's file or option is wrong. Carries every problem found in one go; cli ends with exit
// code 2.
class InputError : public std::exception {
 public:
  explicit InputError(Problem problem);
  // Requires: at least one problem.
  explicit InputError(std::vector<Problem> problems);

  [[nodiscard]] const std::vector<Problem>& problems() const noexcept { return problems_; }

  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<Problem> problems_;
  std::string text_;
};

// The machine failed us: disk, permission, memory. cli ends with exit code 3.
class IoError : public std::exception {
 public:
  IoError(std::string where, std::string what);

  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Text of a problem as it stands on standard error, without the leading "error: ".
[[nodiscard]] std::string problem_text(const Problem& problem);

}  // namespace paretrain
