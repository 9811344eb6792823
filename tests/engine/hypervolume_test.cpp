#include "engine/hypervolume.h"

#include <cmath>

#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Hypervolume;

TEST_CASE("Hypervolume: examples by hand") {
  Hypervolume hypervolume;
  const std::vector<double> two = {1, 3, 2, 2, 3, 1, 3, 3};
  // 3 + 2 + 1 unit squares up to (4, 4).
  CHECK(hypervolume.volume(two, std::vector<double>{4, 4}) == 6);
  const std::vector<double> three = {0, 0, 1, 1, 1, 0};
  // A box of 2*2*1 and one of 1*1*2 that share 1.
  CHECK(hypervolume.volume(three, std::vector<double>{2, 2, 2}) == 5);
  CHECK(hypervolume.volume(std::vector<double>{3, 1, 2}, std::vector<double>{4}) == 3);
}

TEST_CASE("Hypervolume: nothing within the reference is no volume") {
  Hypervolume hypervolume;
  for (std::size_t objectives = 1; objectives <= 6; ++objectives) {
    const std::vector<double> reference(objectives, 1);
    CHECK(hypervolume.volume({}, reference) == 0);
    CHECK(hypervolume.volume(reference, reference) == 0);
    CHECK(hypervolume.volume(std::vector<double>(objectives, 2), reference) == 0);
    CHECK(hypervolume.volume(std::vector<double>(objectives, -1), reference) ==
          std::pow(2.0, static_cast<double>(objectives)));
  }
}

TEST_CASE("Hypervolume: agrees with inclusion and exclusion") {
  Hypervolume hypervolume;
  for (std::size_t objectives = 1; objectives <= 6; ++objectives) {
    for (std::uint64_t round = 0; round < 30; ++round) {
      RandomStream random(tests::test_seed(), round, objectives);
      CAPTURE(tests::test_seed());
      CAPTURE(objectives);
      CAPTURE(round);
      const std::size_t rows = random.below(11);
      const std::vector<double> reference(objectives, 9);
      // Whole numbers: every sum is exact.
      const auto points = tests::random_points(rows, objectives, 11, random);
      CHECK(hypervolume.volume(points, reference) == engine::plain_hypervolume(points, reference));
      const std::vector<double> lower(objectives, 4);
      std::vector<double> shifted = points;
      for (double& value : shifted)
        value -= 6;
      CHECK(hypervolume.volume(shifted, lower) == engine::plain_hypervolume(shifted, lower));
      const auto reals = tests::random_points(rows, objectives, 0, random);
      CHECK(hypervolume.volume(reals, std::vector<double>(objectives, 1)) ==
            doctest::Approx(engine::plain_hypervolume(reals, std::vector<double>(objectives, 1)))
                .epsilon(1e-12));
    }
  }
}

TEST_CASE("Hypervolume: product fronts have product volumes") {
  // The points (i, n - i) in each pair of objectives; up to n + 1 the area is (n + 1)(n + 2) / 2.
  constexpr int kN = 12;
  std::vector<double> points;
  for (int a = 0; a <= kN; ++a) {
    for (int b = 0; b <= kN; ++b)
      points.insert(points.end(), {1.0 * a, 1.0 * (kN - a), 1.0 * b, 1.0 * (kN - b)});
  }
  const double area = (kN + 1) * (kN + 2) / 2.0;
  Hypervolume hypervolume;
  CHECK(hypervolume.volume(points, std::vector<double>(4, kN + 1)) == area * area);
}

TEST_CASE("Hypervolume: is monotone and shift invariant and ignores order and copies") {
  Hypervolume hypervolume;
  for (std::size_t objectives = 2; objectives <= 5; ++objectives) {
    RandomStream random(tests::test_seed(), 77, objectives);
    std::vector<double> points = tests::random_points(60, objectives, 50, random);
    const std::vector<double> reference(objectives, 50);
    const double volume = hypervolume.volume(points, reference);
    const std::vector<double> fewer(points.begin(),
                                    points.end() - static_cast<std::ptrdiff_t>(objectives));
    CHECK(hypervolume.volume(fewer, reference) <= volume);
    std::vector<double> shifted = points;
    for (double& value : shifted)
      value -= 1000;
    CHECK(hypervolume.volume(shifted, std::vector<double>(objectives, -950)) == volume);
    std::vector<double> turned;
    for (std::size_t first = points.size(); first > 0; first -= objectives) {
      for (std::size_t k = 0; k < objectives; ++k)
        turned.push_back(points[first - objectives + k]);
    }
    CHECK(hypervolume.volume(turned, reference) == volume);
    points.insert(points.end(), turned.begin(), turned.end());
    CHECK(hypervolume.volume(points, reference) == volume);
  }
}
