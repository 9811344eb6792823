// Whole runs through the command line on the cost graphs of the tree.
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "problems/json_file.h"
#include "results/atomic_file.h"
#include "results/front_file.h"
#include "results/run_snapshot.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

struct Result {
  int code = 0;
  std::string output;
  std::string messages;
};

Result run(const std::vector<std::string>& arguments) {
  std::ostringstream output;
  std::ostringstream messages;
  Terminal terminal(output, messages, {});
  const int code = dispatch(arguments, terminal);
  return {code, output.str(), messages.str()};
}

std::string error_text(const std::vector<std::string>& arguments) {
  try {
    static_cast<void>(run(arguments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string graph(const std::string& name) {
  return (tests::source_folder() / "tests/reference/cost_graphs" / (name + ".json")).string();
}

std::string content(const fs::path& path) {
  return results::file_content(path, std::size_t{1} << 24U);
}

// The three tables of a run, which must not depend on how it came about.
std::string tables(const fs::path& folder) {
  return content(folder / "front.csv") + content(folder / "baselines.csv") +
         content(folder / "history.csv");
}

// Everything that a run writes but the manifest and the older snapshot.
constexpr std::array<const char*, 6> kSameFiles{
    "front.csv", "baselines.csv", "history.csv", "pareto.svg", "report.html", "snapshot"};

// A snapshot without what was asked for, which says how many generations were wanted then.
std::string older_state(const fs::path& folder) {
  results::RunSnapshot snapshot = results::read_snapshot(folder / "snapshot.previous").snapshot;
  snapshot.identity = {};
  return results::snapshot_bytes(snapshot);
}

const problems::JsonValue& member(const problems::JsonValue& object, const std::string& key) {
  for (const problems::JsonMember& one : object.members)
    if (one.key == key) return one.value;
  FAIL("no key " << key);
  return object;
}

std::vector<std::vector<double>> objectives(const fs::path& front, bool with_energy) {
  std::vector<std::vector<double>> rows;
  for (const results::FrontPoint& point : results::read_front(front).points) {
    rows.push_back({point.latency});
    if (with_energy) rows.back().push_back(point.energy);
    rows.back().push_back(point.memory_bytes);
  }
  return rows;
}

std::vector<std::vector<double>> true_front(const problems::JsonValue& front) {
  std::vector<std::vector<double>> rows;
  for (const problems::JsonValue& point : member(front, "points").items) {
    rows.emplace_back();
    for (const problems::JsonValue& value : member(point, "objectives").items)
      rows.back().push_back(std::stod(value.text));
  }
  std::ranges::sort(rows);
  return rows;
}

std::vector<std::string> search(const std::string& name, const fs::path& folder) {
  return {"optimize", graph(name), "-o", folder.string(), "--population", "20", "--quiet"};
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("enumerate: gives the known fronts and counts of cost graphs") {
  const tests::TemporaryFolder folder;
  for (const char* const name :
       {"chain-uniform-n8", "fused-residual-n5-s22", "fused-skip-n4-s15"}) {
    CAPTURE(name);
    const problems::JsonValue truth = problems::parsed_json(
        content(fs::path(graph(name)).replace_extension(".front.json")), name);
    for (const problems::JsonMember& mode : member(truth, "fronts").members) {
      CAPTURE(mode.key);
      const bool with_energy = mode.key.find("energy") != std::string::npos;
      const fs::path out = folder.path() / "run";
      const Result result = run({"enumerate",
                                 graph(name),
                                 "-o",
                                 out.string(),
                                 "--force",
                                 "--objectives",
                                 with_energy ? "latency,energy,memory" : "latency,memory",
                                 "--count-gradients",
                                 mode.key.starts_with("with ") ? "on" : "off"});
      CHECK(result.code == 0);
      CHECK(objectives(out / "front.csv", with_energy) == true_front(mode.value));
      const problems::JsonValue manifest =
          problems::parsed_json(content(out / "manifest.json"), "manifest");
      CHECK(member(manifest, "genomes").text == member(truth, "genomes").text);
      for (const problems::JsonMember& one : truth.members)
        if (one.key == "canonical_genomes")
          CHECK(member(manifest, "canonical_genomes").text == one.value.text);
    }
  }
}

TEST_CASE("optimize: writes the same bytes for any number of threads and finds the front") {
  const tests::TemporaryFolder folder;
  const std::string name = "fused-residual-n5-s22";
  CHECK(run(with(search(name, folder.path() / "one"), {"--threads", "1", "--generations", "30"}))
            .code == 0);
  CHECK(run(with(search(name, folder.path() / "four"), {"--threads", "4", "--generations", "30"}))
            .code == 0);
  for (const char* const file : kSameFiles)
    CHECK_MESSAGE(content(folder.path() / "one" / file) == content(folder.path() / "four" / file),
                  file);
  CHECK(content(folder.path() / "one" / "snapshot.previous") ==
        content(folder.path() / "four" / "snapshot.previous"));
  CHECK(fs::exists(folder.path() / "one" / "manifest.json"));
  CHECK(!results::read_front(folder.path() / "one" / "front.csv").points.empty());
}

TEST_CASE("resume: N and M generations equal N+M and twice resumed too") {
  const tests::TemporaryFolder folder;
  const std::string name = "fused-skip-n4-s15";
  const fs::path whole = folder.path() / "whole";
  const fs::path parts = folder.path() / "parts";
  CHECK(run(with(search(name, whole), {"--generations", "12"})).code == 0);
  CHECK(run(with(search(name, parts), {"--generations", "3"})).code == 0);
  const Result first = run({"resume", parts.string(), "--generations", "7", "--threads", "3"});
  CHECK(first.messages.find("resumed from generation 3") != std::string::npos);
  CHECK(run({"resume", parts.string(), "--generations", "12", "--quiet"}).code == 0);
  CHECK(tables(whole) == tables(parts));
  // With nothing left to do the files stay.
  CHECK(run({"resume", parts.string(), "--quiet"}).code == 0);
  CHECK(tables(whole) == tables(parts));
}

TEST_CASE("optimize: hand-overs do not depend on threads or interruptions and are kept by resume") {
  const tests::TemporaryFolder folder;
  const auto begin = [&](const char* name, const char* threads, const char* generations) {
    const fs::path out = folder.path() / name;
    std::vector<std::string> arguments{"optimize", "mlp", "--accelerator", "edge-tpu-quad"};
    arguments.insert(arguments.end(), {"--batch", "8", "--residency", "--quiet", "-o"});
    arguments.insert(arguments.end(), {out.string(), "--population", "12", "--threads", threads});
    arguments.insert(arguments.end(), {"--generations", generations});
    CHECK(run(arguments).code == 0);
    return out;
  };
  const fs::path one = begin("one", "1", "4");
  CHECK(tables(one) == tables(begin("four", "4", "4")));
  const fs::path parts = begin("parts", "2", "2");
  CHECK(run({"resume", parts.string(), "--generations", "4", "--quiet"}).code == 0);
  CHECK(tables(one) == tables(parts));
  CHECK(content(one / "manifest.json").find("\"residency\": \"true\"") != std::string::npos);
}

TEST_CASE("residency: a run begun without is not resumed with it; cost graphs know no chip") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run({"optimize",
             "mlp",
             "--accelerator",
             "edge-tpu-quad",
             "--generations",
             "1",
             "--population",
             "4",
             "--quiet",
             "-o",
             out.string()})
            .code == 0);
  CHECK(error_text({"resume", out.string(), "--residency"}) ==
        "--residency: is true; the run was begun with false\n"
        "hint: only stops and machine settings may change");
  CHECK(error_text({"evaluate", graph("chain-uniform-n8"), "--plan", "keep-all", "--residency"}) ==
        "--residency: only for networks on an accelerator: a cost graph knows no chip");
}

TEST_CASE("resume: after every generation of 30 and twice resumed all files are the same") {
  const tests::TemporaryFolder folder;
  const std::string name = "fused-residual-n5-s22";
  const fs::path whole = folder.path() / "whole";
  const auto begun = [&](const fs::path& out, int generations) {
    return with(search(name, out),
                {"--generations", std::to_string(generations), "--snapshot-every", "4"});
  };
  CHECK(run(begun(whole, 30)).code == 0);
  CHECK(results::read_snapshot(whole).snapshot.state.generation == 30);
  for (int stop = 0; stop <= 30; ++stop) {
    CAPTURE(stop);
    const fs::path parts = folder.path() / std::to_string(stop);
    CHECK(run(with(begun(parts, stop), {"--threads", std::to_string(1 + stop % 3)})).code == 0);
    const int second = std::min(30, stop + 5);
    for (const int end : {second, 30})
      CHECK(run({"resume",
                 parts.string(),
                 "--generations",
                 std::to_string(end),
                 "--threads",
                 std::to_string(1 + end % 4),
                 "--quiet"})
                .code == 0);
    for (const char* const file : kSameFiles)
      CHECK_MESSAGE(content(whole / file) == content(parts / file), file);
    CHECK(older_state(whole) == older_state(parts));
    CHECK(
        member(problems::parsed_json(content(parts / "manifest.json"), "m"), "resumptions").text ==
        "2");
  }
}

TEST_CASE("resume: threads and messages are those of its own command line") {
  const tests::TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  CHECK(run(with(search("chain-uniform-n8", out), {"--generations", "1", "--threads", "1"})).code ==
        0);
  const Result result = run({"resume", out, "--generations", "2", "--threads", "3"});
  CHECK(result.messages.find("wrote") != std::string::npos);
  const problems::JsonValue manifest =
      problems::parsed_json(content(fs::path(out) / "manifest.json"), "m");
  CHECK(member(member(manifest, "machine"), "threads").text == "3");
  fs::remove(fs::path(out) / "manifest.json");
  CHECK(run({"resume", out, "--generations", "3"}).messages.find("manifest.json") !=
        std::string::npos);
}

TEST_CASE("resume: goes on from the snapshot before when the newest is damaged") {
  const tests::TemporaryFolder folder;
  const std::string name = "fused-skip-n4-s15";
  const fs::path whole = folder.path() / "whole";
  const fs::path hurt = folder.path() / "hurt";
  CHECK(run(with(search(name, whole), {"--generations", "8"})).code == 0);
  CHECK(run(with(search(name, hurt), {"--generations", "5"})).code == 0);
  std::ofstream(hurt / "snapshot", std::ios::binary | std::ios::app) << "x";
  const Result result = run({"resume", hurt.string(), "--generations", "8"});
  CHECK(result.messages.find("warning: ") != std::string::npos);
  CHECK(result.messages.find("resumed from generation 4") != std::string::npos);
  CHECK(tables(whole) == tables(hurt));
}

TEST_CASE("resume: what may not change is refused by name") {
  const tests::TemporaryFolder folder;
  const fs::path model = folder.path() / "graph.json";
  fs::copy_file(graph("chain-uniform-n8"), model);
  const fs::path out = folder.path() / "run";
  CHECK(
      run({"optimize", model.string(), "-o", out.string(), "--generations", "2", "--quiet"}).code ==
      0);
  CHECK(error_text({"resume", out.string(), "--seed", "2"}) ==
        "--seed: is 2; the run was begun with 1\nhint: only stops and machine settings may change");
  CHECK(error_text({"resume", out.string(), "--memory-limit", "5"}).find("begun with none") !=
        std::string::npos);
  CHECK(run({"resume", out.string(), "--seed", "1", "--quiet"}).code == 0);
  std::string changed = content(model);
  changed.replace(changed.find("\"output_bytes\""), 0, " ");
  std::ofstream(model, std::ios::binary) << changed;
  CHECK(error_text({"resume", out.string()}).find("the model has changed since the run began") !=
        std::string::npos);
  fs::remove(model);
  CHECK(error_text({"resume", out.string()}).find("graph.json") != std::string::npos);
}

TEST_CASE("optimize: a memory limit below every plan ends with the smallest that would do") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  const Result result =
      run(with(search("chain-uniform-n8", out), {"--generations", "10", "--memory-limit", "5"}));
  CHECK(result.code == kNothingFeasible);
  CHECK(result.messages.find("the smallest memory found that would do is 6 bytes") !=
        std::string::npos);
  CHECK(results::read_front(out / "front.csv").points.empty());
  const problems::JsonValue manifest =
      problems::parsed_json(content(out / "manifest.json"), "manifest");
  CHECK(member(manifest, "status").text == "infeasible");
  CHECK(member(manifest, "smallest_memory_bytes").text == "6");
  CHECK(run({"pick", out.string()}).code == kNothingFeasible);
}

TEST_CASE("optimize: a limit that some plans meet gives only such plans") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run(with(search("chain-uniform-n8", out), {"--generations", "10", "--memory-limit", "7"}))
            .code == 0);
  const results::FrontFile front = results::read_front(out / "front.csv");
  REQUIRE(!front.points.empty());
  for (const results::FrontPoint& point : front.points)
    CHECK(point.memory_bytes <= 7);
}

