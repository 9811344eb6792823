#include "evaluator/group/portions.h"

#include <algorithm>

#include "base/random.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::RandomStream;

TEST_CASE("portioned: items of whole bytes are alike but for the last") {
  const ItemBytes bytes = portioned(100, 4, 3, 10, Rounding::Up);
  CHECK(bytes.full == 30);
  CHECK(bytes.last == 10);
  REQUIRE(bytes.portions.size() == 2);
  CHECK(bytes.portions[0].bytes == 30);
  CHECK(bytes.portions[0].times == 3);
}

TEST_CASE("portioned: bytes that do not divide are spread to whole ones") {
  // A third each: 34, 33, 33 rounded up, 33, 33, 34 rounded down.
  CHECK(portioned(100, 3, 1, 3, Rounding::Up).last == 33);
  CHECK(portioned(100, 3, 1, 3, Rounding::Down).last == 34);
}

TEST_CASE("undivided: is one item") {
  const ItemBytes bytes = undivided(7);
  CHECK(bytes.items == 1);
  CHECK(bytes.last == 7);
  REQUIRE(bytes.portions.size() == 1);
  CHECK(bytes.portions[0].times == 1);
}

TEST_CASE("portioned: the sizes add up to the whole and each is counted") {
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    RandomStream random(1, 1, trial);
    const auto total = static_cast<std::int64_t>(random.below(5000));
    const auto share = static_cast<std::int64_t>(1 + random.below(9));
    const auto items = static_cast<std::int64_t>(1 + random.below(40));
    const std::int64_t whole =
        share * items - static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(share)));
    const auto rounding = random.below(2) == 0 ? Rounding::Up : Rounding::Down;
    const ItemBytes bytes = portioned(total, items, share, whole, rounding);
    std::int64_t sum = 0;
    std::int64_t times = 0;
    for (const Portion& portion : bytes.portions) {
      sum += portion.bytes * portion.times;
      times += portion.times;
    }
    CAPTURE(trial);
    CHECK(sum == total);
    CHECK(times == items);
  }
}
