#include "engine/survivors.h"

#include <algorithm>
#include <set>

#include "engine/dominance.h"
#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Crowding;
using engine::Individuals;
using engine::SelectionOptions;
using engine::SurvivorSelection;
using engine::TieRule;

namespace {

Individuals individuals(const std::vector<double>& points, std::size_t objectives) {
  Individuals all{.words_per_genome = 1, .objective_count = objectives};
  for (std::size_t first = 0; first < points.size(); first += objectives) {
    const std::vector<engine::Word> genome = {first};
    all.append(genome, std::span<const double>(points).subspan(first, objectives), 0);
  }
  return all;
}

}  // namespace

TEST_CASE("SurvivorSelection: whole fronts first and then those with the most room") {
  // Front 0: (0,10) (1,8) (2,7) (8,0). Front 1: (1,10) (9,9).
  const Individuals all = individuals({1, 10, 0, 10, 1, 8, 2, 7, 8, 0, 9, 9}, 2);
  SurvivorSelection selection;
  const auto& four = selection.select(all, 4, {});
  CHECK(four.rows == std::vector<std::uint32_t>{1, 2, 3, 4});
  const auto& five = selection.select(all, 5, {});
  CHECK(five.rows == std::vector<std::uint32_t>{1, 2, 3, 4, 0});
  CHECK(five.ranks == std::vector<std::uint32_t>{0, 0, 0, 0, 1});
  // (1,8) has less room than (2,7).
  const auto& three = selection.select(all, 3, {});
  CHECK(three.rows == std::vector<std::uint32_t>{1, 3, 4});
  CHECK(
      std::vector<std::uint32_t>(selection.first_front().begin(), selection.first_front().end()) ==
      std::vector<std::uint32_t>{1, 2, 3, 4});
}

TEST_CASE("SurvivorSelection: accepts any size and no rows") {
  SurvivorSelection selection;
  CHECK(selection.select(individuals({}, 2), 4, {}).rows.empty());
  CHECK(selection.select(individuals({1, 1}, 2), 4, {}).rows.size() == 1);
  CHECK(selection.select(individuals({1, 1}, 2), 0, {}).rows.empty());
}

TEST_CASE("SurvivorSelection: the tie rules") {
  // Front 0: three times (1,1). Front 1: (2,2).
  const Individuals all = individuals({1, 1, 1, 1, 1, 1, 2, 2}, 2);
  SurvivorSelection selection;
  const auto rows = [&](TieRule ties, std::size_t wanted) {
    auto chosen = selection.select(all, wanted, {.ties = ties, .crowding = Crowding::Updated}).rows;
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  };
  CHECK(rows(TieRule::CopiesWorse, 2) == std::vector<std::uint32_t>{2, 3});
  CHECK(rows(TieRule::CopiesWorse, 3) == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(rows(TieRule::CopiesLast, 2) == std::vector<std::uint32_t>{0, 2});
  CHECK(rows(TieRule::CopiesLast, 4) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(rows(TieRule::CopiesCompete, 2).size() == 2);
}

TEST_CASE("SurvivorSelection: every vector gets a second genome before one gets a third") {
  // Two vectors of one front, four and two times.
  const Individuals all = individuals({0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0}, 2);
  SurvivorSelection selection;
  auto rows = selection.select(all, 4, {}).rows;
  std::sort(rows.begin(), rows.end());
  CHECK(rows == std::vector<std::uint32_t>{0, 3, 4, 5});
}

TEST_CASE("SurvivorSelection: infeasible ones by violation behind all feasible ones") {
  Individuals all = individuals({5, 5, 0, 0, 1, 1, 2, 2}, 2);
  all.violations = {0, 3, 1, 1};
  SurvivorSelection selection;
  const auto& list = selection.select(all, 3, {});
  CHECK(list.rows == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(list.ranks[1] > list.ranks[0]);
  CHECK(list.ranks[1] == list.ranks[2]);
  CHECK(selection.first_front().size() == 1);
  all.violations = {4, 3, 1, 1};
  CHECK(selection.select(all, 3, {}).rows == std::vector<std::uint32_t>{2, 3, 1});
  CHECK(selection.first_front().empty());
}

TEST_CASE("SurvivorSelection: no survivor is worse in rank than a distinct one left out") {
  SurvivorSelection selection;
  for (std::uint64_t round = 0; round < 40; ++round) {
    RandomStream random(tests::test_seed(), round, 5);
    CAPTURE(tests::test_seed());
    CAPTURE(round);
    const std::size_t objectives = 2 + round % 3;
    const auto points = tests::random_points(80, objectives, round % 2 == 0 ? 0 : 6, random);
    const Individuals all = individuals(points, objectives);
    const auto ranks = engine::plain_ranks(points, objectives);
    const auto& list = selection.select(all, 40, {.ties = TieRule::CopiesLast});
    CHECK(list.rows.size() == 40);
    CHECK(std::set<std::uint32_t>(list.rows.begin(), list.rows.end()).size() == 40);
    std::uint32_t worst_kept = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(list.ranks[i] == ranks[list.rows[i]]);
      worst_kept = std::max(worst_kept, list.ranks[i]);
    }
    for (std::uint32_t row = 0; row < 80; ++row) {
      const bool kept = std::find(list.rows.begin(), list.rows.end(), row) != list.rows.end();
      if (!kept) CHECK(ranks[row] >= worst_kept);
    }
  }
}
