// The verdicts of the shared collection of bad files, and of those that must be made when run: see
// its manifest. What is checked here is the reader; the program's exit codes follow from it.
#include <filesystem>
#include <string>

#include "base/error.h"
#include "problems/model_import.h"
#include "tests/problems/csv_rows.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

struct Verdict {
  bool accepted = false;
  bool warned = false;
  bool names_file = false;
};

Verdict verdict_of(const std::string& file) {
  try {
    const problems::ImportedModel model = problems::imported_model(file, {});
    return {.accepted = true,
            .warned = !model.warnings.empty() || !model.unknown_operators.empty(),
            .names_file = true};
  } catch (const InputError& error) {
    return {.accepted = false,
            .warned = false,
            .names_file = std::string(error.what()).find(file) != std::string::npos};
  }
}

TEST_CASE("imported_model: bad files get the verdict of their manifest") {
  const auto manifest = shared_data("bad_inputs/manifest.csv");
  if (!manifest) return;
  std::int64_t cases = 0;
  for (const auto& row : csv_rows(*manifest)) {
    if (row.at("kind") != "onnx" || row.at("file").empty()) continue;
    CAPTURE(row.at("name"));
    CAPTURE(row.at("reason"));
    const Verdict verdict = verdict_of((manifest->parent_path() / row.at("file")).string());
    const std::string& wanted = row.at("verdict");
    CHECK(verdict.names_file);
    if (wanted == "accept") CHECK(verdict.accepted);
    if (wanted == "error") CHECK_FALSE(verdict.accepted);
    if (wanted == "warn_or_error") CHECK((!verdict.accepted || verdict.warned));
    ++cases;
  }
  CHECK(cases > 150);
}

TEST_CASE("imported_model: names are printable whatever the file says") {
  const auto folder = shared_data("bad_inputs/onnx");
  if (!folder) return;
  for (const std::string name : {"ansi", "bidi", "crlf", "newline", "not_utf8_0", "nul", "zwj"}) {
    CAPTURE(name);
    const auto model =
        problems::imported_model((*folder / ("onnx_name_" + name + ".onnx")).string(), {});
    for (const evaluator::Node& node : model.graph.nodes) {
      CHECK_FALSE(node.name.empty());
      for (const char c : node.name)
        CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    }
  }
}

}  // namespace

}  // namespace paretrain::tests
