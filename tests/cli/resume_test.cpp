// Runs that are interrupted, resumed and shared by threads leave the files of one that is not.
#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "problems/json_file.h"
#include "results/front_file.h"
#include "results/run_snapshot.h"
#include "results/snapshot_files.h"
#include "tests/cli/program_run.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

TEST_CASE("resume: says so when nothing is left to do and leaves the tables as they are") {
  const tests::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  CHECK(run(with(search("fused-skip-n4-s15", out), {"--generations", "5"})).code == 0);
  const std::string before = tables(out);
  for (const char* const generations : {"3", "5"}) {
    const Result result = run({"resume", out.string(), "--generations", generations});
    CHECK(result.code == 0);
    CHECK(result.messages.find("resumed from generation 5\n"
                               "nothing is left to do: the number of generations was reached; a "
                               "larger --generations N goes on\n"
                               "gen 5/5  evals ") != std::string::npos);
    CHECK(tables(out) == before);
  }
  const Result further = run({"resume", out.string(), "--generations", "6"});
  CHECK(further.messages.find("nothing is left") == std::string::npos);
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
        "--residency: only for networks on an accelerator: a cost graph has its costs already");
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

TEST_CASE("resume: a snapshot of another run is refused by name") {
  tests::TemporaryFolder folder;
  const fs::path one = folder.path() / "one";
  const fs::path other = folder.path() / "other";
  const std::vector<std::string> generations{"--generations", "2"};
  REQUIRE(run(with(search("chain-uniform-n8", one), generations)).code == 0);
  REQUIRE(run(with(search("fused-residual-n5-s22", other), generations)).code == 0);
  fs::copy_file(one / "snapshot", other / "snapshot", fs::copy_options::overwrite_existing);
  const std::string before = tables(other);
  CHECK(error_text({"resume", other.string(), "--generations", "4"})
            .starts_with((other / "snapshot").string() + ": is of another problem ("));
  CHECK(tables(other) == before);
}

// The limits cut generation 0, some generation of those without and with a snapshot of its own, or
// none; generation 0 has more genomes than the population on account of the warm ones.
TEST_CASE("resume: with more evaluations all files are those of a run that had them at once") {
  const tests::TemporaryFolder folder;
  const auto begun = [&](const fs::path& out, const std::string& most, const char* every) {
    return with(search("fused-residual-n5-s22", out),
                {"--max-evaluations", most, "--generations", "30", "--snapshot-every", every});
  };
  for (const char* const every : {"1", "4"}) {
    for (const char* const end : {"10", "250", "260"}) {
      const fs::path whole = folder.path() / (std::string("whole") + every + "-" + end);
      CHECK(run(begun(whole, end, every)).code == 0);
      for (const char* const most : {"7", "20", "33", "119", "120", "241"}) {
        if (std::stoi(most) > std::stoi(end)) continue;
        CAPTURE(every);
        CAPTURE(end);
        CAPTURE(most);
        const fs::path parts = folder.path() / (std::string(every) + "-" + end + "-" + most);
        CHECK(run(begun(parts, most, every)).code == 0);
        const std::string before = tables(parts);
        const std::string snapshot = content(parts / "snapshot");
        CHECK(run({"resume", parts.string(), "--quiet"}).code == 0);
        CHECK(tables(parts) == before);
        CHECK(content(parts / "snapshot") == snapshot);
        CHECK(run({"resume", parts.string(), "--quiet", "--max-evaluations", end}).code == 0);
        for (const char* const file : kSameFiles)
          CHECK_MESSAGE(content(whole / file) == content(parts / file), file);
        CHECK(fs::exists(whole / "snapshot.previous") == fs::exists(parts / "snapshot.previous"));
        if (fs::exists(whole / "snapshot.previous"))
          CHECK(older_state(whole) == older_state(parts));
      }
    }
  }
}

TEST_CASE("optimize: a generation cut short is in the tables and not in the snapshot") {
  const tests::TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  const std::vector<std::string> arguments{"optimize",
                                           graph("fused-residual-n5-s22"),
                                           "-o",
                                           out,
                                           "--population",
                                           "50",
                                           "--max-evaluations"};
  const Result cut = run(with(arguments, {"170"}));
  CHECK(cut.messages.find("stop: the number of evaluations was reached\nwrote " + out +
                          "\nthe limit of evaluations cut a generation short; a resume with a "
                          "larger --max-evaluations N goes on from generation 2, the last whole "
                          "one\n") != std::string::npos);
  CHECK(content(fs::path(out) / "history.csv").find("\n3,170,") != std::string::npos);
  CHECK(run({"snapshot", out}).output.find("generation    2\nevaluations   150\n") !=
        std::string::npos);
  const Result again = run({"resume", out});
  CHECK(again.messages.find("resumed from generation 2\n") != std::string::npos);
  CHECK(again.messages.find("nothing is left") == std::string::npos);
  CHECK(run(with(arguments, {"150", "--force"})).messages.find("cut") == std::string::npos);
}

TEST_CASE("optimize: of a generation 0 cut short the snapshot says so and resume begins anew") {
  const tests::TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  const std::vector<std::string> limit{"--max-evaluations", "12"};
  const Result cut = run({"optimize",
                          graph("fused-residual-n5-s22"),
                          "-o",
                          out,
                          "--max-evaluations",
                          "12",
                          "--log-generations"});
  CHECK(cut.messages.find("--max-evaluations N begins with generation 0\n") != std::string::npos);
  CHECK(run({"snapshot", out})
            .output.find("generation    none: the limit of evaluations cut the first "
                         "short\nevaluations   0\n") != std::string::npos);
  const Result more = run({"resume", out, "--max-evaluations", "150"});
  CHECK(more.messages.starts_with("resumed before generation 0\n"));
  CHECK(more.messages.find("goes on from generation 0, the last whole one\n") != std::string::npos);
}

}  // namespace paretrain::cli
