#include "results/snapshot_files.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "results/atomic_file.h"
#include "tests/results/some_snapshot.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::results {

namespace {

void put(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("read_snapshot: takes the one before when the newest is damaged") {
  const tests::TemporaryFolder folder;
  RunSnapshot snapshot = tests::some_snapshot();
  write_snapshot(folder.path(), snapshot_bytes(snapshot));
  CHECK(!std::filesystem::exists(folder.path() / "snapshot.previous"));
  snapshot.state.last_progress = 0;
  write_snapshot(folder.path(), snapshot_bytes(snapshot));
  CHECK(read_snapshot(folder.path()).snapshot.state.last_progress == 0);
  CHECK(read_snapshot(folder.path()).warning.empty());
  CHECK(read_snapshot(folder.path() / "snapshot.previous").snapshot.state.last_progress == 1);
  put(folder.path() / "snapshot", "PTRSNAP");
  const FoundSnapshot found = read_snapshot(folder.path());
  CHECK(found.snapshot.state.last_progress == 1);
  CHECK(found.warning.find("is no snapshot") != std::string::npos);
  std::filesystem::remove(folder.path() / "snapshot");
  CHECK(read_snapshot(folder.path()).snapshot.state.last_progress == 1);
}

TEST_CASE("write_snapshot: drops the older one when asked and keeps the one before that") {
  const tests::TemporaryFolder folder;
  RunSnapshot snapshot = tests::some_snapshot();
  for (const std::uint64_t progress : {1U, 2U, 3U}) {
    snapshot.state.last_progress = progress;
    write_snapshot(folder.path(),
                   snapshot_bytes(snapshot),
                   progress == 3 ? OlderSnapshot::Dropped : OlderSnapshot::Kept);
  }
  CHECK(read_snapshot(folder.path()).snapshot.state.last_progress == 3);
  CHECK(read_snapshot(folder.path() / "snapshot.previous").snapshot.state.last_progress == 1);
}

TEST_CASE("write_snapshot: leaves no temporary also after a kill between its steps") {
  const tests::TemporaryFolder folder;
  const RunSnapshot snapshot = tests::some_snapshot();
  write_snapshot(folder.path(), snapshot_bytes(snapshot));
  // As a kill leaves it after the old one was kept and before the new one is there.
  keep_copy(folder.path() / "snapshot", folder.path() / "snapshot.previous");
  put(folder.path() / "snapshot.tmp", "half");
  write_snapshot(folder.path(), snapshot_bytes(snapshot));
  CHECK(!std::filesystem::exists(folder.path() / "snapshot.tmp"));
  CHECK(!std::filesystem::exists(folder.path() / "snapshot.previous.tmp"));
  CHECK(read_snapshot(folder.path()).warning.empty());
}

TEST_CASE("read_snapshot: a folder without one is no run") {
  const tests::TemporaryFolder folder;
  CHECK_THROWS_AS(static_cast<void>(read_snapshot(folder.path())), InputError);
  CHECK_THROWS_AS(static_cast<void>(read_snapshot(folder.path() / "nope")), InputError);
}

}  // namespace paretrain::results
