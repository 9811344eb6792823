#include "engine/key_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::KeyOrder;
using engine::order_key;

namespace {

std::vector<std::uint32_t> plain_order(const std::vector<std::uint64_t>& keys) {
  std::vector<std::uint32_t> rows(keys.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  return rows;
}

void check_sorted(KeyOrder& order, const std::vector<std::uint64_t>& keys) {
  std::vector<std::uint32_t> rows;
  for (const KeyOrder::Entry& entry : order.sorted(keys)) {
    CHECK(entry.key == keys[entry.row]);
    rows.push_back(entry.row);
  }
  CHECK(rows == plain_order(keys));
}

}  // namespace

TEST_CASE("order_key: orders as the numbers do and joins both zeros") {
  const std::vector<double> rising = {-std::numeric_limits<double>::infinity(),
                                      -1e300,
                                      -2,
                                      -1e-300,
                                      0,
                                      1e-310,
                                      1e-300,
                                      1,
                                      1e300,
                                      std::numeric_limits<double>::infinity()};
  for (std::size_t i = 1; i < rising.size(); ++i)
    CHECK(order_key(rising[i - 1]) < order_key(rising[i]));
  CHECK(order_key(-0.0) == order_key(0.0));
}

TEST_CASE("KeyOrder: agrees with a stable sort for all sizes and kinds of keys") {
  KeyOrder order;
  check_sorted(order, {});
  check_sorted(order, {7});
  for (const std::size_t size : {2U, 24U, 25U, 100U, 1000U, 1501U, 5000U, 100'001U}) {
    CAPTURE(size);
    RandomStream random(tests::test_seed(), size, 0);
    std::vector<std::uint64_t> uniform;
    std::vector<std::uint64_t> few;
    std::vector<std::uint64_t> low_bits;
    std::vector<std::uint64_t> outlier;
    for (std::size_t i = 0; i < size; ++i) {
      uniform.push_back(order_key(random.unit()));
      few.push_back(random.below(5));
      low_bits.push_back((std::uint64_t{1} << 63U) | random.below(1'000'000));
      outlier.push_back(i == 0 ? ~std::uint64_t{0} : random.below(1000));
    }
    check_sorted(order, uniform);
    check_sorted(order, few);
    check_sorted(order, low_bits);
    check_sorted(order, outlier);
  }
}
