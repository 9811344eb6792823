// Why: two programs writing one run would destroy it, and a run must not silently replace another.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace paretrain::results {

enum class Replace { Refuse, Allow };

// Checks, without changing anything, that a run can be written there.
// Errors: InputError when the path is a file, lies below a file, or holds a run and `replace`
// refuses.
void check_run_folder(const std::filesystem::path& folder, Replace replace);

// A folder held by this process. The lock is the kernel's (flock on `.lock`): it is free as soon as
// the process is gone, however it ended.
class RunFolder {
 public:
  // Makes the folder and its parents; with Replace::Allow the files of an earlier run go, once the
  // lock is held. Errors: as check_run_folder; InputError when another process holds it; IoError.
  [[nodiscard]] static RunFolder created(const std::filesystem::path& folder, Replace replace);
  // Errors: InputError when it is no folder or another process holds it; IoError.
  [[nodiscard]] static RunFolder opened(const std::filesystem::path& folder);

  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  RunFolder& operator=(RunFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  // Writes a file of the run atomically.
  void write(std::string_view name, std::string_view content) const;

 private:
  RunFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;
};

}  // namespace paretrain::results
