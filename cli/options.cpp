#include "cli/options.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <type_traits>
#include <utility>

#include <boost/program_options.hpp>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::cli {

namespace {

namespace po = boost::program_options;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

bool is_flag(const Option& option) {
  return std::holds_alternative<Flag>(option.kind);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

po::options_description description_of(const CommandSyntax& syntax) {
  po::options_description description;
  for (const OptionGroup& group : syntax.groups) {
    for (const Option& option : group.options) {
      const std::string names =
          option.letter.empty() ? option.name : option.name + "," + option.letter;
      if (is_flag(option)) {
        description.add_options()(names.c_str(), po::bool_switch(), "");
      } else if (option.repeatable) {
        description.add_options()(
            names.c_str(), po::value<std::vector<std::string>>()->composing(), "");
      } else {
        description.add_options()(names.c_str(), po::value<std::string>(), "");
      }
    }
  }
  return description;
}

std::vector<std::string> option_names(const CommandSyntax& syntax) {
  std::vector<std::string> names;
  for (const OptionGroup& group : syntax.groups)
    for (const Option& option : group.options)
      names.push_back(option.name);
  return names;
}

std::string bare_name(std::string name) {
  while (name.starts_with('-'))
    name.erase(0, 1);
  return name;
}

[[noreturn]] void fail_unknown(const CommandSyntax& syntax,
                               const std::string& where,
                               const std::string& name) {
  const auto near = nearest_name(bare_name(name), option_names(syntax));
  std::string hint = near ? "did you mean --" + *near + "? " : "";
  hint += "`paretrain " + syntax.name + " --help` lists the options";
  throw InputError(Problem{where, "unknown option " + printable(name), hint});
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

void check_value(const Option& option, const std::string& text, std::vector<Problem>& problems) {
  const std::string wrong = std::visit(ValueCheck{text}, option.kind);
  if (wrong.empty()) return;
  const std::string range = range_text(option.kind);
  std::string hint;
  if (const auto* const choice = std::get_if<Choice>(&option.kind)) {
    if (const auto near = nearest_name(text, choice->names)) hint = "did you mean " + *near + "?";
  }
  problems.push_back(
      {"--" + option.name,
       "'" + printable(text) + "' " + wrong +
           (range.empty() ? std::string("; expected a value") : "; expected " + range),
       hint});
}

std::vector<std::string> values_of(const Option& option, const po::variable_value& value) {
  if (is_flag(option)) return {value.as<bool>() ? "true" : "false"};
  if (option.repeatable) return value.as<std::vector<std::string>>();
  return {value.as<std::string>()};
}

// The line of a config file that sets `name`, for error messages; 0 when none does.
std::size_t config_line(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line.compare(first, name.size(), name) != 0) continue;
    return number;
  }
  return 0;
}

std::string config_place(const std::string& file,
                         const std::string& text,
                         const std::string& name) {
  const std::size_t line = config_line(text, bare_name(name));
  return line == 0 ? file : file + ":" + number_text(static_cast<std::int64_t>(line));
}

void add_config_file(const CommandSyntax& syntax,
                     const std::string& file,
                     const po::options_description& description,
                     po::variables_map& map) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(Problem{file, "is a folder; expected a file of lines `option = value`", ""});
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  if (!stream || !(content << stream.rdbuf()))
    throw InputError(
        Problem{file, "cannot be read; expected a file of lines `option = value`", ""});
  const std::string text = content.str();
  std::istringstream lines(text);
  try {
    po::store(po::parse_config_file(lines, description), map);
  } catch (const po::unknown_option& error) {
    fail_unknown(
        syntax, config_place(file, text, error.get_option_name()), error.get_option_name());
  } catch (const po::error_with_option_name& error) {
    throw InputError(Problem{config_place(file, text, error.get_option_name()), error.what(), ""});
  } catch (const po::error& error) {
    throw InputError(Problem{file, error.what(), "expected lines `option = value`"});
  }
}

struct ParsedWords {
  po::variables_map map;
  std::vector<std::string> words;  // without dashes
};

ParsedWords parsed_words(const CommandSyntax& syntax, const std::vector<std::string>& arguments) {
  const po::options_description description = description_of(syntax);
  ParsedWords parsed;
  try {
    constexpr int kStyle = po::command_line_style::default_style &
                           ~static_cast<int>(po::command_line_style::allow_guessing);
    const po::parsed_options raw =
        po::command_line_parser(arguments).options(description).style(kStyle).run();
    for (const po::option& option : raw.options) {
      if (option.string_key.empty())
        parsed.words.insert(parsed.words.end(), option.value.begin(), option.value.end());
    }
    po::store(raw, parsed.map);
  } catch (const po::unknown_option& error) {
    fail_unknown(syntax, "paretrain " + syntax.name, error.get_option_name());
  } catch (const po::error& error) {
    throw InputError(Problem{"paretrain " + syntax.name,
                             printable(error.what()),
                             "`paretrain " + syntax.name + " --help` lists the options"});
  }
  const bool takes_config = description.find_nothrow("config", false) != nullptr;
  if (takes_config && parsed.map.count("config") != 0)
    add_config_file(syntax, parsed.map["config"].as<std::string>(), description, parsed.map);
  return parsed;
}

