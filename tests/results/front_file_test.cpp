#include "results/front_file.h"

#include <string>

#include "base/error.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

const std::string kHeader = "plan,latency_cycles,energy_pj,peak_memory_bytes\n";

std::string error_text(const std::string& text) {
  try {
    static_cast<void>(parsed_front(text, "f.csv"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("parsed_front: finds columns in any place and takes units from their names") {
  const FrontFile front = parsed_front(
      "genome,peak_memory_bytes,energy_mJ,note,latency_ms,plan\nkr:0@1,64,1.5,x,2e3,7\n", "f.csv");
  CHECK(front.latency_unit == "ms");
  CHECK(front.energy_unit == "mJ");
  REQUIRE(front.points.size() == 1);
  CHECK(front.points[0].plan == "7");
  CHECK(front.points[0].latency == 2000);
  CHECK(front.points[0].energy == 1.5);
  CHECK(front.points[0].memory_bytes == 64);
  CHECK(front.points[0].genome == "kr:0@1");
  CHECK(front.warnings.empty());
}

TEST_CASE("parsed_front: reads baselines and takes the first of several latencies") {
  const FrontFile front = parsed_front(
      "name,latency_cycles,energy_pj,peak_memory_bytes,latency_ms\nkeep-all,5,6,7,8\n", "b.csv");
  CHECK(front.points[0].plan == "keep-all");
  CHECK(front.points[0].latency == 5);
  CHECK(front.latency_unit == "cycles");
}

TEST_CASE("parsed_front: no rows are fine") {
  CHECK(parsed_front(kHeader, "f.csv").points.empty());
}

TEST_CASE("parsed_front: missing and repeated columns are named all at once") {
  CHECK(error_text("plan,latency,peak_memory_bytes\n") ==
        "f.csv:1: column latency_<unit> is missing\nf.csv:1: column energy_<unit> is missing");
  CHECK(error_text("plan,latency_c,energy_p,peak_memory_bytes,energy_p\n") ==
        "f.csv:1: column energy_p is there twice");
}

TEST_CASE("parsed_front: objectives are finite numbers from 0 up") {
  for (const char* const bad : {"", "nan", "inf", "-1", "+1", "1,000", "0x10", "1 ", "1e400"}) {
    CAPTURE(bad);
    const std::string row = "0,\"" + std::string(bad) + "\",2,3\n";
    CHECK(error_text(kHeader + row) == "f.csv:2: latency_cycles is '" + std::string(bad) +
                                           "'; expected a finite number from 0 up to 2^63");
  }
  CHECK(error_text(kHeader + "0,1,2,9223372036854775809000\n") != "");
  CHECK(error_text(kHeader + "0,1,1e200,3\n") == "");
}

TEST_CASE("parsed_front: a hostile cell is escaped in the message") {
  const std::string message = error_text(kHeader + "0,\x1b[31m,2,3\n");
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.find("\\x1b[31m") != std::string::npos);
}

TEST_CASE("parsed_front: a repeated plan number is warned of") {
  const FrontFile front = parsed_front(kHeader + "3,1,2,3\n3,2,2,2\n4,3,3,1\n", "f.csv");
  REQUIRE(front.warnings.size() == 1);
  CHECK(front.warnings[0] == "f.csv: 1 rows repeat a plan number, the first is plan 3");
}

}  // namespace paretrain::results
