#include "results/snapshot_writer.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/input_file.h"
#include "base/random.h"
#include "results/snapshot_frame.h"
#include "tests/results/some_snapshot.h"
#include "tests/support/doctest.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::results {

namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  return file_content(path, kMostSnapshotBytes);
}

// Another generation, with thousands of fingerprints; some of them are forgotten now and then.
void go_on(RunSnapshot& snapshot) {
  engine::SearchState& state = snapshot.state;
  RandomStream random(1, ++state.generation, 0);
  if (state.generation % 5 == 0) {
    state.seen.older = state.seen.recent;
    state.seen.recent.clear();
  }
  for (int i = 0; i < 5000; ++i)
    state.seen.recent.push_back(random.next());
  state.crowding.front() = random.unit();
  engine::GenerationReport report;
  report.generation = state.generation;
  report.best = {random.unit(), random.unit()};
  snapshot.history.push_back(report);
}

std::string error_text(SnapshotWriter& writer) {
  try {
    writer.finish();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("SnapshotWriter: leaves the files that are written one after another without it") {
  const tests::TemporaryFolder plain;
  const tests::TemporaryFolder beside;
  RunSnapshot snapshot = tests::some_snapshot();
  SnapshotWriter writer(beside.path(), snapshot.identity);
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    const OlderSnapshot older = i % 7 == 6 ? OlderSnapshot::Dropped : OlderSnapshot::Kept;
    write_snapshot(plain.path(), snapshot_bytes(snapshot), older);
    writer.begin(snapshot.state, snapshot.history, older);
    if (i % 3 == 0) {
      writer.finish();
      CHECK(content(beside.path() / "snapshot") == content(plain.path() / "snapshot"));
      CHECK(fs::exists(beside.path() / "snapshot.previous") ==
            fs::exists(plain.path() / "snapshot.previous"));
    }
    // What was begun has its own copy.
    go_on(snapshot);
  }
  writer.finish();
  for (const char* const name : {"snapshot", "snapshot.previous"})
    CHECK(content(beside.path() / name) == content(plain.path() / name));
  CHECK(!fs::exists(beside.path() / "snapshot.tmp"));
}

TEST_CASE("SnapshotWriter: the one before is there when the next one is begun") {
  const tests::TemporaryFolder folder;
  RunSnapshot snapshot = tests::some_snapshot();
  SnapshotWriter writer(folder.path(), snapshot.identity);
  for (std::uint64_t begun = 1; begun <= 10; ++begun) {
    writer.begin(snapshot.state, snapshot.history, OlderSnapshot::Kept);
    if (begun > 1) {
      const std::uint64_t found = read_snapshot(folder.path()).snapshot.state.generation;
      CHECK(found + 1 >= snapshot.state.generation);
    }
    go_on(snapshot);
  }
}

TEST_CASE("SnapshotWriter: whoever leaves without an end leaves a whole snapshot") {
  const tests::TemporaryFolder folder;
  RunSnapshot snapshot = tests::some_snapshot();
  go_on(snapshot);
  try {
    SnapshotWriter writer(folder.path(), snapshot.identity);
    writer.begin(snapshot.state, snapshot.history, OlderSnapshot::Kept);
    throw InputError(Problem{"somebody", "fails", ""});
  } catch (const InputError&) {
    CHECK(content(folder.path() / "snapshot") == snapshot_bytes(snapshot));
    CHECK(!fs::exists(folder.path() / "snapshot.tmp"));
  }
}

TEST_CASE("SnapshotWriter: an error is thrown by the next one or at the end") {
  const tests::TemporaryFolder folder;
  const fs::path gone = folder.path() / "gone";
  RunSnapshot snapshot = tests::some_snapshot();
  SnapshotWriter writer(gone, snapshot.identity);
  writer.begin(snapshot.state, snapshot.history, OlderSnapshot::Kept);
  CHECK_THROWS_WITH_AS(writer.begin(snapshot.state, snapshot.history, OlderSnapshot::Kept),
                       doctest::Contains("gone/snapshot: cannot be written: "),
                       IoError);
  fs::create_directory(gone);
  writer.begin(snapshot.state, snapshot.history, OlderSnapshot::Kept);
  writer.finish();
  const std::string good = content(gone / "snapshot");
  go_on(snapshot);
  {
    const tests::FileSizeLimit full(10'000);
    writer.begin(snapshot.state, snapshot.history, OlderSnapshot::Kept);
    CHECK(error_text(writer).starts_with((gone / "snapshot").string() + ": cannot be written: "));
  }
  CHECK(content(gone / "snapshot") == good);
  CHECK(!fs::exists(gone / "snapshot.previous"));
  CHECK(!fs::exists(gone / "snapshot.tmp"));
  // Nothing is left to be said.
  CHECK(error_text(writer).empty());
}

TEST_CASE("SnapshotWriter: nothing begun is nothing to wait for") {
  const tests::TemporaryFolder folder;
  SnapshotWriter writer(folder.path() / "no", tests::some_snapshot().identity);
  writer.finish();
  CHECK(!fs::exists(folder.path() / "no"));
}

}  // namespace paretrain::results
