#include "results/inspect_report.h"

#include <string>

#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/transformer_block.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;
using results::InspectReport;

InspectReport report_of_transformer() {
  InspectReport report;
  report.summary = step_summary(training_step(transformer({}, 2).graph(), TrainingOptions{}));
  report.unsupported = {{"Twist", 2, "a\"b"}};
  report.warnings = {"one\nline"};
  return report;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("inspect_json: every key of the contract") {
  const InspectReport report = report_of_transformer();
  const std::string json = results::inspect_json(report);
  for (const char* key : {"schema",
                          "model",
                          "batch",
                          "operators",
                          "macs",
                          "forward_activation",
                          "backward_input_grad",
                          "backward_weight_grad",
                          "backward_activation",
                          "parameters",
                          "gradients",
                          "optimizer_state",
                          "inputs",
                          "saved",
                          "input_bytes",
                          "peak",
                          "dynamic_bytes",
                          "phase",
                          "by_role",
                          "candidates",
                          "read_by_backward",
                          "recognised",
                          "pattern",
                          "unsupported",
                          "first_node"})
    CHECK_MESSAGE(contains(json, '"' + std::string(key) + "\": "), key);
  CHECK_FALSE(contains(json, "imported_nodes"));
  CHECK(contains(json, "\"bytes\": " + std::to_string(report.summary.saved_bytes.number())));
  CHECK(contains(json, R"(a\u0022b)") != contains(json, R"(a\"b)"));
  CHECK_FALSE(contains(json, "one\nline"));
}

TEST_CASE("inspect_json: phases of a ready-made graph and the fit into a memory") {
  InspectReport report = report_of_transformer();
  report.summary.imported_nodes = ImportedNodes{49, 251, 315};
  report.memory = results::MemoryFit{"chip", Bytes(1000)};
  const std::string json = results::inspect_json(report);
  CHECK(contains(json, R"("imported_nodes": {"forward": 49, "backward": 251, "optimizer": 315})"));
  CHECK(contains(json, R"("memory_bytes": 1000)"));
  CHECK(contains(results::inspect_page(report), "does not fit"));
}

TEST_CASE("inspect_page: lines fit a terminal") {
  const std::string page = results::inspect_page(report_of_transformer());
  CHECK(contains(page, "recognised: Linear (9)"));
  CHECK(contains(page, "treated as elementwise: Twist (2)"));
  std::size_t begin = 0;
  while (begin < page.size()) {
    const std::size_t end = page.find('\n', begin);
    CHECK(end - begin <= 84);
    begin = end + 1;
  }
}

}  // namespace paretrain::tests
