#include "base/input_file.h"

#include <string>

#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain {

namespace {

namespace fs = std::filesystem;

std::string error_text(const fs::path& path, std::size_t most_bytes) {
  try {
    static_cast<void>(file_content(path, most_bytes));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("file_content: reads all bytes of a file up to the limit") {
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  std::ofstream(path, std::ios::binary) << std::string(200'000, 'x') << '\0';
  CHECK(file_content(path, 200'001) == std::string(200'000, 'x') + '\0');
  CHECK(error_text(path, 200'000) ==
        path.string() + ": has 200,001 bytes; expected at most 200,000");
  std::ofstream(folder.path() / "empty", std::ios::binary).close();
  CHECK(file_content(folder.path() / "empty", 0).empty());
}

TEST_CASE("file_content: a link to a file is one and a link to nothing is none") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path() / "a") << "1";
  fs::create_symlink("a", folder.path() / "link");
  fs::create_symlink("none", folder.path() / "hanging");
  CHECK(file_content(folder.path() / "link", 10) == "1");
  CHECK(error_text(folder.path() / "hanging", 10) ==
        (folder.path() / "hanging").string() + ": no such file");
}

TEST_CASE("file_content: refuses at once what is no file") {
  const tests::TemporaryFolder folder;
  const std::string name = folder.path().string();
  CHECK(error_text(folder.path() / "none", 10) == name + "/none: no such file");
  CHECK(error_text(folder.path(), 10) == name + ": is a folder; expected a file");
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(error_text(pipe, 10) ==
        name + "/pipe: is not a file but a pipe or a device; expected a file");
  CHECK(error_text("/dev/zero", 10) ==
        "/dev/zero: is not a file but a pipe or a device; expected a file");
  std::ofstream(folder.path() / "a").close();
  CHECK(error_text(folder.path() / "a" / "b", 10).starts_with(name + "/a/b: "));
  CHECK_THROWS_WITH_AS(static_cast<void>(input_stream(pipe, "an ONNX model")),
                       doctest::Contains("; expected an ONNX model"),
                       InputError);
}

TEST_CASE("file_content: no room for another open file is a fault of the machine") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path() / "a").close();
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  bool failed = false;
  try {
    static_cast<void>(file_content(folder.path() / "a", 10));
  } catch (const IoError&) {
    failed = true;
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(failed);
}

}  // namespace paretrain
