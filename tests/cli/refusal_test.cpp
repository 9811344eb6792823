// Wrong input of the whole program: what it says, before anything is written.
#include <fstream>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "tests/cli/program_run.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

std::string evaluated(const std::string& model, const std::vector<std::string>& more) {
  return error_text(with({"evaluate", model, "--plan", "keep-all"}, more));
}

}  // namespace

TEST_CASE("cost graph: options of a network or an accelerator are refused") {
  const std::string model = graph("chain-uniform-n8");
  const std::string network = ": only for networks: a cost graph is a training step already";
  const std::string chip =
      ": only for networks on an accelerator: a cost graph has its costs already";
  CHECK(evaluated(model, {"--batch", "4"}) == "--batch" + network);
  CHECK(evaluated(model, {"--dim", "N=4"}) == "--dim" + network);
  CHECK(evaluated(model, {"--optimizer", "sgd"}) == "--optimizer" + network);
  CHECK(evaluated(model, {"--inference"}) == "--inference" + network);
  CHECK(evaluated(model, {"--cost-model", "zigzag"}) == "--cost-model" + chip);
  CHECK(evaluated(model, {"--tile-objective", "edp"}) == "--tile-objective" + chip);
  CHECK(evaluated(model, {"--mapping", "none.yaml"}) == "--mapping" + chip);
  CHECK(evaluated(model, {"--residency"}) == "--residency" + chip);
  CHECK(evaluated(model, {"--accelerator", "tpu"}) == "--accelerator" + chip);
  CHECK(evaluated(model, {"--precision", "fp16", "--cost-model", "zigzag"}) ==
        "--precision" + network + "\n--cost-model" + chip);
  CHECK(error_text({"inspect", model, "--batch", "4"}) == "--batch" + network);
  CHECK(evaluated(model, {"--clock", "1e9"}) ==
        "--clock: only for latencies in cycles; those of this cost graph are in 'unit'");
  // What holds anyway may be said; a printed config file says all of it.
  CHECK(evaluated(model, {"--cost-model", "corrected", "--optimizer", "adam"}).empty());
  CHECK(evaluated(model, {"--count-gradients", "off"}).empty());
}

TEST_CASE("cost graph: a config file that was printed for it is read back") {
  const tests::TemporaryFolder folder;
  const std::string model = graph("chain-uniform-n8");
  const std::string file = (folder.path() / "config").string();
  const std::string out = (folder.path() / "run").string();
  const std::vector<std::string> search{"optimize", model, "-o", out, "--generations", "1"};
  std::ofstream(file) << run(with(search, {"--print-config"})).output;
  CHECK(run(with(search, {"--config", file, "--quiet"})).code == 0);
}

TEST_CASE("a folder in the place of a file is called one") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.path().string();
  const std::string is_folder = path + ": is a folder; expected ";
  const std::string model = graph("chain-uniform-n8");
  const std::string out = (folder.path() / "run").string();
  CHECK(error_text({"evaluate", model, "--plan", path}) ==
        is_folder + "a plan\nhint: DIR:ID is plan ID of the run in DIR, as in " + path + ":0");
  CHECK(error_text({"evaluate", model, "--plan", path + ":0"}) ==
        path + ": holds no results; expected the folder of a run");
  CHECK(evaluated(path, {"--accelerator", "tpu"}) == is_folder + "an ONNX model");
  CHECK(evaluated("mlp", {"--accelerator", path}) == is_folder + "a file");
  CHECK(evaluated("mlp", {"--accelerator", "tpu", "--mapping", path}) == is_folder + "a file");
  CHECK(error_text({"optimize", model, "-o", out, "--fusion", path}) == is_folder + "a file");
  CHECK(error_text({"optimize", model, "-o", out, "--config", path}) ==
        is_folder + "a file of lines `option = value`");
  CHECK(error_text({"bench", "knapsack:" + path, "-o", out}) == is_folder + "a file");
  CHECK(error_text({"cost", "--accelerator", "tpu", "--from-csv", path}) == is_folder + "a file");
  CHECK(!fs::exists(out));
}

