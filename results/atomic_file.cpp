#include "results/atomic_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"

namespace paretrain::results {

namespace {

std::string system_text(int code) {
  return std::generic_category().message(code);
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int code) {
  throw IoError(path.string(), what + ": " + system_text(code));
}

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}

  ~OpenFile() {
    if (is_open()) ::close(descriptor_);
  }

  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  OpenFile(OpenFile&&) = delete;
  OpenFile& operator=(OpenFile&&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  [[nodiscard]] int descriptor() const { return descriptor_; }

  // The error number, 0 when there is none.
  [[nodiscard]] int close() {
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

// The error number, 0 when all is written.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// The error number of the first step that failed, 0 when none did.
int write_durably(const std::filesystem::path& path, std::string_view content) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.is_open()) return errno;
  int code = write_all(file.descriptor(), content);
  if (code == 0 && ::fsync(file.descriptor()) != 0) code = errno;
  const int close_code = file.close();
  return code != 0 ? code : close_code;
}

// So that the new name survives a power cut. Some file systems cannot flush a folder; the rename
// itself is done then, so that is no failure.
void flush_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const OpenFile file(folder, O_RDONLY | O_DIRECTORY);
  if (!file.is_open()) fail(folder, "cannot be opened", errno);
  if (::fsync(file.descriptor()) != 0 && errno != EINVAL && errno != EROFS)
    fail(folder, "cannot be flushed to disk", errno);
}

}  // namespace

void keep_copy(const std::filesystem::path& path, const std::filesystem::path& copy) {
  const std::filesystem::path temporary = copy.string() + ".tmp";
  ::unlink(temporary.c_str());
  if (::link(path.c_str(), temporary.c_str()) != 0) {
    write_atomically(copy, file_content(path, SIZE_MAX));  // a file system without hard links
    return;
  }
  if (::rename(temporary.c_str(), copy.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary.c_str());
    fail(copy, "cannot be replaced", code);
  }
  ::unlink(temporary.c_str());  // a rename between two names of one file does nothing
}

void write_atomically(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  const int code = write_durably(temporary, content);
  if (code != 0) {
    ::unlink(temporary.c_str());
    fail(path, "cannot be written", code);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int rename_code = errno;
    ::unlink(temporary.c_str());
    fail(path, "cannot be replaced", rename_code);
  }
  flush_folder(path);
}

}  // namespace paretrain::results