TEST_CASE("optimize: nothing is written when the input is wrong") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(error_text({"optimize", "none.json", "-o", out.string()}).find("none.json") !=
        std::string::npos);
  CHECK(error_text({"optimize", graph("chain-uniform-n8"), "-o", out.string(), "--reference", "1"})
            .find("--reference: 1 numbers found; expected 3") != std::string::npos);
  CHECK(error_text({"optimize", graph("chain-uniform-n8"), "-o", out.string(), "--keep", "nope*"})
            .find("nope*") != std::string::npos);
  CHECK(error_text({"optimize", graph("chain-uniform-n8")}).find("--output: is missing") !=
        std::string::npos);
  CHECK(!fs::exists(out));
}

TEST_CASE("optimize: a folder that holds a run is kept unless forced") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  const auto arguments = with(search("chain-uniform-n8", out), {"--generations", "1"});
  CHECK(run(arguments).code == 0);
  CHECK(error_text(arguments).find("holds a run already") != std::string::npos);
  CHECK(run(with(arguments, {"--force"})).code == 0);
}

TEST_CASE("optimize: with every gene fixed there is one plan") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run(with(search("chain-uniform-n8", out), {"--checkpointing", "keep-all"})).code == 0);
  CHECK(results::read_front(out / "front.csv").points.size() == 1);
  CHECK(run({"enumerate",
             graph("chain-uniform-n8"),
             "-o",
             out.string(),
             "--force",
             "--checkpointing",
             "recompute-all"})
            .code == 0);
  CHECK(results::read_front(out / "front.csv").points.size() == 1);
}

