#include "results/knee.h"

#include <vector>

#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

TEST_CASE("knee: is nearest to the ideal point after scaling") {
  // Scaled: (0,1,0.5), (0.5,0.5,0), (1,0,1): squared distances 1.25, 0.5, 2.
  const std::vector<ObjectivePoint> points{{100, 30, 6}, {200, 20, 5}, {300, 10, 7}};
  CHECK(knee(points) == 1);
}

TEST_CASE("knee: degenerate fronts") {
  CHECK(!knee({}).has_value());
  CHECK(knee(std::vector<ObjectivePoint>{{1, 2, 3}}) == 0);
  CHECK(knee(std::vector<ObjectivePoint>{{1, 2, 3}, {1, 2, 3}}) == 0);
  // A constant objective counts nothing.
  CHECK(knee(std::vector<ObjectivePoint>{{0, 5, 10}, {4, 5, 4}, {10, 5, 0}}) == 1);
}

TEST_CASE("standings: agrees with the definition") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0);
    std::vector<ObjectivePoint> points(random.below(60));
    for (ObjectivePoint& point : points)
      for (double& value : point)
        value = static_cast<double>(random.below(6));
    const std::vector<Standing> got = standings(points);
    REQUIRE(got.size() == points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      bool dominated = false;
      for (const ObjectivePoint& other : points) {
        const bool no_worse =
            other[0] <= points[i][0] && other[1] <= points[i][1] && other[2] <= points[i][2];
        dominated = dominated || (no_worse && other != points[i]);
      }
      CHECK((got[i] == Standing::Dominated) == dominated);
    }
  }
}

}  // namespace paretrain::results
