#include "results/atomic_file.h"

#include <fstream>
#include <string>

#include "base/error.h"
#include "base/input_file.h"
#include "tests/support/doctest.h"
#include "tests/support/file_size_limit.h"
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
  bool failed = false;
  {
    const tests::FileSizeLimit full(1000);
    try {
      write_atomically(path, std::string(5000, 'y'));
    } catch (const IoError&) {
      failed = true;
    }
  }
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

TEST_CASE("write_keeping_older: the older name keeps the content before") {
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  const fs::path older = folder.path() / "b";
  write_keeping_older(path, older, "1");
  CHECK(file_content(path, 10) == "1");
  CHECK(!fs::exists(older));
  for (const std::string content : {"2", "3"}) {
    const std::string before = file_content(path, 10);
    write_keeping_older(path, older, content);
    CHECK(file_content(path, 10) == content);
    CHECK(file_content(older, 10) == before);
  }
  CHECK(!fs::exists(folder.path() / "a.tmp"));
  CHECK(!fs::exists(folder.path() / "b.tmp"));
}

TEST_CASE("write_keeping_older: a failure leaves both files and names the new one") {
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  const fs::path older = folder.path() / "b";
  write_keeping_older(path, older, "1");
  write_keeping_older(path, older, "2");
  std::string error;
  {
    const tests::FileSizeLimit full(1000);
    try {
      write_keeping_older(path, older, std::string(5000, 'y'));
    } catch (const IoError& caught) {
      error = caught.what();
    }
  }
  CHECK(error.starts_with(path.string() + ": cannot be written: "));
  CHECK(file_content(path, 10) == "2");
  CHECK(file_content(older, 10) == "1");
  CHECK(!fs::exists(folder.path() / "a.tmp"));
  // What stands in the place of the older one cannot be replaced.
  fs::remove(older);
  fs::create_directories(older / "c");
  CHECK_THROWS_WITH_AS(
      write_keeping_older(path, older, "3"), doctest::Contains("b: cannot be replaced: "), IoError);
  CHECK(file_content(path, 10) == "2");
  CHECK(!fs::exists(folder.path() / "a.tmp"));
}

TEST_CASE("flush_folder: a folder that is not there is an error") {
  const tests::TemporaryFolder folder;
  flush_folder(folder.path());
  CHECK_THROWS_WITH_AS(
      flush_folder(folder.path() / "no"), doctest::Contains("no: cannot be opened: "), IoError);
}

}  // namespace paretrain::results
