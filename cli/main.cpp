#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/stop_signals.h"

namespace {

using paretrain::cli::Colour;
using paretrain::cli::Screen;
using paretrain::cli::Terminal;
using paretrain::cli::TerminalStyle;

// A program may be started with its standard streams closed. The next file opened would have their
// number then, and what is said there would be written into it. Each gets a file here that it
// cannot be used with, so that reading and writing fail as they ought to.
void occupy_standard_streams() {
  constexpr std::array kUseless{O_WRONLY, O_RDONLY, O_RDONLY};
  static_assert(STDIN_FILENO == 0 && STDOUT_FILENO == 1 && STDERR_FILENO == 2);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free: all below are taken.
    if (::open("/dev/null", kUseless[static_cast<std::size_t>(stream)]) != stream)
      std::_Exit(paretrain::cli::kMachineFailed);
  }
}

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
    if (!std::cerr && code == paretrain::cli::kDone) return paretrain::cli::kMachineFailed;
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
  occupy_standard_streams();
  paretrain::cli::leave_at_signals();
  Terminal terminal(std::cout, std::cerr, detected_style());
  return guarded_run({words + 1, words + count}, terminal);
}
