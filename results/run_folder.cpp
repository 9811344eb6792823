#include "results/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "results/atomic_file.h"

namespace paretrain::results {

namespace {

namespace fs = std::filesystem;

// What a run writes. The manifest goes first when a run is replaced, so that a half-removed run is
// not taken for a whole one.
constexpr std::array<std::string_view, 8> kRunFiles{"manifest.json",
                                                    "snapshot",
                                                    "snapshot.previous",
                                                    "front.csv",
                                                    "baselines.csv",
                                                    "history.csv",
                                                    "pareto.svg",
                                                    "report.html"};

// A manifest alone is what a run leaves that ended before it had anything to save.
bool holds_run(const fs::path& folder) {
  return std::any_of(kRunFiles.begin(), kRunFiles.end(), [&](std::string_view name) {
    std::error_code ignored;
    return name != "manifest.json" && fs::exists(folder / name, ignored);
  });
}

void check_parents(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path parent = fs::absolute(folder); parent != parent.parent_path();) {
    parent = parent.parent_path();
    const fs::file_status status = fs::status(parent, ignored);
    if (!fs::exists(status)) continue;
    if (fs::is_directory(status)) return;
    throw InputError(Problem{folder.string(), parent.string() + " is no folder", ""});
  }
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return;
  const int code = errno;
  throw IoError(path.string(), "cannot be removed: " + std::generic_category().message(code));
}

// What a killed run left half written.
void remove_temporaries(const fs::path& folder) {
  for (const std::string_view name : kRunFiles)
    remove_file(folder / (std::string(name) + ".tmp"));
}

int locked(const fs::path& folder) {
  const fs::path path = folder / ".lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int code = errno;
    throw IoError(path.string(), "cannot be opened: " + std::generic_category().message(code));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int code = errno;
  ::close(descriptor);
  if (code == EWOULDBLOCK) {
    throw InputError(Problem{folder.string(),
                             "another paretrain is at work in this folder",
                             "wait for it, or choose another folder"});
  }
  throw IoError(path.string(), "cannot be locked: " + std::generic_category().message(code));
}

}  // namespace

void check_run_folder(const fs::path& folder, Replace replace) {
  std::error_code ignored;
  if (folder.empty()) throw InputError(Problem{"--output", "is empty; expected a folder", ""});
  const fs::file_status status = fs::status(folder, ignored);
  if (!fs::exists(status)) {
    check_parents(folder);
    return;
  }
  if (!fs::is_directory(status))
    throw InputError(Problem{folder.string(), "is a file; expected a folder for the run", ""});
  if (replace == Replace::Refuse && holds_run(folder)) {
    throw InputError(Problem{folder.string(),
                             "holds a run already",
                             fs::exists(folder / "snapshot", ignored)
                                 ? "--force replaces it; `paretrain resume` goes on with it"
                                 : "--force replaces it"});
  }
}

RunFolder RunFolder::created(const fs::path& folder, Replace replace) {
  check_run_folder(folder, replace);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(folder.string(), "cannot be made: " + error.message());
  RunFolder result(folder, locked(folder));
  if (replace == Replace::Allow) {
    for (const std::string_view name : kRunFiles)
      remove_file(folder / name);
  }
  remove_temporaries(folder);
  return result;
}

RunFolder RunFolder::opened(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InputError(Problem{folder.string(), "is no folder; expected the folder of a run", ""});
  RunFolder result(folder, locked(folder));
  remove_temporaries(folder);
  return result;
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::write(std::string_view name, std::string_view content) const {
  write_atomically(path_ / name, content);
}

}  // namespace paretrain::results
