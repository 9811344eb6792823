// Why: one way for every subcommand to join the program: a name, what it takes, what it does.
//
// How a package adds its command, say `inspect`:
//   1. cli/inspect.h declares, and cli/inspect.cpp defines,
//        CommandSyntax inspect_syntax();
//        int run_inspect(const Options& options, Terminal& terminal);
//      The syntax lists groups of options. Shared groups: model_option_groups() and
//      accelerator_option_groups() of cli/problem_options.h, search_option_groups() of
//      cli/search_options.h, and output_option_group() of cli/terminal.h (--json, --quiet). The
//      typed values come back by problem_options(options) and search_options(options).
//   2. cli/CMakeLists.txt: add the two files in a paretrain_sources(cli …) block of the package.
//   3. cli/commands.cpp: include the header and give the two functions in the table.
// The dispatcher reads the arguments by the syntax (unknown options, ranges, --config,
// --print-config) and answers --help before run is called. `run` prints through the terminal only
// and returns an exit code; errors are thrown (InputError, IoError) and end in main.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/terminal.h"

namespace paretrain::cli {

inline constexpr int kDone = 0;
inline constexpr int kWrongInput = 2;
inline constexpr int kMachineFailed = 3;
inline constexpr int kNothingFeasible = 4;

struct Command {
  std::string_view name;
  std::string_view summary;             // fits one line of the command list
  CommandSyntax (*syntax)() = nullptr;  // null: the part is not in this build
  int (*run)(const Options&, Terminal&) = nullptr;
};

// All subcommands, in the order of the help page.
[[nodiscard]] std::span<const Command> commands();

// Runs the program on the words after its name.
// Errors: InputError, IoError.
[[nodiscard]] int dispatch(const std::vector<std::string>& arguments, Terminal& terminal);

}  // namespace paretrain::cli
