#include "cli/option_values.h"

#include <algorithm>

#include "base/nearest_name.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::cli {

namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

// What is wrong with one value; empty when nothing is.
struct ValueCheck {
  std::string operator()(const Flag&) const { return ""; }

  std::string operator()(const AnyText&) const { return text.empty() ? "is empty" : ""; }

  std::string operator()(const IntegerRange& range) const {
    const auto number = parsed_integer(text);
    if (number && *number >= range.least && *number <= range.most) return "";
    return number ? "is out of range" : "is not a whole number in range";
  }

  std::string operator()(const RealRange& range) const {
    const auto number = parsed_number(text);
    if (number && *number >= range.least && *number <= range.most) return "";
    return number ? "is out of range" : "is not a number in range";
  }

  std::string operator()(const SizeRange& range) const {
    const auto number = parsed_bytes(text);
    if (number && *number >= range.least && *number <= range.most) return "";
    return number ? "is out of range" : "is not a size in bytes";
  }

  std::string operator()(const Choice& choice) const {
    return std::ranges::find(choice.names, text) != choice.names.end() ? "" : "is not known";
  }

  const std::string& text;
};

}  // namespace

bool is_flag(const Option& option) {
  return std::holds_alternative<Flag>(option.kind);
}

std::string dashed(const Option& option) {
  return "--" + option.name;
}

const Option* option_named(const CommandSyntax& syntax, const std::string& name) {
  for (const OptionGroup& group : syntax.groups)
    for (const Option& option : group.options)
      if (option.name == name) return &option;
  return nullptr;
}

std::optional<bool> truth_value(const std::string& text) {
  for (const char* const yes : {"true", "yes", "on", "1"})
    if (text == yes) return true;
  for (const char* const no : {"false", "no", "off", "0"})
    if (text == no) return false;
  return std::nullopt;
}

std::string range_text(const OptionKind& kind) {
  if (const auto* const range = std::get_if<IntegerRange>(&kind))
    return number_text(range->least) + " to " + number_text(range->most);
  if (const auto* const range = std::get_if<RealRange>(&kind))
    return number_text(range->least) + " to " + number_text(range->most);
  if (const auto* const range = std::get_if<SizeRange>(&kind)) {
    return number_text(range->least) + " to " + number_text(range->most) +
           " bytes, or with a unit (64MiB, 1.5GB)";
  }
  if (const auto* const choice = std::get_if<Choice>(&kind)) return joined(choice->names, "|");
  return "";
}

void check_value(const Option& option,
                 const std::string& where,
                 const std::string& text,
                 std::vector<Problem>& problems) {
  const std::string wrong = std::visit(ValueCheck{text}, option.kind);
  if (wrong.empty()) return;
  const std::string range = range_text(option.kind);
  std::string hint;
  if (const auto* const choice = std::get_if<Choice>(&option.kind)) {
    if (const auto near = nearest_name(text, choice->names)) hint = "did you mean " + *near + "?";
  }
  problems.push_back(
      {where,
       "'" + printable(text) + "' " + wrong +
           (range.empty() ? std::string("; expected a value") : "; expected " + range),
       hint});
}

}  // namespace paretrain::cli
