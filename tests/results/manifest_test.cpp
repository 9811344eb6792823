#include "results/manifest.h"

#include <string>

#include "problems/json_file.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

RunManifest some_manifest() {
  RunManifest manifest;
  manifest.identity.command = "optimize";
  manifest.identity.program_version = "1.0";
  manifest.identity.options = {
      {"seed", {"18446744073709551615"}}, {"keep", {"a", "b\xFF"}}, {"dim", {}}};
  manifest.identity.inputs = {{"model", "n\"et\n.onnx", "/n", "00"}};
  manifest.identity.problem_fingerprint = 0xfedcba9876543210;
  manifest.identity.objectives = {"latency_cycles"};
  manifest.hypervolume = HypervolumeSummary{{2, 3.5}, 0.5, 0.25};
  manifest.genomes = 1U << 28U;
  add_warning(manifest.warnings, "twice");
  add_warning(manifest.warnings, "once");
  add_warning(manifest.warnings, "twice");
  return manifest;
}

const problems::JsonValue& member(const problems::JsonValue& object, const std::string& key) {
  for (const problems::JsonMember& one : object.members)
    if (one.key == key) return one.value;
  FAIL("no key " << key);
  return object;
}

}  // namespace

TEST_CASE("manifest_json: is strict JSON with 64-bit numbers as text") {
  const problems::JsonValue document = problems::parsed_json(manifest_json(some_manifest()), "m");
  CHECK(member(document, "schema").text == "paretrain-manifest-1");
  CHECK(member(document, "status").text == "running");
  CHECK(member(member(document, "problem"), "fingerprint").text == "fedcba9876543210");
  CHECK(member(member(document, "options"), "seed").text == "18446744073709551615");
  CHECK(member(member(document, "options"), "keep").items.size() == 2);
  CHECK(member(document, "inputs").items.at(0).members.at(1).value.text == "n\"et\n.onnx");
  CHECK(member(document, "genomes").text == "268435456");
  CHECK(member(member(document, "hypervolume"), "front").text == "0.5");
}

TEST_CASE("manifest_json: what is not known is absent") {
  RunManifest manifest = some_manifest();
  manifest.hypervolume.reset();
  manifest.genomes.reset();
  const std::string text = manifest_json(manifest);
  CHECK(text.find("hypervolume") == std::string::npos);
  CHECK(text.find("genomes") == std::string::npos);
  CHECK(text.find("knee") == std::string::npos);
}

TEST_CASE("add_warning: counts equal texts") {
  const RunManifest manifest = some_manifest();
  REQUIRE(manifest.warnings.size() == 2);
  CHECK(manifest.warnings[0].count == 2);
  CHECK(manifest.warnings[1].count == 1);
}

}  // namespace paretrain::results
