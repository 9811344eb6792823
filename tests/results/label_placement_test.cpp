#include "results/label_placement.h"

#include <vector>

#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

TEST_CASE("placed_labels: a lone label goes beside its point") {
  const std::vector<LabelRequest> requests{{50, 50, 20, 10}};
  const auto placed = placed_labels(requests, {{0, 0, 100, 100}, {}, {}});
  REQUIRE(placed[0].has_value());
  CHECK(placed[0]->left > 50);
  CHECK(placed[0]->bottom < 55);
  CHECK(placed[0]->right - placed[0]->left == doctest::Approx(20));
}

TEST_CASE("placed_labels: no room gives no label") {
  const std::vector<LabelRequest> requests{{5, 5, 200, 10}};
  CHECK(!placed_labels(requests, {{0, 0, 100, 100}, {}, {}})[0].has_value());
}

TEST_CASE("placed_labels: prefers places without points") {
  std::vector<Box> points;  // everything to the right is full
  for (int i = 0; i < 20; ++i)
    points.push_back({52, i * 5.0, 60, i * 5.0 + 4});
  const std::vector<LabelRequest> requests{{50, 50, 20, 10}};
  const auto placed = placed_labels(requests, {{0, 0, 100, 100}, {}, points});
  REQUIRE(placed[0].has_value());
  CHECK(placed[0]->right <= 52);
}

TEST_CASE("placed_labels: never overlap one another or what is blocked and stay inside") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0);
    std::vector<LabelRequest> requests;
    LabelSurroundings surroundings{{0, 0, 200, 200}, {}, {}};
    for (int i = 0; i < 25; ++i) {
      const double x = random.unit() * 200;
      const double y = random.unit() * 200;
      requests.push_back({x, y, 5 + random.unit() * 60, 11});
      surroundings.blocked.push_back({x - 4, y - 4, x + 4, y + 4});
    }
    const auto placed = placed_labels(requests, surroundings);
    REQUIRE(placed.size() == requests.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (!placed[i]) continue;
      CHECK(placed[i]->is_inside(surroundings.bounds));
      for (const Box& box : surroundings.blocked)
        CHECK(!placed[i]->overlaps(box));
      for (std::size_t j = 0; j < i; ++j)
        if (placed[j]) CHECK(!placed[i]->overlaps(*placed[j]));
    }
  }
}

}  // namespace paretrain::results
