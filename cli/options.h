// Why: every subcommand says once, as data, what it takes; reading, range checks, the help page and
// the config file all follow from that, and no other file meets the option library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace paretrain::cli {

struct Flag {};  // takes no value

struct AnyText {};

struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct RealRange {
  double least = 0;
  double most = 0;
};

struct SizeRange {  // bytes; the text may have a unit: 64MiB
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct Choice {
  std::vector<std::string> names;
};

using OptionKind = std::variant<Flag, AnyText, IntegerRange, RealRange, SizeRange, Choice>;

struct Option {
  std::string name;        // without dashes
  std::string value_name;  // as in "--batch N"; empty for a flag
  OptionKind kind;
  std::string description;  // ends without a full stop; unit first
  // Text of the value when the option is not given; empty: there is none, or what happens then is
  // said in the description.
  std::string default_text = {};
  bool repeatable = false;
  std::string letter = {};  // one-letter form, as "o"; empty for none
};

struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};

// A word without dashes, by position.
struct Positional {
  std::string name;
  std::string description;
  bool required = true;
  bool repeatable = false;  // only the last one
};

// Everything that a subcommand takes and what its help page says.
struct CommandSyntax {
  std::string name;
  std::string usage;        // after "paretrain "
  std::string description;  // one paragraph
  std::vector<Positional> positionals = {};
  std::vector<OptionGroup> groups;
  std::vector<std::string> examples;    // two whole command lines
  std::vector<std::string> notes = {};  // further paragraphs after the options
};

// The values of one command line (and config file), all checked against the syntax.
// Requires, of every getter: the name is an option of the syntax and of that kind (CHECKed).
class Options {
 public:
  // Values by name, in the order given; options not given are absent, defaults are filled in.
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

  // Where in the config file ("file:3") an option was said.
  using Places = std::map<std::string, std::string, std::less<>>;

  Options(Values values, Values positionals, std::vector<std::string> given, Places places = {})
      : values_(std::move(values)),
        positionals_(std::move(positionals)),
        given_(std::move(given)),
        places_(std::move(places)) {}

  // The error with the places in the config file of the options that it is about.
  [[nodiscard]] InputError placed(const InputError& error) const;

  // Said by the user, on the command line or in the config file.
  [[nodiscard]] bool is_given(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;  // given, or has a default
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> optional_text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::int64_t bytes(std::string_view name) const;
  [[nodiscard]] std::string positional(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> positionals(std::string_view name) const;
  [[nodiscard]] bool has_positional(std::string_view name) const;

  [[nodiscard]] const Values& values() const noexcept { return values_; }

  // Words without dashes, by the names of their places.
  [[nodiscard]] const Values& words() const noexcept { return positionals_; }

  [[nodiscard]] const std::vector<std::string>& given() const noexcept { return given_; }

 private:
  Values values_;
  Values positionals_;
  std::vector<std::string> given_;
  Places places_;
};

// Errors: InputError with every problem: unknown option (with the nearest known one), a value out
// of its range (with the range), a missing or an extra word. No abbreviations. With an option named
// "config" in the syntax, that file is read too; the command line wins.
[[nodiscard]] Options parsed_options(const CommandSyntax& syntax,
                                     const std::vector<std::string>& arguments);

// "key = value" lines of every option, as a config file takes them.
[[nodiscard]] std::string config_text(const CommandSyntax& syntax, const Options& options);

}  // namespace paretrain::cli
