// Verdicts on the shared collection of odd and broken cost graphs.
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "problems/cost_graph_file.h"
#include "problems/cost_graph_problem.h"
#include "problems/json_file.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

struct Case {
  std::string name;
  std::string file;
  std::string verdict;
};

// The columns name, kind, group, file, runtime, verdict of the manifest; later ones may be quoted.
std::vector<Case> json_cases(const std::filesystem::path& folder) {
  const std::string text = problems::read_text_file(folder / "manifest.csv");
  std::vector<Case> cases;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::vector<std::string> cells(1);
    for (const char c : text.substr(begin, end - begin)) {
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    if (cells.size() > 5 && cells[1] == "json" && !cells[3].empty())
      cases.push_back({cells[0], cells[3], cells[5]});
    begin = end + 1;
  }
  return cases;
}

// The message, or nothing when the file is accepted.
std::string refusal(const std::filesystem::path& file) {
  try {
    const problems::PlanProblem problem =
        problems::cost_graph_problem(problems::read_cost_graph(file), {});
    static_cast<void>(problem.evaluate(problem.keep_all()));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("read_cost_graph: gives every shared bad input its verdict") {
  const auto folder = shared_data("bad_inputs");
  if (!folder) return;
  const std::vector<Case> cases = json_cases(*folder);
  CHECK(cases.size() > 150);
  for (const Case& bad : cases) {
    INFO(bad.name);
    const std::string message = refusal(*folder / bad.file);
    if (bad.verdict == "accept") CHECK(message == "");
    if (bad.verdict == "error") {
      CHECK(message.find(bad.name) != std::string::npos);
      CHECK(message.find('\x1b') == std::string::npos);
    }
    CHECK(message.size() < 5000);
  }
}

}  // namespace paretrain::tests
