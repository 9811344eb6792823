#include "cli/terminal.h"

#include <ostream>

#include "base/printable_text.h"

namespace paretrain::cli {

namespace {

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kClearLine = "\r\x1b[2K";

}  // namespace

void Terminal::clear_status() {
  if (!status_shown_) return;
  messages_ << kClearLine;
  status_shown_ = false;
}

void Terminal::line(std::string_view prefix, std::string_view colour, std::string_view text) {
  clear_status();
  if (style_.colour == Colour::On && !prefix.empty()) {
    messages_ << colour << prefix << kPlain;
  } else {
    messages_ << prefix;
  }
  messages_ << printable_lines(text) << '\n' << std::flush;
}

void Terminal::data(std::string_view text) {
  if (status_shown_) {
    clear_status();
    messages_ << std::flush;
  }
  output_ << printable_lines(text);
}

void Terminal::message(std::string_view text) {
  if (style_.verbosity == Verbosity::Quiet) return;
  line("", "", text);
}

void Terminal::warning(std::string_view text) {
  line("warning: ", kYellow, text);
}

void Terminal::error(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    if (one.starts_with("hint: ")) {
      line("", "", one);
    } else {
      line("error: ", kRed, one);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void Terminal::status(std::string_view text) {
  if (style_.verbosity == Verbosity::Quiet) return;
  if (style_.screen == Screen::Plain) {
    if (!text.empty()) line("", "", text);
    return;
  }
  clear_status();
  messages_ << printable(text) << std::flush;
  status_shown_ = !text.empty();
}

void Terminal::flush() {
  output_.flush();
  messages_.flush();
}

OptionGroup output_option_group() {
  return {"Output",
          {{"json", "", Flag{}, "print one JSON document"},
           {"quiet", "", Flag{}, "no messages or progress, only warnings and errors"}}};
}

}  // namespace paretrain::cli
