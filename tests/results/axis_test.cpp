#include "results/axis.h"

#include <string>

#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

TEST_CASE("axis_unit: picks the unit in which the largest number reads well") {
  CHECK(axis_unit("pj", 999).text == "pJ");
  CHECK(axis_unit("pj", 2.5e9).text == "mJ");
  CHECK(axis_unit("pj", 2.5e9).divisor == 1e9);
  CHECK(axis_unit("cycles", 0).text == "cycles");
  CHECK(axis_unit("cycles", 83'387'100).text == "M cycles");
  CHECK(axis_unit("bytes", 1024).text == "KiB");
  CHECK(axis_unit("bytes", 1023).text == "bytes");
  CHECK(axis_unit("ms", 99'999).text == "ms");
  CHECK(axis_unit("ms", 2e6).text == "10^6 ms");
  CHECK(axis_unit("ms", 2e6).divisor == 1e6);
}

TEST_CASE("axis: ticks are round numbers inside the range") {
  const Axis one = axis(0, 100, 6);
  REQUIRE(one.ticks.size() == 6);
  CHECK(one.ticks.front().text == "0");
  CHECK(one.ticks.back().text == "100");
  CHECK(axis(0.001, 0.0042, 6).ticks.front().text == "0.001");
  CHECK(axis(5, 5, 6).ticks.size() >= 1);
  CHECK(axis(0, 0, 6).low == 0);
}

TEST_CASE("axis: holds the values with few ticks for any range") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0);
    const double low = random.unit() * 1e6;
    const double high = low + random.unit() * (random.below(2) == 0 ? 1e-3 : 1e9);
    const Axis result = axis(low, high, 6);
    CHECK(result.low <= low);
    CHECK(result.high >= high);
    CHECK(result.share(low) >= 0);
    CHECK(result.share(high) <= 1);
    CHECK(result.ticks.size() <= 8);
    for (const AxisTick& tick : result.ticks) {
      CHECK(tick.value >= result.low);
      CHECK(tick.value <= result.high * (1 + 1e-12));
    }
  }
}

}  // namespace paretrain::results
