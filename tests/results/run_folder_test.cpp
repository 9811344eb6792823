#include "results/run_folder.h"

#include <fstream>
#include <optional>

#include "base/error.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::results {

namespace fs = std::filesystem;

namespace {

void put(const fs::path& path) {
  std::ofstream(path) << "x";
}

}  // namespace

TEST_CASE("check_run_folder: changes nothing and says what is wrong") {
  const tests::TemporaryFolder folder;
  check_run_folder(folder.path() / "new" / "deeper", Replace::Refuse);
  CHECK(!fs::exists(folder.path() / "new"));
  put(folder.path() / "file");
  CHECK_THROWS_WITH_AS(check_run_folder(folder.path() / "file", Replace::Allow),
                       doctest::Contains("is a file; expected a folder"),
                       InputError);
  CHECK_THROWS_WITH_AS(check_run_folder(folder.path() / "file" / "run", Replace::Allow),
                       doctest::Contains("is no folder"),
                       InputError);
  put(folder.path() / "manifest.json");
  check_run_folder(folder.path(), Replace::Refuse);  // a start that came to nothing
  put(folder.path() / "snapshot");
  CHECK_THROWS_WITH_AS(check_run_folder(folder.path(), Replace::Refuse),
                       doctest::Contains("holds a run already"),
                       InputError);
  check_run_folder(folder.path(), Replace::Allow);
}

TEST_CASE("RunFolder: a folder is held by one at a time and free afterwards") {
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "run";
  {
    const RunFolder first = RunFolder::created(path, Replace::Refuse);
    CHECK_THROWS_WITH_AS(static_cast<void>(RunFolder::opened(path)),
                         doctest::Contains("another paretrain is at work"),
                         InputError);
    CHECK_THROWS_AS(static_cast<void>(RunFolder::created(path, Replace::Allow)), InputError);
  }
  CHECK(RunFolder::opened(path).path() == path);
}

TEST_CASE("RunFolder: replacing removes the files of a run and nothing else") {
  const tests::TemporaryFolder folder;
  put(folder.path() / "front.csv");
  put(folder.path() / "snapshot.tmp");
  put(folder.path() / "notes.txt");
  const RunFolder run = RunFolder::created(folder.path(), Replace::Allow);
  CHECK(!fs::exists(folder.path() / "front.csv"));
  CHECK(!fs::exists(folder.path() / "snapshot.tmp"));
  CHECK(fs::exists(folder.path() / "notes.txt"));
  run.write("front.csv", "plan\n");
  CHECK(fs::file_size(folder.path() / "front.csv") == 5);
}

TEST_CASE("RunFolder: opening keeps the run and drops what a kill left") {
  const tests::TemporaryFolder folder;
  CHECK_THROWS_AS(static_cast<void>(RunFolder::opened(folder.path() / "none")), InputError);
  put(folder.path() / "snapshot");
  put(folder.path() / "front.csv.tmp");
  const RunFolder run = RunFolder::opened(folder.path());
  CHECK(fs::exists(folder.path() / "snapshot"));
  CHECK(!fs::exists(folder.path() / "front.csv.tmp"));
}

}  // namespace paretrain::results
