#include "base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/error.h"
#include "base/number_text.h"

namespace paretrain {

namespace {

bool is_fault_of_machine(int code) {
  return code == EMFILE || code == ENFILE || code == ENOMEM || code == EIO;
}

[[noreturn]] void fail_opening(const std::string& name, int code) {
  const std::string text = std::generic_category().message(code);
  if (is_fault_of_machine(code)) throw IoError(name, "cannot be opened: " + text);
  throw InputError(Problem{name, "cannot be read: " + text, ""});
}

// Opening a pipe waits for its writer, so this comes first.
void check_kind(const std::filesystem::path& path, std::string_view expected) {
  const std::string name = path.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw InputError(Problem{name, "no such file", ""});
  if (!std::filesystem::status_known(status)) fail_opening(name, error.value());
  const std::string wanted = "; expected " + std::string(expected);
  if (std::filesystem::is_directory(status))
    throw InputError(Problem{name, "is a folder" + wanted, ""});
  if (!std::filesystem::is_regular_file(status))
    throw InputError(Problem{name, "is not a file but a pipe or a device" + wanted, ""});
}

[[noreturn]] void fail_large(const std::string& name, std::uintmax_t bytes, std::size_t most) {
  throw InputError(Problem{name,
                           "has " + grouped_text(static_cast<std::int64_t>(bytes)) +
                               " bytes; expected at most " +
                               grouped_text(static_cast<std::int64_t>(most)),
                           ""});
}

}  // namespace

std::ifstream input_stream(const std::filesystem::path& path, std::string_view expected) {
  check_kind(path, expected);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail_opening(path.string(), errno);
  return stream;
}

std::string file_content(const std::filesystem::path& path,
                         std::size_t most_bytes,
                         std::string_view expected) {
  std::ifstream stream = input_stream(path, expected);
  const std::string name = path.string();
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored && size > most_bytes) fail_large(name, size, most_bytes);
  std::string text;
  if (!ignored) text.reserve(static_cast<std::size_t>(size));
  std::string block(std::size_t{1} << 16U, '\0');
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes) fail_large(name, text.size(), most_bytes);
  }
  if (stream.bad()) throw IoError(name, "cannot be read");
  return text;
}

}  // namespace paretrain
