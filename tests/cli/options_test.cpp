#include "cli/options.h"

#include <fstream>
#include <string>

#include "base/error.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::cli {

namespace {

CommandSyntax some_syntax() {
  return {.name = "try",
          .usage = "try FILE … [options]",
          .description = "Tries.",
          .positionals = {{"KIND", "a kind"}, {"FILE", "files", false, true}},
          .groups = {{"Group",
                      {{"count", "N", IntegerRange{1, 10}, "how many", "3"},
                       {"share", "X", RealRange{0, 1}, "part"},
                       {"limit", "SIZE", SizeRange{0, 1 << 30}, "memory"},
                       {"mode", "M", Choice{{"fast", "slow"}}, "how", "fast"},
                       {"name", "NAME", AnyText{}, "names", "", true},
                       {"force", "", Flag{}, "replace"},
                       {"output", "DIR", AnyText{}, "folder", "", false, "o"},
                       {"config", "FILE", AnyText{}, "file"}}}},
          .examples = {"paretrain try a", "paretrain try b"}};
}

std::string error_text(const std::vector<std::string>& arguments) {
  try {
    static_cast<void>(parsed_options(some_syntax(), arguments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("parsed_options: values and defaults and words") {
  const Options options = parsed_options(some_syntax(),
                                         {"a",
                                          "--count",
                                          "7",
                                          "x.csv",
                                          "-o",
                                          "out",
                                          "--name",
                                          "p",
                                          "--name=q",
                                          "y.csv",
                                          "--limit",
                                          "64MiB"});
  CHECK(options.positional("KIND") == "a");
  CHECK(options.positionals("FILE") == std::vector<std::string>{"x.csv", "y.csv"});
  CHECK(options.integer("count") == 7);
  CHECK(options.bytes("limit") == 64 << 20);
  CHECK(options.texts("name") == std::vector<std::string>{"p", "q"});
  CHECK(options.text("output") == "out");
  CHECK(options.text("mode") == "fast");
  CHECK(!options.flag("force"));
  CHECK(!options.has("share"));
  CHECK(options.is_given("count"));
  CHECK(!options.is_given("mode"));
}

TEST_CASE("parsed_options: numbers out of range are refused with the range") {
  CHECK(error_text({"a", "--count", "0"}) == "--count: '0' is out of range; expected 1 to 10");
  CHECK(error_text({"a", "--count", "-3"}) == "--count: '-3' is out of range; expected 1 to 10");
  CHECK(error_text({"a", "--count", "2.5"}) ==
        "--count: '2.5' is not a whole number in range; expected 1 to 10");
  for (const char* const bad : {"nan", "inf", "1e400", "", "0x1", "1.5"}) {
    CAPTURE(bad);
    CHECK(error_text({"a", "--share", bad}) != "");
  }
  CHECK(error_text({"a", "--limit", "2GiB"}).find("expected 0 to 1073741824 bytes") !=
        std::string::npos);
}

TEST_CASE("parsed_options: every problem in one go") {
  const std::string text = error_text({"--count", "0", "--mode", "fest"});
  CHECK(text.find("--count: '0'") != std::string::npos);
  CHECK(text.find("--mode: 'fest' is not known; expected fast|slow\nhint: did you mean fast?") !=
        std::string::npos);
  CHECK(text.find("KIND is missing; expected a kind") != std::string::npos);
}

TEST_CASE("parsed_options: an empty word is refused by the name of its place") {
  CHECK(error_text({""}) == "KIND: '' is empty; expected a kind");
}

TEST_CASE("parsed_options: no abbreviations and unknown options name the nearest") {
  CHECK(error_text({"a", "--cou", "3"}) ==
        "paretrain try: unknown option --cou\nhint: did you mean --count? `paretrain try --help` "
        "lists the options");
  CHECK(error_text({"a", "--zzzzzzzz"}) ==
        "paretrain try: unknown option --zzzzzzzz\nhint: `paretrain try --help` lists the options");
  CHECK(error_text({"a", "--count", "1", "--count", "2"}) != "");
  CHECK(error_text({"a", "--count"}) != "");
}

TEST_CASE("parsed_options: extra words are refused") {
  CommandSyntax syntax = some_syntax();
  syntax.positionals.pop_back();
  CHECK_THROWS_WITH_AS(static_cast<void>(parsed_options(syntax, {"a", "b\x1b"})),
                       doctest::Contains("extra word 'b\\x1b'"),
                       InputError);
}

TEST_CASE("parsed_options: the command line wins over the config file") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.cfg").string();
  std::ofstream(file) << "# comment\ncount = 5\nmode = slow\nforce = true\n";
  const Options options = parsed_options(some_syntax(), {"a", "--count", "9", "--config", file});
  CHECK(options.integer("count") == 9);
  CHECK(options.text("mode") == "slow");
  CHECK(options.flag("force"));
  CHECK(options.is_given("mode"));
}

TEST_CASE("parsed_options: a fault of the config file has its line") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.cfg").string();
  std::ofstream(file) << "count = 5\nmodus = slow\n";
  CHECK(error_text({"a", "--config", file}).starts_with(file + ":2: unknown option modus"));
  CHECK(error_text({"a", "--config", file + "no"}) == file + "no: no such file");
}

TEST_CASE("parsed_options: all faults of the config file and the command line in one go") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.cfg").string();
  std::ofstream(file) << "# comment\n\n  count = x  # too\r\nmodus = slow\nshare = 7\nlimit =\n"
                      << "name =\nforce = maybe\nmode\n= 3\nmode = fest\nshare = 0.5\nconfig = d\n";
  CHECK(error_text({"--limit", "no", "--config", file}) ==
        "--limit: 'no' is not a size in bytes; expected 0 to 1073741824 bytes, or with a unit "
        "(64MiB, 1.5GB)\n" +
            file + ":3: --count: 'x' is not a whole number in range; expected 1 to 10\n" + file +
            ":4: unknown option modus\nhint: did you mean --mode? `paretrain try --help` lists the "
            "options\n" +
            file + ":5: --share: '7' is out of range; expected 0 to 1\n" + file +
            ":6: --limit: '' is not a size in bytes; expected 0 to 1073741824 bytes, or with a "
            "unit (64MiB, 1.5GB)\n" +
            file + ":7: --name: '' is empty; expected a value\n" + file +
            ":8: --force: 'maybe' is not known; expected true|false\n" + file +
            ":9: found 'mode'; expected a line `option = value`\n" + file +
            ":10: found '= 3'; expected a line `option = value`\n" + file +
            ":11: --mode: 'fest' is not known; expected fast|slow\nhint: did you mean fast?\n" +
            file + ":12: --share: is given twice\n" + file +
            ":13: --config: is not for config files\n"
            "paretrain try: KIND is missing; expected a kind\nhint: usage: paretrain try FILE … "
            "[options]");
}

TEST_CASE("parsed_options: of an option that may be repeated the config file adds to the values") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.cfg").string();
  std::ofstream(file) << "name = p = q\nname=r\nforce = false";
  const Options options = parsed_options(some_syntax(), {"a", "--name", "o", "--config", file});
  CHECK(options.texts("name") == std::vector<std::string>{"o", "p = q", "r"});
  CHECK(!options.flag("force"));
}

TEST_CASE("placed: an option of the config file is found in it unless the command line wins") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.cfg").string();
  std::ofstream(file) << "share = 0.5\ncount = 4\n";
  const Options options = parsed_options(some_syntax(), {"a", "--count", "9", "--config", file});
  const InputError error({Problem{"--share", "s", "h"}, {"--count", "c", ""}, {"x", "y", ""}});
  CHECK(std::string(options.placed(error).what()) ==
        file + ":1: --share: s\nhint: h\n--count: c\nx: y");
}

TEST_CASE("config_text: reads back to the same options") {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "c.cfg").string();
  const Options before =
      parsed_options(some_syntax(), {"a", "--count", "9", "--name", "p", "--name", "q", "--force"});
  std::ofstream(file) << config_text(some_syntax(), before);
  const Options after = parsed_options(some_syntax(), {"a", "--config", file});
  CHECK(after.integer("count") == 9);
  CHECK(after.texts("name") == before.texts("name"));
  CHECK(after.flag("force"));
  CHECK(!after.has("share"));
}

}  // namespace paretrain::cli
