#include "cli/help.h"

#include <algorithm>

#include "base/check.h"
#include "cli/option_values.h"

namespace paretrain::cli {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 28;
constexpr std::size_t kListColumn = 14;

std::string option_head(const Option& option) {
  std::string head = option.letter.empty() ? "  --" : "  -" + option.letter + ", --";
  head += option.name;
  if (!option.value_name.empty()) head += " " + option.value_name;
  return head;
}

std::string option_body(const Option& option) {
  std::string body = option.description;
  const std::string range = range_text(option.kind);
  if (!range.empty()) body += "; " + range;
  if (option.repeatable) body += "; repeatable";
  if (!option.default_text.empty()) body += " (default: " + option.default_text + ")";
  return body;
}

std::string entry(std::string head, std::string_view body, std::size_t column = kColumn) {
  if (head.size() + 2 > column) {
    head += '\n' + std::string(column, ' ');
  } else {
    head.resize(column, ' ');
  }
  return head + wrapped_text(body, column, kWidth) + '\n';
}

constexpr std::string_view kExitCodes =
    "exit codes:\n"
    "  0  done\n"
    "  2  wrong input or option\n"
    "  3  the machine failed: disk, permission, memory, closed output\n"
    "  4  nothing feasible under the given limits\n"
    "  129, 130, 143  stopped by SIGHUP, SIGINT, SIGTERM; a search saves first\n";

}  // namespace

std::string wrapped_text(std::string_view text, std::size_t column, std::size_t width) {
  CHECK(column < width, "no room for text");
  std::string result;
  std::size_t at = column;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (at != column && at + 1 + word.size() > width) {
      result += '\n' + std::string(column, ' ');
      at = column;
    } else if (at != column) {
      result += ' ';
      ++at;
    }
    while (at + word.size() > width) {  // a list of choices longer than a line breaks after a bar
      std::size_t cut = word.substr(0, width - at).rfind('|');
      cut = cut == std::string_view::npos ? width - at : cut + 1;
      result += std::string(word.substr(0, cut)) + '\n' + std::string(column, ' ');
      word.remove_prefix(cut);
      at = column;
    }
    result += word;
    at += word.size();
  }
  return result;
}

std::string help_text(const CommandSyntax& syntax) {
  std::string text = "usage: " + wrapped_text("paretrain " + syntax.usage, 7, kWidth) + "\n\n";
  text += wrapped_text(syntax.description, 0, kWidth) + "\n\nexamples:\n";
  for (const std::string& example : syntax.examples)
    text += "  " + wrapped_text(example, 2, kWidth) + '\n';
  if (!syntax.positionals.empty()) text += "\narguments:\n";
  for (const Positional& positional : syntax.positionals)
    text += entry("  " + positional.name, positional.description);
  for (const OptionGroup& group : syntax.groups) {
    text += '\n' + group.title + ":\n";
    for (const Option& option : group.options)
      text += entry(option_head(option), option_body(option));
  }
  text += entry("  -h, --help", "print this page");
  for (const std::string& note : syntax.notes)
    text += '\n' + wrapped_text(note, 0, kWidth) + '\n';
  return text + '\n' + std::string(kExitCodes);
}

std::string overview_text(std::span<const Command> list) {
  std::string text =
      "usage: paretrain COMMAND [arguments]\n\n" +
      wrapped_text(
          "Finds, for a neural network and an accelerator, the plans of one training step "
          "that are Pareto-optimal in latency, energy and peak memory.",
          0,
          kWidth) +
      "\n\nexamples:\n"
      "  paretrain optimize resnet18 --accelerator edge-tpu-quad -o runs/first\n"
      "  paretrain pick runs/first --knee\n\ncommands:\n";
  for (const Command& command : list)
    text += entry("  " + std::string(command.name), command.summary, kListColumn);
  text += '\n' +
          wrapped_text(
              "`paretrain COMMAND --help` describes a command; `paretrain --version` prints "
              "the version.",
              0,
              kWidth) +
          "\n\n";
  return text + std::string(kExitCodes);
}

}  // namespace paretrain::cli
