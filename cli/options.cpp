#include "cli/options.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <boost/program_options.hpp>

#include "base/check.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/config_file.h"
#include "cli/option_values.h"

namespace paretrain::cli {

namespace {

namespace po = boost::program_options;

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

Problem unknown_option(const CommandSyntax& syntax,
                       const std::string& where,
                       const std::string& name) {
  const auto near = nearest_name(bare_name(name), option_names(syntax));
  std::string hint = near ? "did you mean --" + *near + "? " : "";
  hint += "`paretrain " + syntax.name + " --help` lists the options";
  return {where, "unknown option " + printable(name), hint};
}

std::vector<std::string> values_of(const Option& option, const po::variable_value& value) {
  if (is_flag(option)) return {value.as<bool>() ? "true" : "false"};
  if (option.repeatable) return value.as<std::vector<std::string>>();
  return {value.as<std::string>()};
}

// What a config file says of the options, by their names.
struct ConfigValues {
  Options::Values values;
  Options::Places places;  // of the last value of each
};

class ConfigReading {
 public:
  ConfigReading(const CommandSyntax& syntax, std::vector<Problem>& problems)
      : syntax_(syntax), problems_(problems) {}

  ConfigValues values_of(const std::string& file) {
    for (const ConfigLine& line : config_lines(file))
      take(line);
    return std::move(read_);
  }

 private:
  void take(const ConfigLine& line) {
    if (line.name.empty()) {
      const std::string found = printable(std::string_view(line.value).substr(0, 100));
      problems_.push_back(
          {line.where, "found '" + found + "'; expected a line `option = value`", ""});
      return;
    }
    const Option* const option = option_named(syntax_, line.name);
    if (option == nullptr) {
      problems_.push_back(unknown_option(syntax_, line.where, line.name));
      return;
    }
    const std::string where = line.where + ": " + dashed(*option);
    std::vector<std::string>& values = read_.values[line.name];
    if (option->name == "config") {
      problems_.push_back({where, "is not for config files", ""});
    } else if (!values.empty() && !option->repeatable) {
      problems_.push_back({where, "is given twice", ""});
    } else if (!is_flag(*option)) {
      check_value(*option, where, line.value, problems_);
    } else if (!truth_value(line.value)) {
      problems_.push_back(
          {where, "'" + printable(line.value) + "' is not known; expected true|false", ""});
    }
    const bool is_true = is_flag(*option) && truth_value(line.value).value_or(false);
    values.push_back(!is_flag(*option) ? line.value : is_true ? "true" : "false");
    read_.places[line.name] = line.where;
  }

  const CommandSyntax& syntax_;
  std::vector<Problem>& problems_;
  ConfigValues read_;
};

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
    throw InputError(unknown_option(syntax, "paretrain " + syntax.name, error.get_option_name()));
  } catch (const po::error& error) {
    throw InputError(Problem{"paretrain " + syntax.name,
                             printable(error.what()),
                             "`paretrain " + syntax.name + " --help` lists the options"});
  }
  return parsed;
}

Options::Values said_values(const CommandSyntax& syntax,
                            po::variables_map& map,
                            std::vector<Problem>& problems) {
  Options::Values values;
  for (const OptionGroup& group : syntax.groups) {
    for (const Option& option : group.options) {
      if (map.count(option.name) == 0 || map[option.name].defaulted()) continue;
      values[option.name] = values_of(option, map[option.name]);
      for (const std::string& value : values[option.name])
        check_value(option, dashed(option), value, problems);
    }
  }
  return values;
}

// The command line wins; of an option that may be repeated all values count.
void add_config(Options::Values& said, ConfigValues& config, const CommandSyntax& syntax) {
  for (const auto& [name, values] : config.values) {
    std::vector<std::string>& all = said[name];
    if (all.empty() || option_named(syntax, name)->repeatable) {
      all.insert(all.end(), values.begin(), values.end());
    } else {
      config.places.erase(name);
    }
  }
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

Options parsed_options(const CommandSyntax& syntax, const std::vector<std::string>& arguments) {
  ParsedWords parsed = parsed_words(syntax, arguments);
  std::vector<Problem> problems;
  Options::Values values = said_values(syntax, parsed.map, problems);
  ConfigValues config;
  if (option_named(syntax, "config") != nullptr && values.contains("config")) {
    config = ConfigReading(syntax, problems).values_of(values["config"].front());
    add_config(values, config, syntax);
  }
  std::vector<std::string> given;
  for (const OptionGroup& group : syntax.groups) {
    for (const Option& option : group.options) {
      if (values.contains(option.name)) {
        given.push_back(option.name);
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
  return {std::move(values), std::move(positionals), std::move(given), std::move(config.places)};
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

InputError Options::placed(const InputError& error) const {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (!problem.where.starts_with("--")) continue;
    const auto found = places_.find(problem.where.substr(2));
    if (found != places_.end()) problem.where.insert(0, found->second + ": ");
  }
  return InputError(std::move(problems));
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
