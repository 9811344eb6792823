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

// The new content of a file, durable under the name of its temporary until it takes its place.
class NewContent {
 public:
  NewContent(const std::filesystem::path& path, std::string_view content)
      : path_(path), temporary_(path.string() + ".tmp") {
    const int code = write_durably(temporary_, content);
    if (code == 0) return;
    ::unlink(temporary_.c_str());
    fail(path_, "cannot be written", code);
  }

  ~NewContent() {
    if (!placed_) ::unlink(temporary_.c_str());
  }

  NewContent(const NewContent&) = delete;
  NewContent& operator=(const NewContent&) = delete;
  NewContent(NewContent&&) = delete;
  NewContent& operator=(NewContent&&) = delete;

  void take_place() {
    placed_ = ::rename(temporary_.c_str(), path_.c_str()) == 0;
    const int code = errno;
    if (!placed_) fail(path_, "cannot be replaced", code);
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  bool placed_ = false;
};

}  // namespace

void keep_copy(const std::filesystem::path& path, const std::filesystem::path& copy) {
  const std::filesystem::path temporary = copy.string() + ".tmp";
  ::unlink(temporary.c_str());
  if (::link(path.c_str(), temporary.c_str()) != 0) {
    const int code = errno;
    if (code == ENOENT) fail(copy, "cannot be written", code);  // the folder is gone
    // A file system without hard links.
    write_atomically(copy, file_content(path, SIZE_MAX));
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
  NewContent(path, content).take_place();
  flush_folder(path.has_parent_path() ? path.parent_path() : ".");
}

void write_keeping_older(const std::filesystem::path& path,
                         const std::filesystem::path& older,
                         std::string_view content) {
  NewContent renewed(path, content);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) keep_copy(path, older);
  renewed.take_place();
}

void flush_folder(const std::filesystem::path& folder) {
  const OpenFile file(folder, O_RDONLY | O_DIRECTORY);
  if (!file.is_open()) fail(folder, "cannot be opened", errno);
  // Some file systems cannot flush a folder; the renames themselves are done, so that is no
  // failure.
  if (::fsync(file.descriptor()) != 0 && errno != EINVAL && errno != EROFS)
    fail(folder, "cannot be flushed to disk", errno);
}

}  // namespace paretrain::results
