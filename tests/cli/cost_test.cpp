#include "cli/cost.h"

#include <sstream>

#include "base/error.h"
#include "cli/command.h"
#include "tests/support/doctest.h"

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
  const auto message = [](const std::vector<std::string>& words) {
    try {
      static_cast<void>(cost(words));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message({"--accelerator", "tpu", "--op", "conv", "--dims", "K=0"}).find("found 'K=0'") !=
        std::string::npos);
  CHECK(message(with(kLayer, {"--core", "6"})).find("core 6 has no array units") !=
        std::string::npos);
  CHECK(message(with(kLayer, {"--core", "60"})).find("expected 0 to 6") != std::string::npos);
  CHECK(message(with(kLayer, {"--order", "K:3"})).find("no mapping: the order does not multiply") !=
        std::string::npos);
  CHECK(message({"--accelerator", "tpu"}).find("expected one of --op") != std::string::npos);
}

}  // namespace paretrain::tests
