// Why: the long proofs are programs with a few options of a name and a value; they read them alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace paretrain::tests {

// Values by name; what is not given has its default.
class ProgramOptions {
 public:
  // Errors: InputError for a name that is not in `defaults` and for a name without a value.
  ProgramOptions(const std::vector<std::string>& words,
                 std::map<std::string, std::string> defaults);

  [[nodiscard]] const std::string& text(const std::string& name) const { return values_.at(name); }

  // Errors: InputError for anything but a whole number from 0 up.
  [[nodiscard]] std::uint64_t number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

// What main() returns: the answer of `run`, or 2 after a line about an error.
[[nodiscard]] int program(int count,
                          char** words,
                          const std::function<int(const std::vector<std::string>&)>& run);

}  // namespace paretrain::tests
