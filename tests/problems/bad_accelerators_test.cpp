#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "problems/accelerator_file.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

struct BadCase {
  std::string name;
  std::string file;
  std::string verdict;
};

// Rows `name,yaml,group,file,0,verdict,…` of the manifest; none of these fields holds a comma.
std::vector<BadCase> yaml_cases(const std::filesystem::path& manifest) {
  std::vector<BadCase> cases;
  std::ifstream stream(manifest);
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream cells(line);
    std::vector<std::string> row(6);
    for (std::string& cell : row)
      std::getline(cells, cell, ',');
    if (row[1] == "yaml" && row[4] == "0") cases.push_back({row[0], row[3], row[5]});
  }
  return cases;
}

}  // namespace

TEST_CASE("read_accelerator_file: gives every odd file the verdict it must get") {
  const auto folder = shared_data("bad_inputs");
  if (!folder) return;
  const std::vector<BadCase> cases = yaml_cases(*folder / "manifest.csv");
  REQUIRE(cases.size() > 60);
  for (const BadCase& bad : cases) {
    INFO(bad.name);
    bool accepted = false;
    bool warned = false;
    std::string message;
    try {
      const auto file = problems::read_accelerator_file(*folder / bad.file);
      accepted = true;
      warned = !file.warnings.empty();
    } catch (const InputError& error) {
      message = error.what();
    }
    if (bad.verdict == "accept") CHECK(accepted);
    if (bad.verdict == "error") CHECK_FALSE(accepted);
    if (bad.verdict == "warn_or_error") CHECK((!accepted || warned));
    if (!accepted) CHECK(message.find(".yaml") != std::string::npos);
  }
}

}  // namespace paretrain::tests
