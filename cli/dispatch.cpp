#include <algorithm>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "cli/help.h"

namespace paretrain::cli {

namespace {

bool asks_for_help(const std::vector<std::string>& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  return std::any_of(arguments.begin(), end, [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
}

[[noreturn]] void fail_unknown_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands())
    names.emplace_back(command.name);
  const auto near = nearest_name(name, names);
  throw InputError(Problem{"paretrain",
                           "unknown command '" + printable(name) + "'",
                           (near ? "did you mean " + *near + "? " : std::string()) +
                               "`paretrain --help` lists the commands"});
}

int run_command(const Command& command,
                const std::vector<std::string>& arguments,
                Terminal& terminal) {
  if (command.run == nullptr && asks_for_help(arguments)) {
    terminal.data("paretrain " + std::string(command.name) + ": " + std::string(command.summary) +
                  "\n\nThis build has no such part.\n");
    return kDone;
  }
  if (command.run == nullptr) {
    throw InputError(Problem{"paretrain " + std::string(command.name),
                             "this build has no such part",
                             "`paretrain --help` lists the commands"});
  }
  const CommandSyntax syntax = command.syntax();
  if (asks_for_help(arguments)) {
    terminal.data(help_text(syntax));
    return kDone;
  }
  const Options options = parsed_options(syntax, arguments);
  if (options.flag("quiet")) terminal.set_verbosity(Verbosity::Quiet);
  if (options.flag("print-config")) {
    terminal.data(config_text(syntax, options));
    return kDone;
  }
  try {
    return command.run(options, terminal);
  } catch (const InputError& error) {
    throw options.placed(error);
  }
}

}  // namespace

int dispatch(const std::vector<std::string>& arguments, Terminal& terminal) {
  if (arguments.empty()) {
    throw InputError(
        Problem{"paretrain", "no command given", "`paretrain --help` lists the commands"});
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    terminal.data(overview_text(commands()));
    return kDone;
  }
  if (first == "--version") {
    terminal.data("paretrain " PARETRAIN_VERSION "\n");
    return kDone;
  }
  const std::span<const Command> all = commands();
  const auto found = std::ranges::find(all, first, &Command::name);
  if (found == all.end()) fail_unknown_command(first);
  return run_command(*found, {arguments.begin() + 1, arguments.end()}, terminal);
}

}  // namespace paretrain::cli
