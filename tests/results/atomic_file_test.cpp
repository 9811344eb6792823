#include "results/atomic_file.h"

#include <csignal>
#include <fstream>
#include <string>

#include <sys/resource.h>

#include "base/error.h"
#include "base/input_file.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::results {

namespace fs = std::filesystem;

TEST_CASE("write_atomically: writes, replaces and leaves no temporary") {
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "a.txt";
  write_atomically(path, "one");
  CHECK(file_content(path, 100) == "one");
  write_atomically(path, std::string(100'000, 'x'));
  CHECK(file_content(path, 1'000'000).size() == 100'000);
  CHECK(!fs::exists(folder.path() / "a.txt.tmp"));
}

TEST_CASE("write_atomically: a failure leaves the old file and names it") {
  const tests::TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(write_atomically(folder.path() / "no" / "a.txt", "x"),
                       doctest::Contains("no/a.txt: cannot be written"),
                       IoError);
  const fs::path path = folder.path() / "a.txt";
  write_atomically(path, "old");
  // A limit on the size of files fails the write half-way, as a full disk does.
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  bool failed = false;
  try {
    write_atomically(path, std::string(5000, 'y'));
  } catch (const IoError&) {
    failed = true;
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  static_cast<void>(std::signal(SIGXFSZ, handler));
  CHECK(failed);
  CHECK(file_content(path, 100) == "old");
  CHECK(!fs::exists(folder.path() / "a.txt.tmp"));
}

TEST_CASE("keep_copy: the copy keeps the old content when the file is replaced") {
  const tests::TemporaryFolder folder;
  write_atomically(folder.path() / "a", "1");
  keep_copy(folder.path() / "a", folder.path() / "b");
  keep_copy(folder.path() / "a", folder.path() / "b");
  write_atomically(folder.path() / "a", "2");
  CHECK(file_content(folder.path() / "b", 10) == "1");
  CHECK(!fs::exists(folder.path() / "b.tmp"));
}

}  // namespace paretrain::results
