#include "cli/terminal.h"

#include <sstream>

#include "base/error.h"
#include "cli/command.h"
#include "tests/support/doctest.h"

namespace paretrain::cli {

TEST_CASE("Terminal: data and messages go their own ways and hostile text is harmless") {
  std::ostringstream output;
  std::ostringstream messages;
  Terminal terminal(output, messages, {});
  terminal.data("row\t1\nname \x1b[31m\n");
  terminal.message("hello \a");
  terminal.warning("watch\x7F");
  terminal.error("f.csv: bad\nhint: do good\ng.csv: worse");
  CHECK(output.str() == "row\t1\nname \\x1b[31m\n");
  CHECK(
      messages.str() ==
      "hello \\x07\nwarning: watch\\x7f\nerror: f.csv: bad\nhint: do good\nerror: g.csv: worse\n");
}

TEST_CASE("Terminal: quiet leaves warnings and errors") {
  std::ostringstream output;
  std::ostringstream messages;
  Terminal terminal(output, messages, {.verbosity = Verbosity::Quiet});
  terminal.message("hello");
  terminal.status("gen 1/2");
  terminal.warning("w");
  CHECK(messages.str() == "warning: w\n");
}

TEST_CASE("Terminal: an interactive status line is replaced and colour is only for prefixes") {
  std::ostringstream output;
  std::ostringstream messages;
  Terminal terminal(output, messages, {.colour = Colour::On, .screen = Screen::Interactive});
  terminal.status("gen 1/2");
  terminal.status("gen 2/2");
  terminal.warning("w");
  CHECK(messages.str() == "gen 1/2\r\x1b[2Kgen 2/2\r\x1b[2K\x1b[1;33mwarning: \x1b[0mw\n");
}

TEST_CASE("dispatch: answers without a command and for unknown ones") {
  std::ostringstream output;
  std::ostringstream messages;
  Terminal terminal(output, messages, {});
  CHECK(dispatch({"--version"}, terminal) == 0);
  CHECK(output.str().starts_with("paretrain "));
  CHECK(dispatch({"plot", "--help"}, terminal) == 0);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(dispatch({}, terminal)), doctest::Contains("no command given"), InputError);
  CHECK_THROWS_WITH_AS(static_cast<void>(dispatch({"optimise"}, terminal)),
                       doctest::Contains("did you mean optimize?"),
                       InputError);
}

}  // namespace paretrain::cli
