// Why: data goes to standard output, messages to standard error, and nothing that a file named
// steers the terminal; every command prints through this one place.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace paretrain::cli {

enum class Verbosity { Normal, Quiet };
enum class Colour { Off, On };
enum class Screen { Plain, Interactive };  // whether standard error is a terminal

struct TerminalStyle {
  Verbosity verbosity = Verbosity::Normal;
  Colour colour = Colour::Off;  // of standard error
  Screen screen = Screen::Plain;
};

class Terminal {
 public:
  Terminal(std::ostream& output, std::ostream& messages, TerminalStyle style)
      : output_(output), messages_(messages), style_(style) {}

  // Data for standard output. Control characters other than line ends and tabs are escaped.
  void data(std::string_view text);
  // One message, with the line end added; silent under --quiet.
  void message(std::string_view text);
  // "warning: …", also under --quiet.
  void warning(std::string_view text);
  // "error: …" for every line that is not a hint, also under --quiet.
  void error(std::string_view text);
  // Replaces the status line; an empty text clears it. On a plain screen a line like any other.
  void status(std::string_view text);

  // Hands over what was written so far.
  void flush();

  void set_verbosity(Verbosity verbosity) { style_.verbosity = verbosity; }

  [[nodiscard]] const TerminalStyle& style() const noexcept { return style_; }

 private:
  void line(std::string_view prefix, std::string_view colour, std::string_view text);
  void clear_status();

  std::ostream& output_;
  std::ostream& messages_;
  TerminalStyle style_;
  bool status_shown_ = false;
};

// --json, --quiet.
[[nodiscard]] OptionGroup output_option_group();

}  // namespace paretrain::cli
