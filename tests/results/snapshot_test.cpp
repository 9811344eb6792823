#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "base/error.h"
#include "results/atomic_file.h"
#include "results/run_snapshot.h"
#include "results/snapshot_frame.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::results {

namespace {

engine::Individuals some_individuals() {
  engine::Individuals rows;
  rows.words_per_genome = 2;
  rows.objective_count = 2;
  rows.words = {1, ~std::uint64_t{0}, 3, 4};
  rows.objectives = {0.1, 1e-300, 1.0 / 3.0, -0.0};
  rows.violations = {0, 2.5};
  return rows;
}

RunSnapshot some_snapshot() {
  RunSnapshot snapshot;
  snapshot.identity.command = "optimize";
  snapshot.identity.program_version = "1.2.3";
  snapshot.identity.options = {{"seed", {"7"}}, {"keep", {"a*", "b c"}}};
  snapshot.identity.inputs = {{"model", "net.onnx", "/far/net.onnx", "00ff"}};
  snapshot.identity.problem_fingerprint = 0xfedcba9876543210;
  snapshot.identity.space_fingerprint = 5;
  snapshot.identity.objectives = {"latency_cycles", "peak_memory_bytes"};
  snapshot.state.generation = 1;
  snapshot.state.population = some_individuals();
  snapshot.state.archive = some_individuals();
  snapshot.state.ranks = {0, 1};
  snapshot.state.crowding = {std::numeric_limits<double>::infinity(), 0.25};
  snapshot.state.seen.recent = {9, 8, 7};
  snapshot.state.statistics.evaluations = 40;
  snapshot.state.best_hypervolume = 0.7;
  snapshot.state.last_progress = 1;
  snapshot.state.walked = 77;
  engine::GenerationReport report;
  report.evaluations = 20;
  snapshot.history.push_back(report);
  report.generation = 1;
  report.hypervolume = 0.1;
  report.least_violation = 3;
  report.best = {0.1, 64};
  snapshot.history.push_back(report);
  return snapshot;
}

std::string error_text(std::string_view bytes) {
  try {
    static_cast<void>(parsed_snapshot(bytes, "s"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void put(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("snapshot_bytes: everything comes back exactly") {
  const RunSnapshot before = some_snapshot();
  const std::string bytes = snapshot_bytes(before);
  const RunSnapshot after = parsed_snapshot(bytes, "s");
  CHECK(after.identity.command == "optimize");
  CHECK(after.state.walked == 77);
  CHECK(after.identity.options == before.identity.options);
  CHECK(after.identity.inputs.at(0).path == "/far/net.onnx");
  CHECK(after.identity.problem_fingerprint == before.identity.problem_fingerprint);
  CHECK(after.identity.objectives == before.identity.objectives);
  CHECK(after.state.population.words == before.state.population.words);
  CHECK(after.state.population.objectives == before.state.population.objectives);
  CHECK(std::signbit(after.state.population.objectives[3]));
  CHECK(after.state.crowding == before.state.crowding);
  CHECK(after.state.seen.recent == before.state.seen.recent);
  CHECK(after.state.statistics.evaluations == 40);
  REQUIRE(after.history.size() == 2);
  CHECK(!after.history[0].hypervolume.has_value());
  CHECK(after.history[1].hypervolume == 0.1);
  CHECK(after.history[1].best == before.history[1].best);
  CHECK(snapshot_bytes(after) == bytes);
}

TEST_CASE("parsed_snapshot: every cut is refused") {
  const std::string bytes = snapshot_bytes(some_snapshot());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    CHECK(error_text(std::string_view(bytes).substr(0, length)) != "");
  }
}

TEST_CASE("parsed_snapshot: every flipped bit is refused") {
  const std::string bytes = snapshot_bytes(some_snapshot());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    CAPTURE(bit);
    CHECK(error_text(damaged) != "");
  }
}

TEST_CASE("parsed_snapshot: says what is wrong") {
  const std::string bytes = snapshot_bytes(some_snapshot());
  CHECK(error_text("") == "s: is empty; expected a snapshot of paretrain");
  CHECK(error_text("22 serialization::archive 19") ==
        "s: is no snapshot of paretrain: it does not start like one");
  CHECK(error_text(bytes + "x").find("so it is too long") != std::string::npos);
  CHECK(error_text(bytes + bytes).find("so it is too long") != std::string::npos);
  std::string future = bytes;
  future[8] = 9;
  CHECK(error_text(future) == "s: is a snapshot of format 9; this program reads format 1");
  std::string damaged = bytes;
  damaged.back() = 'x';
  CHECK(error_text(damaged) == "s: is damaged: its checksum differs from its content");
  CHECK(error_text(framed("22 serialization::archive 19 0 0 99999999999999999999"))
            .find("cannot be understood") != std::string::npos);
}

TEST_CASE("parsed_snapshot: sizes that contradict one another are refused") {
  RunSnapshot snapshot = some_snapshot();
  snapshot.state.ranks.pop_back();
  CHECK(error_text(snapshot_bytes(snapshot)).find("contradicts itself") != std::string::npos);
  snapshot = some_snapshot();
  snapshot.history.pop_back();
  CHECK(error_text(snapshot_bytes(snapshot)).find("contradicts itself") != std::string::npos);
}

TEST_CASE("parsed_snapshot: without history only before generation 0") {
  RunSnapshot snapshot = some_snapshot();
  snapshot.history.clear();
  CHECK(error_text(snapshot_bytes(snapshot)).find("contradicts itself") != std::string::npos);
  snapshot.state.generation = 0;
  CHECK(error_text(snapshot_bytes(snapshot)).find("contradicts itself") != std::string::npos);
  snapshot.state = {};
  snapshot.state.population.objective_count = 2;
  snapshot.state.archive.objective_count = 2;
  CHECK(is_before_the_first(parsed_snapshot(snapshot_bytes(snapshot), "s")));
}

TEST_CASE("parsed_snapshot: a false length asks for no memory") {
  const std::string bytes = snapshot_bytes(some_snapshot());
  std::string payload(unframed(bytes, "s"));
  const std::size_t at = payload.find("8 optimize");
  REQUIRE(at != std::string::npos);
  payload.replace(at, 1, "400000000000");
  CHECK(error_text(framed(payload)) == "s: cannot be understood: its content is malformed");
}

TEST_CASE("read_snapshot: takes the one before when the newest is damaged") {
  const tests::TemporaryFolder folder;
  RunSnapshot snapshot = some_snapshot();
  write_snapshot(folder.path(), snapshot);
  CHECK(!std::filesystem::exists(folder.path() / "snapshot.previous"));
  snapshot.state.last_progress = 0;
  write_snapshot(folder.path(), snapshot);
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
  RunSnapshot snapshot = some_snapshot();
  for (const std::uint64_t progress : {1U, 2U, 3U}) {
    snapshot.state.last_progress = progress;
    write_snapshot(
        folder.path(), snapshot, progress == 3 ? OlderSnapshot::Dropped : OlderSnapshot::Kept);
  }
  CHECK(read_snapshot(folder.path()).snapshot.state.last_progress == 3);
  CHECK(read_snapshot(folder.path() / "snapshot.previous").snapshot.state.last_progress == 1);
}

// The class version of a snapshot and what stands behind its history.
TEST_CASE("parsed_snapshot: reads older versions") {
  RunSnapshot snapshot = some_snapshot();
  snapshot.state.walked = 0;
  const std::string bytes = snapshot_bytes(snapshot);
  std::string payload(unframed(bytes, "s"));
  const std::size_t version = payload.find(" 0 3 ");
  REQUIRE(version < payload.find("optimize"));
  while (payload.back() == '\n')
    payload.pop_back();
  // The place of the walk.
  REQUIRE(payload.ends_with(" 0"));
  payload.erase(payload.size() - 2);
  payload.replace(version + 3, 1, "2");
  CHECK(snapshot_bytes(parsed_snapshot(framed(payload + "\n"), "s")) == bytes);
  // Which counted resumptions.
  payload.replace(version + 3, 1, "1");
  CHECK(snapshot_bytes(parsed_snapshot(framed(payload + " 7\n"), "s")) == bytes);
  CHECK(error_text(framed(payload)).find("cannot be understood") != std::string::npos);
}

TEST_CASE("write_snapshot: leaves no temporary also after a kill between its steps") {
  const tests::TemporaryFolder folder;
  const RunSnapshot snapshot = some_snapshot();
  write_snapshot(folder.path(), snapshot);
  // As a kill leaves it after the old one was kept and before the new one is there.
  keep_copy(folder.path() / "snapshot", folder.path() / "snapshot.previous");
  put(folder.path() / "snapshot.tmp", "half");
  write_snapshot(folder.path(), snapshot);
  CHECK(!std::filesystem::exists(folder.path() / "snapshot.tmp"));
  CHECK(!std::filesystem::exists(folder.path() / "snapshot.previous.tmp"));
  CHECK(read_snapshot(folder.path()).warning.empty());
}

TEST_CASE("read_snapshot: a folder without one is no run") {
  const tests::TemporaryFolder folder;
  CHECK_THROWS_AS(static_cast<void>(read_snapshot(folder.path())), InputError);
  CHECK_THROWS_AS(static_cast<void>(read_snapshot(folder.path() / "nope")), InputError);
}

TEST_CASE("content_hash: is XXH3-128 in canonical order") {
  // Source: the reference value of the empty input in the xxHash specification.
  CHECK(content_hash("") == "99aa06d3014798d86001c324468d497f");
  CHECK(content_hash("a") != content_hash("b"));
}

}  // namespace paretrain::results
