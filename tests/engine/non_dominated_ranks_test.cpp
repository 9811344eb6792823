#include "engine/non_dominated_ranks.h"

#include <algorithm>
#include <map>

#include "engine/dominance.h"
#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::NonDominatedRanks;

namespace {

std::vector<std::uint32_t> fast_ranks(NonDominatedRanks& sorter,
                                      const std::vector<double>& points,
                                      std::size_t objective_count) {
  const auto ranks = sorter.ranks(points, objective_count);
  return {ranks.begin(), ranks.end()};
}

// Copies by the definition: earlier rows with the same objectives.
std::vector<std::uint32_t> plain_copies(const std::vector<double>& points,
                                        std::size_t objective_count) {
  std::map<std::vector<double>, std::uint32_t> seen;
  std::vector<std::uint32_t> copies;
  for (std::size_t first = 0; first < points.size(); first += objective_count) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
    copies.push_back(seen[{begin, begin + static_cast<std::ptrdiff_t>(objective_count)}]++);
  }
  return copies;
}

}  // namespace

TEST_CASE("dominates: better somewhere and worse nowhere") {
  const std::vector<double> a = {1, 2};
  const std::vector<double> b = {1, 3};
  const std::vector<double> c = {2, 1};
  CHECK(engine::dominates(a, b));
  CHECK_FALSE(engine::dominates(b, a));
  CHECK_FALSE(engine::dominates(a, a));
  CHECK(engine::weakly_dominates(a, a));
  CHECK_FALSE(engine::dominates(a, c));
  CHECK_FALSE(engine::dominates(c, a));
}

TEST_CASE("constraint_dominates: feasible first and then the smaller violation") {
  const std::vector<double> good = {0, 0};
  const std::vector<double> bad = {9, 9};
  CHECK(engine::constraint_dominates(bad, 0, good, 1));
  CHECK_FALSE(engine::constraint_dominates(good, 1, bad, 0));
  CHECK(engine::constraint_dominates(bad, 1, good, 2));
  CHECK_FALSE(engine::constraint_dominates(good, 2, bad, 2));
  CHECK(engine::constraint_dominates(good, 0, bad, 0));
}

TEST_CASE("NonDominatedRanks: an example by hand") {
  // (1,4) (2,2) (4,1) are the first front, (2,4) (3,3) the second, (4,4) the third.
  const std::vector<double> points = {4, 4, 1, 4, 2, 2, 3, 3, 4, 1, 2, 4, 2, 2};
  NonDominatedRanks sorter;
  CHECK(fast_ranks(sorter, points, 2) == std::vector<std::uint32_t>{2, 0, 0, 1, 0, 1, 0});
  CHECK(sorter.fronts() == 3);
  CHECK(std::vector<std::uint32_t>(sorter.copies().begin(), sorter.copies().end()) ==
        std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1});
  CHECK(std::vector<std::uint32_t>(sorter.order().begin(), sorter.order().end()) ==
        std::vector<std::uint32_t>{1, 2, 6, 5, 3, 4, 0});
}

TEST_CASE("NonDominatedRanks: no rows and one row") {
  NonDominatedRanks sorter;
  for (std::size_t objectives = 1; objectives <= 5; ++objectives) {
    CHECK(sorter.ranks({}, objectives).empty());
    CHECK(sorter.fronts() == 0);
    const std::vector<double> one(objectives, 3.5);
    CHECK(fast_ranks(sorter, one, objectives) == std::vector<std::uint32_t>{0});
    CHECK(sorter.fronts() == 1);
  }
}

TEST_CASE(
    "NonDominatedRanks: agrees with the definition under random points with and without ties") {
  NonDominatedRanks sorter;
  for (std::size_t objectives = 1; objectives <= 7; ++objectives) {
    for (const std::uint64_t levels : {0U, 2U, 4U, 20U}) {
      for (std::uint64_t round = 0; round < 12; ++round) {
        CAPTURE(objectives);
        CAPTURE(levels);
        CAPTURE(round);
        CAPTURE(tests::test_seed());
        RandomStream random(tests::test_seed(), round, 100 * objectives + levels);
        const std::size_t rows = 1 + random.below(150);
        const auto points = tests::random_points(rows, objectives, levels, random);
        const auto expected = engine::plain_ranks(points, objectives);
        CHECK(fast_ranks(sorter, points, objectives) == expected);
        const std::vector<std::uint32_t> copies(sorter.copies().begin(), sorter.copies().end());
        CHECK(copies == plain_copies(points, objectives));
        CHECK(sorter.fronts() == *std::max_element(expected.begin(), expected.end()) + 1);
      }
    }
  }
}

TEST_CASE("NonDominatedRanks: a single front and a chain of fronts") {
  NonDominatedRanks sorter;
  std::vector<double> line;
  std::vector<double> chain;
  for (int i = 0; i < 500; ++i) {
    line.insert(line.end(), {static_cast<double>(i), static_cast<double>(-i), 0, 1});
    chain.insert(chain.end(), {1.0 * i, 2.0 * i, 3.0 * i, 4.0 * i});
  }
  const auto flat = fast_ranks(sorter, line, 4);
  CHECK(std::all_of(flat.begin(), flat.end(), [](auto rank) { return rank == 0; }));
  const auto deep = fast_ranks(sorter, chain, 4);
  for (std::uint32_t i = 0; i < 500; ++i)
    CHECK(deep[i] == i);
}

TEST_CASE("NonDominatedRanks: more rows than small integers hold") {
  // Points on a line of slope -1 in the first two objectives, one front; their copies shifted by
  // one in every objective are the second front.
  NonDominatedRanks sorter;
  std::vector<double> points;
  constexpr int kHalf = 17'000;
  for (int shift = 0; shift < 2; ++shift) {
    for (int i = 0; i < kHalf; ++i) {
      const double x = 2.0 * i + shift;
      points.insert(points.end(), {x, 2.0 * (kHalf - i) + shift, x, 7.0 + shift});
    }
  }
  const auto ranks = fast_ranks(sorter, points, 4);
  CHECK(std::count(ranks.begin(), ranks.end(), 0U) == kHalf);
  CHECK(std::count(ranks.begin() + kHalf, ranks.end(), 1U) == kHalf);
}