TEST_CASE("optimize: keeps several genomes per point when asked") {
  const tests::TemporaryFolder folder;
  const fs::path one = folder.path() / "one";
  const fs::path more = folder.path() / "more";
  const std::string model = graph("chain-uniform-n8");
  CHECK(run({"enumerate", model, "-o", one.string()}).code == 0);
  CHECK(run({"enumerate", model, "-o", more.string(), "--keep-equal", "3"}).code == 0);
  CHECK(results::read_front(more / "front.csv").points.size() >
        results::read_front(one / "front.csv").points.size());
}

TEST_CASE("pick: chooses by limits and wishes and says why") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run({"enumerate", graph("chain-uniform-n8"), "-o", out.string()}).code == 0);
  CHECK(run({"pick", out.string(), "--min", "memory"})
            .output.starts_with("plan 4: the least memory"));
  CHECK(run({"pick", out.string(), "--memory", "9"})
            .output.starts_with("plan 1: the fastest of the 4 plans"));
  CHECK(run({"pick", out.string()}).output.find("the knee") != std::string::npos);
  const Result none = run({"pick", out.string(), "--memory", "5"});
  CHECK(none.code == kNothingFeasible);
  CHECK(none.messages.find("the smallest memory 6 bytes") != std::string::npos);
  const problems::JsonValue json =
      problems::parsed_json(run({"pick", out.string(), "--knee", "--json"}).output, "pick");
  CHECK(member(json, "schema").text == "paretrain-pick-1");
}