TEST_CASE("a pipe that nobody writes to is refused at once in the place of every file") {
  const tests::TemporaryFolder folder;
  const std::string model = graph("chain-uniform-n8");
  const std::string out = (folder.path() / "run").string();
  const auto pipe = [&](const fs::path& name) {
    const fs::path path = folder.path() / name;
    fs::create_directories(path.parent_path());
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    return path.string();
  };
  const auto refusal = [](const std::string& path) {
    return path + ": is not a file but a pipe or a device; expected a";
  };
  const std::string json = pipe("pipe.json");
  CHECK(error_text({"inspect", json}).starts_with(refusal(json)));
  CHECK(error_text({"bench", "knapsack:" + json, "-o", out}).starts_with(refusal(json)));
  CHECK(error_text({"bench", "mnk:" + json, "-o", out}).starts_with(refusal(json)));
  CHECK(error_text({"evaluate", model, "--plan", json}).starts_with(refusal(json)));
  CHECK(error_text({"optimize", model, "-o", out, "--fusion", json}).starts_with(refusal(json)));
  const std::string onnx = pipe("pipe.onnx");
  CHECK(evaluated(onnx, {"--accelerator", "tpu"}).starts_with(refusal(onnx)));
  const std::string yaml = pipe("pipe.yaml");
  CHECK(evaluated("mlp", {"--accelerator", yaml}).starts_with(refusal(yaml)));
  CHECK(evaluated("mlp", {"--accelerator", "tpu", "--mapping", yaml}).starts_with(refusal(yaml)));
  CHECK(
      error_text({"cost", "--accelerator", "tpu", "--from-csv", yaml}).starts_with(refusal(yaml)));
  const std::string config = pipe("pipe.cfg");
  CHECK(
      error_text({"optimize", model, "-o", out, "--config", config}).starts_with(refusal(config)));
  const std::string front = pipe("front/front.csv");
  for (const std::string& place : {front, (folder.path() / "front").string()}) {
    CHECK(error_text({"pick", place, "--knee"}).starts_with(refusal(front)));
    CHECK(error_text({"plot", place, "-o", out + ".svg"}).starts_with(refusal(front)));
    CHECK(error_text({"compare", place, place}).starts_with(refusal(front)));
  }
  const std::string snapshot = pipe("snapshots/snapshot");
  CHECK(error_text({"snapshot", snapshot}).starts_with(refusal(snapshot)));
  CHECK(error_text({"resume", fs::path(snapshot).parent_path().string()}).find(refusal(snapshot)) !=
        std::string::npos);
  CHECK(!fs::exists(out));
}

TEST_CASE("a bad value of the config file is told of with its line also when it is found late") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "run.cfg").string();
  const std::string out = (folder.path() / "run").string();
  const std::vector<std::string> arguments{
      "optimize", graph("chain-uniform-n8"), "-o", out, "--config", file};
  const auto told = [&](const std::string& line) {
    std::ofstream(file) << "# a comment\n" << line << "\n";
    return error_text(arguments);
  };
  const std::string place = file + ":2: --";
  CHECK(told("population = x").starts_with(place + "population: 'x' is not a whole number"));
  CHECK(told("max-seconds = soon").starts_with(place + "max-seconds: 'soon' is not a number"));
  CHECK(told("memory-limit =").starts_with(place + "memory-limit: '' is not a size"));
  CHECK(told("no-warm-start = 3").starts_with(place + "no-warm-start: '3' is not known"));
  CHECK(told("reference = 1,b,2").starts_with(place + "reference: "));
  CHECK(told("reference = 1,2").starts_with(place + "reference: 2 numbers found"));
  CHECK(told("objectives = memory,x").starts_with(place + "objectives: "));
  CHECK(told("cost-model = zigzag").starts_with(place + "cost-model: only for"));
}

TEST_CASE("evaluate: a plan file that gives a key twice is refused with the line") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "plan.json").string();
  std::ofstream(file)
      << "{\"schema\": \"paretrain-plan-1\",\n\"genome\": \"a\",\n\"genome\": \"b\"}";
  CHECK(error_text({"evaluate", graph("chain-uniform-n8"), "--plan", file}) ==
        file + ":3: the key 'genome' is given twice");
}

TEST_CASE("residency: a genome text made without it is refused with it") {
  const std::vector<std::string> plan{
      "evaluate", "mlp", "--accelerator", "edge-tpu-quad", "--plan"};
  const Result result = run(with(plan, {"keep-all", "--json"}));
  const problems::JsonValue document = problems::parsed_json(result.output, "evaluate");
  const std::string text = "genome:" + member(document, "genome").text;
  CHECK(error_text(with(plan, {text})).empty());
  CHECK(error_text(with(plan, {text, "--residency"})).find("is of another problem") !=
        std::string::npos);
}

}  // namespace paretrain::cli