Options::Values assigned_positionals(const CommandSyntax& syntax,
                                     const std::vector<std::string>& words,
                                     std::vector<Problem>& problems) {
  Options::Values assigned;
  std::size_t next = 0;
  for (const Positional& positional : syntax.positionals) {
    const std::size_t count =
        positional.repeatable ? words.size() - std::min(next, words.size()) : 1;
    for (std::size_t i = 0; i < count && next < words.size(); ++i) {
      if (words[next].empty())
        problems.push_back(
            {positional.name, "'' is empty; expected " + positional.description, ""});
      assigned[positional.name].push_back(words[next++]);
    }
    if (positional.required && assigned[positional.name].empty()) {
      problems.push_back({"paretrain " + syntax.name,
                          positional.name + " is missing; expected " + positional.description,
                          "usage: paretrain " + syntax.usage});
    }
  }
  for (; next < words.size(); ++next) {
    problems.push_back({"paretrain " + syntax.name,
                        "extra word '" + printable(words[next]) + "'",
                        "usage: paretrain " + syntax.usage});
  }
  return assigned;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  if (name.size() > 100) return best;
  for (const std::string& candidate : known) {
    const bool extends = name.size() >= 3 && candidate.starts_with(name);
    const std::size_t distance = extends ? 1 : edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
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

Options parsed_options(const CommandSyntax& syntax, const std::vector<std::string>& arguments) {
  ParsedWords parsed = parsed_words(syntax, arguments);
  std::vector<Problem> problems;
  Options::Values values;
  std::vector<std::string> given;
  for (const OptionGroup& group : syntax.groups) {
    for (const Option& option : group.options) {
      const bool is_said =
          parsed.map.count(option.name) != 0 && !parsed.map[option.name].defaulted();
      if (is_said) {
        values[option.name] = values_of(option, parsed.map[option.name]);
        given.push_back(option.name);
        for (const std::string& value : values[option.name])
          check_value(option, value, problems);
      } else if (is_flag(option)) {
        values[option.name] = {"false"};
      } else if (!option.default_text.empty()) {
        values[option.name] = {option.default_text};
      }
    }
  }
  Options::Values positionals;
  const bool only_prints = std::ranges::find(given, "print-config") != given.end();
  if (!only_prints) positionals = assigned_positionals(syntax, parsed.words, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return {std::move(values), std::move(positionals), std::move(given)};
}

std::string config_text(const CommandSyntax& syntax, const Options& options) {
  std::string text;
  for (const OptionGroup& group : syntax.groups) {
    text += "# " + group.title + "\n";
    for (const Option& option : group.options) {
      if (option.name == "config" || option.name == "print-config") continue;
      if (!options.has(option.name)) {
        text += "# " + option.name + " =\n";
        continue;
      }
      for (const std::string& value : options.values().at(option.name))
        text += option.name + " = " + value + "\n";
    }
  }
  return text;
}

bool Options::is_given(std::string_view name) const {
  return std::ranges::find(given_, name) != given_.end();
}

bool Options::has(std::string_view name) const {
  return values_.contains(name);
}

bool Options::flag(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second.front() == "true";
}

std::string Options::text(std::string_view name) const {
  const auto found = values_.find(name);
  CHECK(found != values_.end(), "option without a value: " + std::string(name));
  return found->second.front();
}

std::optional<std::string> Options::optional_text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Options::texts(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::int64_t Options::integer(std::string_view name) const {
  const auto number = parsed_integer(text(name));
  CHECK(number.has_value(), "not an integer option: " + std::string(name));
  return *number;
}

double Options::real(std::string_view name) const {
  const auto number = parsed_number(text(name));
  CHECK(number.has_value(), "not a numeric option: " + std::string(name));
  return *number;
}

std::int64_t Options::bytes(std::string_view name) const {
  const auto number = parsed_bytes(text(name));
  CHECK(number.has_value(), "not a size option: " + std::string(name));
  return *number;
}

std::string Options::positional(std::string_view name) const {
  const auto found = positionals_.find(name);
  CHECK(found != positionals_.end() && !found->second.empty(),
        "word not given: " + std::string(name));
  return found->second.front();
}

std::vector<std::string> Options::positionals(std::string_view name) const {
  const auto found = positionals_.find(name);
  return found == positionals_.end() ? std::vector<std::string>{} : found->second;
}

bool Options::has_positional(std::string_view name) const {
  return !positionals(name).empty();
}

}  // namespace paretrain::cli
