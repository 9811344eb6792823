#include "base/random.h"

#include <array>
#include <set>

#include "tests/support/doctest.h"

namespace paretrain {

TEST_CASE("RandomStream: equal keys give equal numbers and different keys different ones") {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::uint64_t generation = 0; generation < 3; ++generation) {
      for (std::uint64_t slot = 0; slot < 3; ++slot) {
        RandomStream one(seed, generation, slot);
        RandomStream other(seed, generation, slot);
        const std::uint64_t first = one.next();
        CHECK_EQ(first, other.next());
        firsts.insert(first);
      }
    }
  }
  CHECK_EQ(firsts.size(), 27);
}

TEST_CASE("RandomStream: below stays under its bound and reaches every value about equally often") {
  RandomStream stream(1, 2, 3);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i)
    ++counts.at(stream.below(6));
  for (const int count : counts) {
    CHECK_GT(count, 9500);
    CHECK_LT(count, 10500);
  }
}

TEST_CASE("RandomStream: unit lies in the half-open unit interval with mean one half") {
  RandomStream stream(7, 0, 0);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double number = stream.unit();
    CHECK_GE(number, 0.0);
    CHECK_LT(number, 1.0);
    sum += number;
  }
  CHECK_EQ(sum / 10000, doctest::Approx(0.5).epsilon(0.02));
}

}  // namespace paretrain
