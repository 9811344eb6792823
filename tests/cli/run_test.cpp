// Whole runs through the command line on the cost graphs of the tree.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "problems/json_file.h"
#include "results/front_file.h"
#include "tests/cli/program_run.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

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

TEST_CASE("optimize: starts from all best plans of a small step, if it may, and says so") {
  const tests::TemporaryFolder folder;
  const std::string name = "fused-residual-n5-s22";
  const problems::JsonValue truth =
      problems::parsed_json(content(fs::path(graph(name)).replace_extension(".front.json")), name);
  const auto front =
      true_front(member(member(truth, "fronts"), "without gradients, latency,energy,peak"));
  const std::vector<std::string> search = {
      "optimize", graph(name), "--generations", "0", "--count-gradients", "off"};
  const fs::path known = folder.path() / "known";
  const Result result = run(with(search, {"-o", known.string()}));
  CHECK(result.code == 0);
  CHECK(result.messages.starts_with("a small step: the search starts from all best plans"));
  CHECK(objectives(known / "front.csv", true) == front);
  const fs::path chance = folder.path() / "chance";
  const Result without = run(with(search, {"-o", chance.string(), "--no-warm-start"}));
  CHECK(without.code == 0);
  CHECK(without.messages.find("a small step") == std::string::npos);
  CHECK(objectives(chance / "front.csv", true) != front);
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

TEST_CASE("evaluate: simulated figures count every micro-batch, as the others do") {
  tests::TemporaryFolder folder;
  const std::string trace = (folder.path() / "trace.json").string();
  const std::vector<std::string> plan{"evaluate",
                                      "mlp",
                                      "--batch",
                                      "4",
                                      "--micro-batch",
                                      "1",
                                      "--accelerator",
                                      "edge-tpu-quad",
                                      "--plan",
                                      "keep-all",
                                      "--json"};
  const auto result = run(with(plan, {"--simulate", "--trace", trace}));
  REQUIRE(result.code == 0);
  const problems::JsonValue document = problems::parsed_json(result.output, "evaluate");
  for (const problems::JsonValue& group : member(document, "groups").items)
    CHECK(member(group, "offchip_bytes").text ==
          member(member(group, "simulated"), "offchip_bytes").text);
  CHECK(error_text(with(plan, {"--trace", trace})) ==
        "--trace: there is nothing to trace without --simulate");
}

TEST_CASE("bench: where nothing is feasible it says so with the least violation") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "none.json").string();
  // Two items of weight 3 must be taken, and nothing is left of the capacity: 6 of -1 is 7 / 2
  // over.
  std::ofstream(file) << R"({"items": 2, "objectives": 2, "constraints": 1, "min_items": 2,
    "profits": [[1, 2], [2, 1]], "weights": [[3, 3]], "capacities": [-1]})";
  const std::string out = (folder.path() / "run").string();
  for (const char* const from : {"archive", "population"}) {
    CAPTURE(from);
    const Result result = run({"bench",
                               "knapsack:" + file,
                               "-o",
                               out,
                               "--force",
                               "--quiet",
                               "--generations",
                               "3",
                               "--result",
                               from});
    CHECK(result.code == kNothingFeasible);
    CHECK(result.messages == std::string("error: nothing feasible ") +
                                 (from[0] == 'a' ? "was found" : "is in the last population") +
                                 "; the least violation found is 1.5 (0: feasible)\n");
    CHECK(content(fs::path(out) / "front.csv") == "plan,f1,f2,genome\n");
    const std::string manifest = content(fs::path(out) / "manifest.json");
    CHECK(manifest.find("\"least_violation\": 1.5") != std::string::npos);
  }
  const Result good =
      run({"bench", "lotz:8", "-o", out, "--force", "--quiet", "--generations", "3"});
  CHECK(good.code == kDone);
  CHECK(good.messages.empty());
}

TEST_CASE("reference: one that no plan is below is warned of by optimize resume and enumerate") {
  const tests::TemporaryFolder folder;
  const std::string name = "chain-uniform-n8";
  const std::string warning =
      "--reference: no plan of the front is below the reference point in every objective, so the "
      "hypervolume is 0";
  const auto warned = [&](const std::vector<std::string>& arguments, const fs::path& out) {
    const Result result = run(arguments);
    CHECK(result.code == kDone);
    CHECK((result.messages == "warning: " + warning + "\n" || result.messages.empty()));
    const bool in_manifest = content(out / "manifest.json").find(warning) != std::string::npos;
    CHECK(in_manifest == !result.messages.empty());
    return in_manifest;
  };
  const fs::path out = folder.path() / "run";
  const std::vector<std::string> begin = with(search(name, out), {"--generations", "2", "--force"});
  CHECK(!warned(begin, out));
  CHECK(!warned(with(begin, {"--reference", "1e12,1e12,1e12"}), out));
  CHECK(warned(with(begin, {"--reference", "1,1,1"}), out));
  CHECK(warned({"resume", out.string(), "--generations", "3", "--quiet"}, out));
  CHECK(warned({"enumerate",
                graph(name),
                "-o",
                out.string(),
                "--force",
                "--quiet",
                "--reference",
                "1e12,1,1e12"},
               out));
}

TEST_CASE("options on fusion are warned of where there is no fusion gene") {
  const tests::TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  const std::vector<std::string> fusion{"--fusion", "greedy", "--max-group-length", "3"};
  const std::string warnings =
      "warning: --fusion has no effect: there is no fusion gene\n"
      "warning: --max-group-length has no effect: there is no fusion gene\n";
  const auto messages = [&](const std::vector<std::string>& arguments) {
    return run(with(arguments, fusion)).messages;
  };
  const std::string chain = graph("chain-uniform-n8");
  CHECK(messages({"evaluate", chain, "--plan", "keep-all"}) == warnings);
  CHECK(messages({"enumerate", chain, "-o", out, "--quiet"}) == warnings);
  CHECK(messages(with(search("chain-uniform-n8", out), {"--generations", "1", "--force"})) ==
        warnings);
  CHECK(content(fs::path(out) / "manifest.json").find("--fusion has no effect") !=
        std::string::npos);
  CHECK(run({"resume", out, "--generations", "2", "--quiet"}).messages == warnings);
  CHECK(messages({"evaluate", graph("fused-residual-n5-s22"), "--plan", "keep-all"}).empty());
  CHECK(run({"evaluate", chain, "--plan", "keep-all", "--fusion", "search"}).messages.empty());
}

}  // namespace paretrain::cli
