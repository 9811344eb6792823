#include "results/front_comparison.h"

#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

const ObjectiveSet kA{{1, 4, 10}, {2, 2, 20}};
const ObjectiveSet kB{{2, 5, 10}, {1, 1, 40}};

}  // namespace

TEST_CASE("common_reference: is the worst of all plus one") {
  const std::vector<ObjectiveSet> fronts{kA, kB};
  CHECK(common_reference(fronts) == ObjectivePoint{3, 6, 41});
  CHECK(common_reference({}) == ObjectivePoint{1, 1, 1});
}

TEST_CASE("hypervolume_share: of one point is its box") {
  CHECK(hypervolume_share({{1, 4, 10}}, {2, 8, 20}) == doctest::Approx(1.0 * 4 * 10 / 320));
  CHECK(hypervolume_share({}, {2, 8, 20}) == 0);
}

TEST_CASE("coverage: counts what is no better anywhere") {
  CHECK(coverage(kA, kB) == 0.5);
  CHECK(coverage(kB, kA) == 0);
  CHECK(coverage(kA, kA) == 1);
  CHECK(coverage(kA, {}) == 1);
  CHECK(coverage({}, kA) == 0);
}

TEST_CASE("best_within: is the least of the plans that fit") {
  CHECK(!best_within(kA, 9).latency.has_value());
  CHECK(best_within(kA, 10).latency == 1);
  CHECK(best_within(kA, 20).energy == 2);
}

TEST_CASE("memory_levels: every front has a plan at every level") {
  const std::vector<ObjectiveSet> two{kA, kB};
  CHECK(memory_levels(two, 5) == std::vector<double>{10, 20, 40});
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0);
    std::vector<ObjectiveSet> fronts(3);
    for (ObjectiveSet& front : fronts)
      for (int i = 0; i < 20; ++i)
        front.push_back({random.unit(), random.unit(), random.unit()});
    const std::vector<double> levels = memory_levels(fronts, 5);
    CHECK(levels.size() <= 5);
    for (const double level : levels)
      for (const ObjectiveSet& front : fronts)
        CHECK(best_within(front, level).latency.has_value());
  }
}

}  // namespace paretrain::results
