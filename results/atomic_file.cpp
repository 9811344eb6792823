#include "results/atomic_file.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number_text.h"

namespace paretrain::results {

namespace {

std::string system_text(int code) {
  return std::generic_category().message(code);
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int code) {
  throw IoError(path.string(), what + ": " + system_text(code));
}

bool is_fault_of_machine(int code) {
  return code == EMFILE || code == ENFILE || code == ENOMEM || code == EIO;
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

std::string file_content(const std::filesystem::path& path, std::size_t most_bytes) {
  const OpenFile file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) {
    const int code = errno;
    if (is_fault_of_machine(code)) fail(path, "cannot be opened", code);
    throw InputError(Problem{path.string(), "cannot be read: " + system_text(code), ""});
  }

  struct stat status {};

  if (::fstat(file.descriptor(), &status) != 0) fail(path, "cannot be examined", errno);
  if (S_ISDIR(status.st_mode))
    throw InputError(Problem{path.string(), "is a folder; expected a file", ""});
  if (!S_ISREG(status.st_mode))
    throw InputError(Problem{path.string(), "is no regular file; expected a file", ""});
  if (static_cast<std::uint64_t>(status.st_size) > most_bytes) {
    throw InputError(Problem{path.string(),
                             "has " + grouped_text(status.st_size) + " bytes; expected at most " +
                                 grouped_text(static_cast<std::int64_t>(most_bytes)),
                             ""});
  }
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t got = ::read(file.descriptor(), content.data() + at, content.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read", errno);
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  content.resize(at);
  return content;
}

}  // namespace paretrain::results
