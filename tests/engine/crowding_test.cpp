#include "engine/crowding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "engine/dominance.h"
#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::CrowdingDistance;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// By the definition, for rows with distinct values in every objective.
std::vector<double> plain_crowding(const std::vector<double>& points,
                                   std::size_t objectives,
                                   const std::vector<std::uint32_t>& front,
                                   const std::vector<double>& ranges) {
  std::vector<double> result(front.size(), 0);
  for (std::size_t k = 0; k < objectives; ++k) {
    std::vector<std::size_t> order(front.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value = [&](std::size_t i) { return points[front[i] * objectives + k]; };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return value(a) < value(b); });
    result[order.front()] = kInfinity;
    result[order.back()] = kInfinity;
    for (std::size_t i = 1; i + 1 < order.size(); ++i)
      result[order[i]] += (value(order[i + 1]) - value(order[i - 1])) / ranges[k];
  }
  return result;
}

// Distinct points that do not dominate one another, in lexicographic order.
std::vector<double> random_front(std::size_t rows, std::size_t objectives, RandomStream& random) {
  std::set<std::vector<double>> rows_in_order;
  while (rows_in_order.size() < rows) {
    std::vector<double> row;
    double sum = 0;
    for (std::size_t k = 0; k < objectives; ++k) {
      row.push_back(random.unit());
      sum += row.back();
    }
    for (double& value : row)
      value /= sum;
    rows_in_order.insert(row);
  }
  std::vector<double> points;
  for (const auto& row : rows_in_order)
    points.insert(points.end(), row.begin(), row.end());
  return points;
}

std::vector<std::uint32_t> all_rows(std::size_t rows) {
  std::vector<std::uint32_t> result(rows);
  std::iota(result.begin(), result.end(), 0U);
  return result;
}

}  // namespace

TEST_CASE("CrowdingDistance: an example by hand") {
  // Ranges 4 and 4: the middle points have (2-0)/4 + (4-1)/4 and (4-1)/4 + (2-0)/4.
  const std::vector<double> points = {0, 4, 1, 2, 2, 1, 4, 0};
  CrowdingDistance crowding;
  const auto distances = crowding.measure(points, 2, all_rows(4));
  CHECK(distances[0] == kInfinity);
  CHECK(distances[1] == 1.25);
  CHECK(distances[2] == 1.25);
  CHECK(distances[3] == kInfinity);
}

TEST_CASE("CrowdingDistance: no rows and one or two rows") {
  CrowdingDistance crowding;
  CHECK(crowding.measure({}, 2, {}).empty());
  const std::vector<double> points = {0, 4, 1, 2};
  CHECK(crowding.measure(points, 2, all_rows(1))[0] == kInfinity);
  const auto two = crowding.measure(points, 2, all_rows(2));
  CHECK(two[0] == kInfinity);
  CHECK(two[1] == kInfinity);
}

TEST_CASE("CrowdingDistance: a flat objective contributes nothing") {
  const std::vector<double> with_flat = {0, 5, 4, 1, 5, 2, 2, 5, 1, 4, 5, 0};
  const std::vector<double> without = {0, 4, 1, 2, 2, 1, 4, 0};
  CrowdingDistance crowding;
  const auto flat = crowding.measure(with_flat, 3, all_rows(4));
  const std::vector<double> three(flat.begin(), flat.end());
  const auto two = crowding.measure(without, 2, all_rows(4));
  CHECK(three == std::vector<double>(two.begin(), two.end()));
}

TEST_CASE("CrowdingDistance: all objectives flat gives zeros and no NaN") {
  const std::vector<double> points(9, 1);
  CrowdingDistance crowding;
  for (const double distance : crowding.measure(points, 3, all_rows(3)))
    CHECK(distance == 0);
}

TEST_CASE("CrowdingDistance: the smallest and the largest ranges give no NaN") {
  CrowdingDistance crowding;
  const std::vector<double> tiny = {0, 3e-310, 1e-310, 2e-310, 2e-310, 1e-310, 3e-310, 0};
  const std::vector<double> huge = {-1.7e308, 1.7e308, 0, 0, 1e308, -1e308, 1.7e308, -1.7e308};
  for (const std::vector<double>& points : {tiny, huge}) {
    for (const double distance : crowding.measure(points, 2, all_rows(4)))
      CHECK(distance >= 0);
  }
}

TEST_CASE("CrowdingDistance: agrees with the definition") {
  CrowdingDistance crowding;
  for (std::size_t objectives = 2; objectives <= 5; ++objectives) {
    for (std::uint64_t round = 0; round < 10; ++round) {
      RandomStream random(tests::test_seed(), round, objectives);
      CAPTURE(tests::test_seed());
      CAPTURE(objectives);
      const auto points = random_front(30, objectives, random);
      std::vector<double> ranges;
      for (std::size_t k = 0; k < objectives; ++k) {
        std::vector<double> column;
        for (std::size_t i = 0; i < 30; ++i)
          column.push_back(points[i * objectives + k]);
        const auto [low, high] = std::minmax_element(column.begin(), column.end());
        ranges.push_back(*high - *low);
      }
      const auto expected = plain_crowding(points, objectives, all_rows(30), ranges);
      const auto distances = crowding.measure(points, objectives, all_rows(30));
      for (std::size_t i = 0; i < 30; ++i) {
        if (expected[i] == kInfinity) {
          CHECK(distances[i] == kInfinity);
        } else {
          CHECK(distances[i] == doctest::Approx(expected[i]).epsilon(1e-12));
        }
      }
      // Thinning equals removing the smallest and measuring the rest again, with the ranges kept.
      std::vector<std::uint32_t> left = all_rows(30);
      while (left.size() > 12) {
        const auto again = plain_crowding(points, objectives, left, ranges);
        left.erase(left.begin() + (std::min_element(again.begin(), again.end()) - again.begin()));
      }
      const auto remaining = crowding.thin_out(12);
      CHECK(std::vector<std::uint32_t>(remaining.begin(), remaining.end()) == left);
    }
  }
}

TEST_CASE("CrowdingDistance: thinning to nothing and to everything") {
  const std::vector<double> points = {0, 4, 1, 2, 2, 1, 4, 0};
  CrowdingDistance crowding;
  static_cast<void>(crowding.measure(points, 2, all_rows(4)));
  CHECK(crowding.thin_out(4).size() == 4);
  static_cast<void>(crowding.measure(points, 2, all_rows(4)));
  CHECK(crowding.thin_out(0).empty());
}