TEST_CASE("snapshot: describes a run") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run(with(search("chain-uniform-n8", out), {"--generations", "2"})).code == 0);
  CHECK(run({"snapshot", out.string()}).output.find("generation    2\n") != std::string::npos);
  const problems::JsonValue json =
      problems::parsed_json(run({"snapshot", out.string(), "--json"}).output, "snapshot");
  CHECK(member(json, "generation").text == "2");
  CHECK(error_text({"snapshot", graph("chain-uniform-n8")}).find("is no snapshot") !=
        std::string::npos);
}

TEST_CASE("compare: holds fronts against the first") {
  const tests::TemporaryFolder folder;
  const fs::path three = folder.path() / "three";
  const fs::path two = folder.path() / "two";
  const std::string model = graph("chain-uniform-n8");
  CHECK(run({"enumerate", model, "-o", three.string()}).code == 0);
  CHECK(
      run(with(search("chain-uniform-n8", two), {"--generations", "0", "--no-warm-start"})).code ==
      0);
  const std::string text = run({"compare", three.string(), two.string()}).output;
  CHECK(text.find("three") != std::string::npos);
  CHECK(text.find("100.0 %") != std::string::npos);
  const problems::JsonValue json = problems::parsed_json(
      run({"compare", three.string(), (two / "front.csv").string(), "--json"}).output, "compare");
  const problems::JsonValue& fronts = member(json, "fronts");
  REQUIRE(fronts.items.size() == 2);
  CHECK(member(fronts.items[0], "covers").items[1].text == "1");
  CHECK(std::stod(member(fronts.items[0], "hypervolume").text) >=
        std::stod(member(fronts.items[1], "hypervolume").text));
  CHECK(error_text({"compare", three.string()}).find("expected two or more") != std::string::npos);
}

