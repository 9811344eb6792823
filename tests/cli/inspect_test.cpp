// The options of a problem, as inspect takes them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/problem_options.h"
#include "tests/cli/program_run.h"
#include "tests/support/doctest.h"

namespace paretrain::cli {

namespace {

using problems::JsonValue;

JsonValue inspected(const std::vector<std::string>& arguments) {
  const Result result = run(with({"inspect"}, with(arguments, {"--json"})));
  CHECK(result.code == 0);
  return problems::parsed_json(result.output, "inspect");
}

std::string number(const JsonValue& document, const std::vector<std::string>& keys) {
  JsonValue value = document;
  for (const std::string& key : keys) {
    JsonValue next = member(value, key);
    value = std::move(next);
  }
  return value.text;
}

std::string messages(const std::vector<std::string>& arguments) {
  return run(with({"inspect"}, arguments)).messages;
}

const std::vector<std::string> kPlaced{"mlp", "--accelerator", "edge-tpu-quad", "--batch", "8"};
// Large enough that --residency takes bytes off the peak.
const std::vector<std::string> kLarge{"mlp", "--accelerator", "edge-tpu-quad", "--batch", "1024"};

}  // namespace

TEST_CASE("every command with a MODEL takes the options of a problem, in the same groups") {
  for (const Command& command : commands()) {
    if (command.syntax == nullptr) continue;
    const CommandSyntax syntax = command.syntax();
    if (syntax.positionals.empty() || syntax.positionals.front().name != "MODEL") continue;
    CAPTURE(syntax.name);
    for (const OptionGroup& wanted : problem_option_groups()) {
      CAPTURE(wanted.title);
      std::vector<std::string> names;
      for (const OptionGroup& group : syntax.groups)
        if (group.title == wanted.title)
          for (const Option& option : group.options)
            names.push_back(option.name);
      for (const Option& option : wanted.options)
        CHECK_MESSAGE(std::ranges::find(names, option.name) != names.end(), option.name);
    }
  }
}

TEST_CASE("inspect: counts the genes that a search has") {
  const JsonValue free = inspected(kPlaced);
  CHECK(number(free, {"plans", "keep_genes", "free"}) == "6");
  CHECK(number(free, {"plans", "fusion_genes", "pinned"}) == "0");
  CHECK(number(free, {"plans", "fusion_genes", "max_group_length"}) == "6");
  const std::string fusion = number(free, {"plans", "fusion_genes", "free"});
  CHECK(fusion != "0");

  const JsonValue held = inspected(with(kPlaced,
                                        {"--keep",
                                         "*Gemm*",
                                         "--recompute",
                                         "*Relu*",
                                         "--fusion",
                                         "greedy",
                                         "--max-group-length",
                                         "3"}));
  CHECK(number(held, {"plans", "keep_genes", "free"}) == "2");
  CHECK(number(held, {"plans", "keep_genes", "kept"}) == "2");
  CHECK(number(held, {"plans", "keep_genes", "recomputed"}) == "2");
  CHECK(number(held, {"plans", "fusion_genes", "free"}) == "0");
  CHECK(number(held, {"plans", "fusion_genes", "pinned"}) == fusion);
  CHECK(number(held, {"plans", "fusion_genes", "max_group_length"}) == "3");
  CHECK(number(inspected(with(kPlaced, {"--checkpointing", "recompute-all"})),
               {"plans", "keep_genes", "recomputed"}) == "6");
}

TEST_CASE("inspect: a cost graph has fusion genes without an accelerator") {
  const JsonValue fused = inspected({graph("fused-residual-n5-s22"), "--max-group-length", "2"});
  CHECK(number(fused, {"plans", "keep_genes", "free"}) == "5");
  CHECK(number(fused, {"plans", "fusion_genes", "free"}) == "18");
  CHECK(number(fused, {"plans", "fusion_genes", "max_group_length"}) == "2");
  CHECK(messages(with(kPlaced, {"--max-group-length", "1"})).empty());
  CHECK(messages({graph("chain-uniform-n8"), "--max-group-length", "2"}) ==
        "warning: --max-group-length has no effect: there is no fusion gene\n");
}

TEST_CASE("inspect: pins are checked with and without an accelerator") {
  const std::string refusal =
      "--keep pool*: matches no candidate; expected a pattern (* and ?) over the names of "
      "candidates\nhint: inspect --json lists the candidates";
  CHECK(error_text({"inspect", "mlp", "--keep", "pool*"}) == refusal);
  CHECK(error_text(with({"inspect"}, with(kPlaced, {"--keep", "pool*"}))) == refusal);
  CHECK(error_text({"inspect", graph("chain-uniform-n8"), "--keep", "pool*"}) == refusal);
  CHECK(error_text({"inspect", "mlp", "--keep", "*Relu*", "--recompute", "*net.1*"})
            .find("which another option pins the other way") != std::string::npos);
}

TEST_CASE("inspect: memory is that of evaluate, limits are compared with it") {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--micro-batch", "2"}, {"--residency"}}) {
    const JsonValue evaluation = problems::parsed_json(
        run(with(with({"evaluate"}, kLarge), with(more, {"--plan", "keep-all", "--json"}))).output,
        "evaluate");
    const std::string peak = member(evaluation, "peak_memory_bytes").text;
    const JsonValue report = inspected(with(with(kLarge, more), {"--memory-limit", peak}));
    CHECK(number(report, {"memory", "keep_all_bytes"}) == peak);
    CHECK(number(report, {"accelerator", "needed_bytes"}) == peak);
    CHECK(number(report, {"memory_limit", "bytes"}) == peak);
  }
  CHECK(run({"inspect", "mlp", "--memory-limit", "1MB"}).output.find("no plan fits") !=
        std::string::npos);
}

TEST_CASE("inspect: says what has no effect") {
  CHECK(messages({"mlp", "--fusion", "none", "--max-group-length", "4", "--residency"}) ==
        "warning: --residency has no effect: nothing runs anywhere without --accelerator\n"
        "warning: --fusion has no effect: fusion genes need --accelerator\n"
        "warning: --max-group-length has no effect: fusion genes need --accelerator\n");
  CHECK(messages({"mlp", "--clock", "1e9"}) ==
        "warning: --clock has no effect: inspect shows no times or energies\n");
  CHECK(messages({"mlp", "--fusion", "search", "--objectives", "energy,memory"}).empty());
  CHECK(error_text({"inspect", "mlp", "--fusion", "plan.json"}) ==
        "--fusion: a plan file is of a problem on an accelerator; expected --accelerator as well");
  CHECK(error_text({"inspect", "mlp", "--count-gradients", "off"}) ==
        "--count-gradients: only for cost graphs; expected a .json model");
  CHECK(
      error_text(with({"inspect"}, with(kPlaced, {"--mapping", "none.yaml"}))).find("none.yaml") !=
      std::string::npos);
}

}  // namespace paretrain::cli
