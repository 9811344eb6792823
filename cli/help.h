// Why: help pages are made from the same tables that read the command line, so they cannot disagree
// with it.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace paretrain::cli {

// The page of one subcommand; no line is longer than 80 columns.
[[nodiscard]] std::string help_text(const CommandSyntax& syntax);

// The list of subcommands.
[[nodiscard]] std::string overview_text(std::span<const Command> list);

// Breaks a paragraph at blanks; the first line starts at column `column`, further lines are
// indented to it. Requires: column < width.
[[nodiscard]] std::string wrapped_text(std::string_view text,
                                       std::size_t column,
                                       std::size_t width);

}  // namespace paretrain::cli
