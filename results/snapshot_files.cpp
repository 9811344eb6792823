#include "results/snapshot_files.h"

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "results/atomic_file.h"
#include "results/snapshot_frame.h"

namespace paretrain::results {

void write_snapshot(const std::filesystem::path& folder,
                    std::string_view bytes,
                    OlderSnapshot older) {
  const std::filesystem::path path = folder / "snapshot";
  switch (older) {
    case OlderSnapshot::Kept:
      write_keeping_older(path, folder / "snapshot.previous", bytes);
      break;
    case OlderSnapshot::Dropped:
      write_atomically(path, bytes);
      break;
  }
}

FoundSnapshot read_snapshot(const std::filesystem::path& folder_or_file) {
  std::error_code ignored;
  const auto read = [](const std::filesystem::path& path) {
    return parsed_snapshot(file_content(path, kMostSnapshotBytes), path.string());
  };
  if (!std::filesystem::is_directory(folder_or_file, ignored))
    return {read(folder_or_file), folder_or_file, ""};
  const std::filesystem::path newest = folder_or_file / "snapshot";
  const std::filesystem::path previous = folder_or_file / "snapshot.previous";
  if (!std::filesystem::exists(newest, ignored) && !std::filesystem::exists(previous, ignored)) {
    throw InputError(Problem{folder_or_file.string(),
                             "holds no snapshot; expected the folder of a run",
                             "`paretrain optimize … -o DIR` makes one"});
  }
  std::vector<Problem> problems;
  for (const std::filesystem::path& path : {newest, previous}) {
    try {
      FoundSnapshot found{read(path), path, ""};
      if (!problems.empty()) found.warning = problem_text(problems.front());
      return found;
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  throw InputError(std::move(problems));
}

}  // namespace paretrain::results
