#include "engine/row_keys.h"

#include <algorithm>
#include <limits>

#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::pack_rows;

namespace {

int sign(std::strong_ordering order) {
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

// Negative, zero, positive as row a is before, equal to or behind row b.
int plain_order(const std::vector<double>& rows, std::size_t count, std::size_t a, std::size_t b) {
  for (std::size_t k = 0; k < count; ++k) {
    const double x = rows[a * count + k];
    const double y = rows[b * count + k];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

}  // namespace

TEST_CASE("pack_rows: the first objective is in the highest bits") {
  std::vector<std::uint64_t> keys;
  REQUIRE(pack_rows(std::vector<double>{-3, 10, -1, 12, 0, 10}, 2, keys));
  CHECK(keys == std::vector<std::uint64_t>{0, 2 * 4 + 2, 3 * 4});
  REQUIRE(pack_rows({}, 2, keys));
  CHECK(keys.empty());
  REQUIRE(pack_rows(std::vector<double>{0.0, 1, -0.0, 1}, 2, keys));
  CHECK(keys[0] == keys[1]);
}

TEST_CASE("pack_rows: keys compare as rows do") {
  std::vector<std::uint64_t> keys;
  for (std::size_t count = 1; count <= 5; ++count) {
    for (const double offset : {0.0, -40.0, 0.375, 1e9, -1e15}) {
      RandomStream random(tests::test_seed(), count, 0);
      CAPTURE(tests::test_seed());
      CAPTURE(count);
      CAPTURE(offset);
      std::vector<double> rows = tests::random_points(60, count, count < 3 ? 1'000'000 : 4, random);
      for (double& value : rows)
        value += offset;
      REQUIRE(pack_rows(rows, count, keys));
      for (std::size_t a = 0; a < 60; ++a) {
        for (std::size_t b = 0; b < 60; ++b)
          CHECK(sign(keys[a] <=> keys[b]) == plain_order(rows, count, a, b));
      }
    }
  }
}

TEST_CASE("pack_rows: refuses what does not fit") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLarge = 0x1p52;
  std::vector<std::uint64_t> keys;
  CHECK_FALSE(pack_rows(std::vector<double>{0, 0.5}, 1, keys));
  CHECK_FALSE(pack_rows(std::vector<double>{0, kInfinity}, 1, keys));
  CHECK_FALSE(pack_rows(std::vector<double>{kInfinity, kInfinity}, 1, keys));
  CHECK_FALSE(pack_rows(std::vector<double>{-1.7e308, 1.7e308}, 1, keys));
  CHECK_FALSE(pack_rows(std::vector<double>{0, 2 * kLarge}, 1, keys));
  CHECK(pack_rows(std::vector<double>{0, kLarge}, 1, keys));
  // 53 bits and 12 bits; 53 bits and 11 bits.
  CHECK_FALSE(pack_rows(std::vector<double>{0, 0, kLarge, 2048}, 2, keys));
  CHECK(pack_rows(std::vector<double>{0, 0, kLarge, 2047}, 2, keys));
  // A difference that rounds to a whole number does not say which value it is.
  CHECK_FALSE(pack_rows(std::vector<double>{-0x1p52, 0x1p-10}, 1, keys));
}
