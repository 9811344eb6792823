#include "tests/slow/program_options.h"

#include <exception>
#include <iostream>
#include <utility>

#include "base/error.h"
#include "base/number_text.h"

namespace paretrain::tests {

ProgramOptions::ProgramOptions(const std::vector<std::string>& words,
                               std::map<std::string, std::string> defaults)
    : values_(std::move(defaults)) {
  for (std::size_t w = 0; w < words.size(); w += 2) {
    const auto known = values_.find(words[w]);
    if (known == values_.end()) throw InputError(Problem{words[w], "is no option", ""});
    if (w + 1 == words.size()) throw InputError(Problem{words[w], "lacks a value", ""});
    known->second = words[w + 1];
  }
}

std::uint64_t ProgramOptions::number(const std::string& name) const {
  const auto number = parsed_integer(text(name));
  if (!number || *number < 0)
    throw InputError(Problem{name, text(name) + " was given; expected a whole number", ""});
  return static_cast<std::uint64_t>(*number);
}

int program(int count,
            char** words,
            const std::function<int(const std::vector<std::string>&)>& run) {
  try {
    return run(std::vector<std::string>(words + 1, words + count));
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 2;
  }
}

}  // namespace paretrain::tests
