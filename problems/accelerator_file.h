// Why: reads the accelerator descriptions of ZigZag (one core) and Stream (several cores), and
// writes them again.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/hardware/accelerator.h"

namespace paretrain::problems {

// An accelerator and what the reader of its file wants the user to know (a link listed twice, an
// overridden key).
struct AcceleratorFile {
  evaluator::Accelerator accelerator;
  std::vector<std::string> warnings;
};

// Layouts: docs/formats-hardware.md. Core files are looked for in `cores/` beside the file, then
// beside it. Errors: InputError with every problem of the file and of its core files, each with
// file and line; also for a path that is missing, a folder, or unreadable.
[[nodiscard]] AcceleratorFile read_accelerator_file(const std::filesystem::path& path);

// The same from text in memory: `name` stands in messages; a multi-core text may not name core
// files here but holds the cores themselves. Errors: as above.
[[nodiscard]] AcceleratorFile read_accelerator_text(std::string_view text, const std::string& name);

// One YAML document that read_accelerator_file reads back to the same numbers; cores are written
// in place. Source of the layout: docs/formats-hardware.md.
[[nodiscard]] std::string accelerator_text(const evaluator::Accelerator& accelerator);

// A path (ends in .yaml, .yml or .json, or holds a slash) is read; anything else is the name of a
// built-in accelerator. Errors: InputError; an unknown name lists the nearest and all built-in
// ones.
[[nodiscard]] AcceleratorFile accelerator_of(const std::string& path_or_name);

}  // namespace paretrain::problems
