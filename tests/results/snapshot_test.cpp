#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "results/run_snapshot.h"
#include "results/snapshot_frame.h"
#include "tests/results/some_snapshot.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

using tests::some_snapshot;

std::string error_text(std::string_view bytes) {
  try {
    static_cast<void>(parsed_snapshot(bytes, "s"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
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

// The text archive of Boost.Serialization wrote this, whose own version it names at its start.
TEST_CASE("snapshot_bytes: is what the archive of the library writes") {
  const std::string_view expected =
      "0 3 0 0 8 optimize 5 1.2.3 2 0 0 4 seed 1 1 7 4 keep 2 2 a* 3 b c 0 1 0 0 5 "
      "model 8 net.onnx 13 /far/net.onnx 4 00ff 18364758544493064720 5 2 14 "
      "latency_cycles 17 peak_memory_bytes 0 0 1 0 0 2 2 64 "
      "0000000000000001ffffffffffffffff00000000000000030000000000000004 64 "
      "3fb999999999999a01a56e1fc2f8f3593fd55555555555558000000000000000 32 "
      "00000000000000004004000000000000 32 00000000000000000000000000000001 32 "
      "7ff00000000000003fd0000000000000 2 2 64 "
      "0000000000000001ffffffffffffffff00000000000000030000000000000004 64 "
      "3fb999999999999a01a56e1fc2f8f3593fd55555555555558000000000000000 32 "
      "00000000000000004004000000000000 0  48 "
      "000000000000000900000000000000080000000000000007 0 0 40 0 0 0 0 16 "
      "3fe6666666666666 1 0 0 0 0 2 0 0 0 20 0 0  0 0  0  1 20 0 16 3fb999999999999a 0 "
      "16 4008000000000000 32 3fb999999999999a4050000000000000 77\n";
  const std::string bytes = snapshot_bytes(some_snapshot());
  const std::string_view payload = unframed(bytes, "s");
  const std::string_view start = "22 serialization::archive ";
  REQUIRE(payload.starts_with(start));
  CHECK(payload.substr(payload.find(' ', start.size()) + 1) == expected);
}

TEST_CASE("snapshot_bytes: long arrays are their digits one by one") {
  RunSnapshot snapshot = some_snapshot();
  RandomStream random(1, 2, 3);
  // Around the numbers that are put into the text at once.
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, std::size_t{3000}}) {
    CAPTURE(count);
    std::vector<std::uint64_t>& numbers = snapshot.state.seen.older;
    numbers.resize(count);
    std::string expected = ' ' + std::to_string(16 * count) + ' ';
    for (std::uint64_t& number : numbers) {
      number = random.next() >> random.below(64);
      std::array<char, 17> digits{};
      std::snprintf(
          digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
      expected += digits.data();
    }
    const std::string bytes = snapshot_bytes(snapshot);
    CHECK(bytes.find(expected + ' ') != std::string::npos);
    CHECK(parsed_snapshot(bytes, "s").state.seen.older == numbers);
  }
}

TEST_CASE("snapshot_bytes: what the buffer held does not matter") {
  const RunSnapshot snapshot = some_snapshot();
  const std::string bytes = snapshot_bytes(snapshot);
  for (const std::size_t size : {std::size_t{1}, bytes.size(), std::size_t{100'000}})
    CHECK(snapshot_bytes(snapshot, std::string(size, 'z')) == bytes);
}

TEST_CASE("sealed: a payload in its place is framed like one on its own") {
  CHECK(sealed(std::string(kFrameHeaderBytes, 'z')) == framed(""));
  CHECK(sealed(std::string(kFrameHeaderBytes, '\0') + "payload") == framed("payload"));
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

TEST_CASE("content_hash: is XXH3-128 in canonical order") {
  // Source: the reference value of the empty input in the xxHash specification.
  CHECK(content_hash("") == "99aa06d3014798d86001c324468d497f");
  CHECK(content_hash("a") != content_hash("b"));
}

}  // namespace paretrain::results
