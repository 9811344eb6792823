#include <optional>
#include <string>

#include "evaluator/graph/training_step.h"
#include "results/inspect_page.h"
#include "tests/evaluator/graph/transformer_block.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;
using results::InspectReport;

InspectReport report_of_transformer() {
  InspectReport report;
  report.summary = step_summary(training_step(transformer({}, 2).graph(), TrainingOptions{}));
  report.plans.keep_pins.resize(report.summary.candidates.size());
  report.need = {Bytes(700), Bytes(1001)};
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
                          "memory",
                          "resident_bytes",
                          "keep_all_bytes",
                          "plans",
                          "candidates",
                          "gene",
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
  CHECK(contains(json, R"("memory_bytes": 1000, "needed_bytes": 1001)"));
  CHECK(contains(results::inspect_page(report), "does not fit"));
}

TEST_CASE("inspect: which genes are free and which candidates are held") {
  InspectReport report = report_of_transformer();
  REQUIRE(report.summary.candidates.size() > 3);
  report.plans.objectives = {"latency", "memory"};
  report.plans.fusion = "none";
  report.plans.keep_pins[0] = true;
  report.plans.keep_pins[2] = false;
  const std::size_t free = report.plans.keep_pins.size() - 2;
  const std::string genes =
      R"("checkpointing": "search", "fusion": "none", "keep_genes": {"free": )" +
      std::to_string(free) + R"(, "kept": 1, "recomputed": 1}, )";
  CHECK(contains(results::inspect_json(report),
                 R"("objectives": ["latency", "memory"], )" + genes + R"("fusion_genes": null)"));
  CHECK(contains(results::inspect_page(report), "fusion genes: only with --accelerator"));
  report.plans.fusion_genes = results::FusionGenes{0, 7, 3};
  const std::string json = results::inspect_json(report);
  CHECK(contains(json, R"("fusion_genes": {"free": 0, "pinned": 7, "max_group_length": 3})"));
  const auto gene = [&](std::size_t i) {
    const std::size_t at = json.find("\"name\": \"" + report.summary.candidates[i].name + "\"");
    const std::size_t key = json.find("\"gene\": \"", at);
    return json.substr(key + 9, json.find('"', key + 9) - key - 9);
  };
  CHECK(gene(0) == "keep");
  CHECK(gene(1) == "free");
  CHECK(gene(2) == "recompute");
  const std::string page = results::inspect_page(report);
  CHECK(contains(page, "    keep       " + report.summary.candidates[0].name));
  CHECK(contains(page, "    recompute  " + report.summary.candidates[2].name));
  CHECK_FALSE(contains(page, "--json lists all"));
  report.plans.keep_pins.assign(report.plans.keep_pins.size(), true);
  CHECK(contains(results::inspect_page(report),
                 "    … and " + std::to_string(free + 2 - 12) + " more; --json lists all"));
}

TEST_CASE("inspect: a memory limit is held against what is resident and against the peak") {
  InspectReport report = report_of_transformer();
  CHECK_FALSE(contains(results::inspect_json(report), "memory_limit"));
  const auto both = [&](std::int64_t limit) {
    report.memory_limit = Bytes(limit);
    return results::inspect_json(report) + results::inspect_page(report);
  };
  const std::string fits = both(1001);
  CHECK(contains(
      fits, R"("memory_limit": {"bytes": 1001, "resident_fits": true, "keep_all_fits": true})"));
  CHECK(contains(fits, "  fits\n"));
  const std::string tight = both(700);
  CHECK(contains(tight, R"("resident_fits": true, "keep_all_fits": false)"));
  CHECK(contains(tight, "does not fit; recomputing or fusing may make it fit"));
  const std::string hopeless = both(699);
  CHECK(contains(hopeless, R"("resident_fits": false, "keep_all_fits": false)"));
  CHECK(contains(hopeless, "no plan fits"));
  // Where everything is held at keep and unfused, there is one plan.
  report.plans.keep_pins.assign(report.plans.keep_pins.size(), true);
  report.plans.fusion = "none";
  CHECK(contains(both(700), "no plan fits: nothing may be recomputed or fused"));
  CHECK(contains(both(1001), "  fits\n"));
  report.plans.fusion = "search";
  CHECK(contains(both(700), "does not fit; recomputing or fusing may make it fit"));
  report.plans.fusion = "none";
  report.plans.keep_pins.back() = false;
  CHECK(contains(both(700), "does not fit; recomputing or fusing may make it fit"));
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