TEST_CASE("evaluate: a plan is the same as genome text and plan file and row of a run") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  const std::string model = graph("fused-residual-n5-s22");
  const std::string file = (folder.path() / "plan.json").string();
  CHECK(run({"enumerate", model, "-o", out.string()}).code == 0);
  for (const results::FrontPoint& point : results::read_front(out / "front.csv").points) {
    CAPTURE(point.plan);
    CHECK(run({"export", out.string(), "--plan", point.plan, "-o", file}).code == 0);
    const std::string by_text =
        run({"evaluate", model, "--plan", "genome:" + point.genome, "--json"}).output;
    const std::string by_file = run({"evaluate", model, "--plan", file, "--json"}).output;
    const std::string by_row =
        run({"evaluate", model, "--plan", out.string() + ":" + point.plan, "--json"}).output;
    for (const std::string& text : {by_text, by_file, by_row}) {
      const problems::JsonValue json = problems::parsed_json(text, "evaluate");
      CHECK(std::stod(member(json, "latency_unit").text) == point.latency);
      CHECK(std::stod(member(json, "energy_unit").text) == point.energy);
      CHECK(std::stod(member(json, "peak_memory_bytes").text) == point.memory_bytes);
    }
  }
  CHECK(error_text({"evaluate", model, "--plan", out.string() + ":99"}).find("has no plan '99'") !=
        std::string::npos);
  CHECK(error_text({"export", out.string(), "--plan", "99"}).find("has no plan '99'") !=
        std::string::npos);
  CHECK(error_text({"export", out.string(), "--plan", "0", "--format", "torch"})
            .find("does not write 'torch'") != std::string::npos);
}

TEST_CASE("plot: draws runs and CSV files") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run({"enumerate", graph("chain-uniform-n8"), "-o", out.string()}).code == 0);
  for (const char* const suffix : {"svg", "html"}) {
    const std::string file = (folder.path() / "p.").string() + suffix;
    CHECK(run({"plot", out.string(), "-o", file}).code == 0);
    CHECK(content(file).find("keep-all") != std::string::npos);
  }
  CHECK(error_text({"plot", out.string(), "-o", "p.gif"}) ==
        "p.gif: unknown kind of picture; expected .svg, .png or .html");
}

}  // namespace paretrain::cli
