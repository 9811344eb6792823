#include "cli/cost.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "cli/command.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::tests {

namespace {

struct Answer {
  int code = 0;
  std::string output;
  std::string messages;
};

Answer cost(std::vector<std::string> words) {
  words.insert(words.begin(), "cost");
  std::ostringstream output;
  std::ostringstream messages;
  cli::Terminal terminal(output, messages, {});
  const int code = cli::dispatch(words, terminal);
  return {code, output.str(), messages.str()};
}

const std::vector<std::string> kLayer = {
    "--accelerator", "edge-tpu-quad", "--op", "conv", "--dims", "K=32 C=32 OY=8 OX=8"};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string message(const std::vector<std::string>& words) {
  try {
    static_cast<void>(cost(words));
  } catch (const InputError& error) {
    return std::string(error.what());
  }
  return std::string();
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("cost: prints the cost of one operator as JSON") {
  const Answer answer = cost(with(kLayer, {"--json"}));
  CHECK(answer.code == cli::kDone);
  CHECK(answer.output.starts_with("{\"cycles\": {\"ideal\": 64, \"spatial\": 0, "));
  CHECK(answer.output.find("\"levels\": {\"rf_128B\": ") != std::string::npos);
  CHECK(answer.output.find("\"O@dram\": {") != std::string::npos);
}

TEST_CASE("cost: prints loops per memory and the best orders") {
  const Answer answer = cost(with(kLayer, {"--explain"}));
  CHECK(answer.output.find("array                        D1=K:32 D2=C:32") != std::string::npos);
  CHECK(answer.output.find("W in rf_128B") != std::string::npos);
  CHECK(answer.output.find("best orders, inner to outer") != std::string::npos);
}

TEST_CASE("cost: takes a given order and unrolling") {
  const Answer answer =
      cost(with(kLayer, {"--spatial", "D1=K:16 D2=C:32", "--order", "K:2 OX:8 OY:8", "--json"}));
  CHECK(answer.output.find("\"order\": \"K:2 OX:8 OY:8\"") != std::string::npos);
  CHECK(answer.output.find("\"spatial\": 64, ") != std::string::npos);
}

TEST_CASE("cost: runs each kind of operator on a core of its kind") {
  const std::vector<std::string> chip = {"--accelerator", "edge-tpu-quad"};
  CHECK(cost(with(chip, {"--op", "pool", "--dims", "K=8 OY=4 OX=4 FY=3 FX=3"}))
            .output.starts_with("core pooling of edge-tpu-quad"));
  CHECK(cost(with(chip, {"--op", "elementwise", "--dims", "K=8 OY=4"}))
            .output.starts_with("core simd of edge-tpu-quad"));
  CHECK(cost(with(chip, {"--op", "reduce", "--dims", "B=4 C=64"}))
            .output.starts_with("core simd of edge-tpu-quad"));
  CHECK(cost(with(chip, {"--op", "matmul", "--dims", "D=4 C=64 K=8"}))
            .output.starts_with("core tpu_like of edge-tpu-quad"));
}

TEST_CASE("cost: says what is wrong with its words") {
  CHECK(message({"--accelerator", "tpu", "--op", "conv", "--dims", "K=0"}).find("found 'K=0'") !=
        std::string::npos);
  CHECK(message(with(kLayer, {"--core", "6"})).find("core 6 has no array units") !=
        std::string::npos);
  CHECK(message(with(kLayer, {"--core", "60"})).find("expected 0 to 6") != std::string::npos);
  CHECK(message(with(kLayer, {"--order", "K:3"})).find("no mapping: the order does not multiply") !=
        std::string::npos);
  CHECK(message({"--accelerator", "tpu"}).find("expected one of --op") != std::string::npos);
}

TEST_CASE("cost: refuses loops that an operator does not have and names that stand twice") {
  const auto of = [](const std::string& kind, const std::string& sizes) {
    return message({"--accelerator", "edge-tpu-quad", "--op", kind, "--dims", sizes});
  };
  CHECK(says(of("conv", "K=8 D=5"), "found 'D=5'; expected loops of a convolution"));
  CHECK(says(of("matmul", "K=8 OY=5"), "found 'OY=5'; expected loops of a matrix product"));
  CHECK(says(of("depthwise", "G=4 K=8"), "found 'K=8'; expected loops of a depthwise"));
  CHECK(says(of("pool", "K=4 C=8"), "found 'C=8'; expected loops of a pooling"));
  CHECK(says(of("conv", "K=8 K=9"), "found 'K=9'; expected K once"));
  CHECK(of("conv", "K=8 D=1 H=1").empty());
}

TEST_CASE("cost: takes the channels of depthwise and pooling under any name") {
  const auto of = [](const std::string& kind, const std::string& sizes) {
    return cost({"--accelerator", "edge-tpu-quad", "--op", kind, "--dims", sizes, "--json"}).output;
  };
  CHECK(of("depthwise", "K=8 OY=4 FY=3") == of("depthwise", "G=8 OY=4 FY=3"));
  CHECK(of("depthwise", "C=8 OY=4 FY=3") == of("depthwise", "G=8 K=8 C=8 OY=4 FY=3"));
  CHECK(of("depthwise", "C=8 OY=4 FY=3") == of("depthwise", "G=8 OY=4 FY=3"));
  CHECK(of("pool", "C=8 OY=4 FY=3") == of("pool", "K=8 OY=4 FY=3"));
  CHECK(of("pool", "K=8 C=8 OY=4 FY=3") == of("pool", "K=8 OY=4 FY=3"));
}

TEST_CASE("cost: refuses options that would do nothing") {
  CHECK(says(message(with(kLayer, {"--recorded"})), "--recorded: means nothing here"));
  CHECK(says(message(with(kLayer, {"--row", "3"})), "--row: means nothing here"));
  CHECK(says(message({"--accelerator", "tpu", "--from-csv", "rows.csv", "--order", "K:2"}),
             "--order: means nothing here; it goes with --op"));
  CHECK(says(message({"--accelerator", "tpu", "--op", "matmul", "--dims", "K=8", "--stride", "2"}),
             "matmul has no windows"));
}

TEST_CASE("cost: lists the best orders in JSON as well") {
  const Answer answer = cost(with(kLayer, {"--json", "--explain"}));
  CHECK(says(answer.output, "\"alternatives\": [{\"cycles\": "));
}

TEST_CASE("cost: an open size of a mapping file takes what the array leaves") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "mapping.yaml";
  write(file,
        "- name: default\n"
        "  spatial_mapping:\n    D1: [\"K, 16\"]\n    D2: [\"C, 32\"]\n"
        "  temporal_ordering:\n    - [K, \"*\"]\n    - [OX, 4]\n    - [OY, \"*\"]\n"
        "    - [OX, \"*\"]\n    - [C, \"*\"]\n");
  const Answer answer = cost(with(kLayer, {"--mapping", file.string(), "--json"}));
  CHECK(says(answer.output, "\"order\": \"K:2 OX:4 OY:8 OX:2\""));
}

TEST_CASE("cost: rows without a recorded order and rows with other axes are no guesses") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "rows.csv";
  const auto rows = [&](const std::string& kind, const std::string& cells) {
    write(file,
          "accelerator,layer,op_type,B,K,C,D,spatial_mapping,temporal_order_inner_to_outer\n"
          "tpu_like,a," +
              kind + "," + cells + "\n");
    return std::vector<std::string>{"--accelerator", "tpu", "--from-csv", file.string()};
  };
  CHECK(cost(with(rows("Gemm", "1,64,64,4,D1=K:32; D2=C:32,"), {"--recorded"})).output ==
        "{\"row\": 0, \"error\": \"no mapping: the row records no order\"}\n");
  CHECK(says(message(rows("Gemm", "1,64,64,4,D1=K:32; D3=C:32,")), ":2: column 'spatial_mapping'"));
  CHECK(says(message(rows("Conv", "1,64,64,4,D1=K:32; D2=C:32,")), ":2: column 'D': found '4'"));
  CHECK(says(message(rows("Gemm", "2147483648,2147483648,64,4,,")), "more than 9e15 operations"));
}

}  // namespace paretrain::tests
