#include "cli/help.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/support/doctest.h"

namespace paretrain::cli {

namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t longest = 0;
  while (std::getline(lines, line)) {
    std::size_t characters = 0;
    for (const char c : line)
      if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++characters;
    longest = std::max(longest, characters);
  }
  return longest;
}

}  // namespace

TEST_CASE("help_text: every command has a whole page within 80 columns") {
  for (const Command& command : commands()) {
    if (command.syntax == nullptr) continue;
    const CommandSyntax syntax = command.syntax();
    CAPTURE(syntax.name);
    CHECK(syntax.name == command.name);
    CHECK(syntax.examples.size() >= 2);
    const std::string text = help_text(syntax);
    CHECK(longest_line(text) <= 80);
    CHECK(text.starts_with("usage: paretrain " + syntax.name));
    CHECK(text.find("examples:") != std::string::npos);
    CHECK(text.find("exit codes:") != std::string::npos);
    for (const OptionGroup& group : syntax.groups)
      for (const Option& option : group.options)
        CHECK(text.find("--" + option.name) != std::string::npos);
  }
}

TEST_CASE("help_text: every default is a value that the option accepts") {
  for (const Command& command : commands()) {
    if (command.syntax == nullptr) continue;
    const CommandSyntax syntax = command.syntax();
    for (const OptionGroup& group : syntax.groups) {
      for (const Option& option : group.options) {
        if (option.default_text.empty() || option.repeatable) continue;
        CAPTURE(syntax.name);
        CAPTURE(option.name);
        CommandSyntax alone{.name = "x",
                            .usage = "x",
                            .description = "",
                            .groups = {{"g", {option}}},
                            .examples = {}};
        CHECK(parsed_options(alone, {"--" + option.name, option.default_text}).has(option.name));
      }
    }
  }
}

TEST_CASE("help_text: bench says that it keeps no snapshot") {
  const auto all = commands();
  const auto bench = std::ranges::find(all, "bench", &Command::name);
  REQUIRE(bench != all.end());
  CHECK(help_text(bench->syntax()).find("There is no snapshot and no resuming") !=
        std::string::npos);
}

TEST_CASE("overview_text: names every command within 80 columns") {
  const std::string text = overview_text(commands());
  CHECK(longest_line(text) <= 80);
  for (const char* const name : {"optimize",
                                 "resume",
                                 "enumerate",
                                 "evaluate",
                                 "inspect",
                                 "cost",
                                 "pick",
                                 "plot",
                                 "export",
                                 "compare",
                                 "snapshot",
                                 "sweep",
                                 "bench",
                                 "list"})
    CHECK(text.find(std::string("  ") + name + " ") != std::string::npos);
}

TEST_CASE("wrapped_text: breaks at blanks and bars") {
  CHECK(wrapped_text("aa bb cc", 0, 5) == "aa bb\ncc");
  CHECK(wrapped_text("aa bb", 3, 6) == "aa\n   bb");
  CHECK(wrapped_text("aa|bb|cc", 0, 4) == "aa|\nbb|\ncc");
  CHECK(wrapped_text("", 0, 10) == "");
}

}  // namespace paretrain::cli
