#include <cstdlib>
#include <iostream>
#include <new>

#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/stop_signals.h"

namespace {

using paretrain::cli::Colour;
using paretrain::cli::Screen;
using paretrain::cli::Terminal;
using paretrain::cli::TerminalStyle;

TerminalStyle detected_style() {
  TerminalStyle style;
  if (isatty(STDERR_FILENO) == 0) return style;
  // Nothing else runs yet that could change the environment.
  const char* const no_colour = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  const char* const kind = std::getenv("TERM");           // NOLINT(concurrency-mt-unsafe)
  if (kind == nullptr || std::string_view(kind) == "dumb") return style;
  style.screen = Screen::Interactive;
  if (no_colour == nullptr || *no_colour == '\0') style.colour = Colour::On;
  return style;
}

int guarded_run(const std::vector<std::string>& arguments, Terminal& terminal) {
  try {
    const int code = paretrain::cli::dispatch(arguments, terminal);
    std::cout.flush();
    if (!std::cout) throw paretrain::IoError("standard output", "cannot be written");
    return code;
  } catch (const paretrain::InputError& error) {
    terminal.error(error.what());
    return paretrain::cli::kWrongInput;
  } catch (const paretrain::IoError& error) {
    terminal.error(error.what());
    return paretrain::cli::kMachineFailed;
  } catch (const std::bad_alloc&) {
    terminal.error("out of memory");
    return paretrain::cli::kMachineFailed;
  }
}

}  // namespace

int main(int count, char** words) {
  paretrain::cli::leave_at_signals();
  Terminal terminal(std::cout, std::cerr, detected_style());
  return guarded_run({words + 1, words + count}, terminal);
}
