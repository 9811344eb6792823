#include "engine/archive.h"

#include <algorithm>
#include <numeric>

#include "engine/dominance.h"
#include "engine/non_dominated_ranks.h"
#include "tests/engine/random_points.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::ArchiveUpdate;
using engine::Individuals;

namespace {

tests::FunctionProblem bit_problem(std::size_t objectives) {
  return {engine::GenomeLayout{.bits = 16, .integers = {}, .reals = {}},
          objectives,
          [](engine::GenomeView) { return engine::Evaluation{}; }};
}

// The archive by its definition: of all rows ever added those that none dominates, sorted, and of
// equal ones the first `keep` different genomes in text order.
Individuals plain_archive(const engine::Problem& problem,
                          const Individuals& all,
                          std::size_t keep) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    bool dominated = false;
    for (std::uint32_t j = 0; j < all.size(); ++j)
      dominated = dominated || engine::dominates(all.objectives_of(j), all.objectives_of(i));
    if (!dominated) rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto x = all.objectives_of(a);
    const auto y = all.objectives_of(b);
    if (!std::equal(x.begin(), x.end(), y.begin()))
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
    return problem.text_order(all.genome(a), all.genome(b)) < 0;
  });
  Individuals result{.words_per_genome = 1, .objective_count = all.objective_count};
  std::size_t run = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto now = all.objectives_of(rows[i]);
    if (i > 0) {
      const auto before = all.objectives_of(rows[i - 1]);
      if (!std::equal(now.begin(), now.end(), before.begin())) run = 0;
      if (run > 0 && all.genome(rows[i])[0] == all.genome(rows[i - 1])[0]) continue;
    }
    if (run++ < keep) result.append(all, rows[i]);
  }
  return result;
}

}  // namespace

TEST_CASE("ArchiveUpdate: holds what the definition says after any additions") {
  for (std::size_t objectives = 1; objectives <= 4; ++objectives) {
    const auto problem = bit_problem(objectives);
    for (std::uint64_t round = 0; round < 30; ++round) {
      RandomStream random(tests::test_seed(), round, objectives);
      CAPTURE(tests::test_seed());
      CAPTURE(objectives);
      CAPTURE(round);
      const std::size_t keep = 1 + round % 3;
      ArchiveUpdate update(problem, keep);
      Individuals archive{.words_per_genome = 1, .objective_count = objectives};
      Individuals all = archive;
      for (int step = 0; step < 8; ++step) {
        Individuals batch{.words_per_genome = 1, .objective_count = objectives};
        const auto points = tests::random_points(12, objectives, 7, random);
        const auto ranks = engine::plain_ranks(points, objectives);
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < 12; ++i) {
          const std::vector<engine::Word> genome = {random.below(4)};
          const auto values = std::span<const double>(points).subspan(i * objectives, objectives);
          batch.append(genome, values, 0);
          all.append(genome, values, 0);
          if (ranks[i] == 0) rows.push_back(static_cast<std::uint32_t>(i));
        }
        update.add(archive, batch, rows);
        const Individuals expected = plain_archive(problem, all, keep);
        CHECK(archive.words == expected.words);
        CHECK(archive.objectives == expected.objectives);
      }
    }
  }
}

TEST_CASE("ArchiveUpdate: the order in which rows are listed does not matter") {
  for (std::size_t objectives = 2; objectives <= 5; ++objectives) {
    const auto problem = bit_problem(objectives);
    for (std::uint64_t round = 0; round < 6; ++round) {
      RandomStream random(tests::test_seed(), round, 100 + objectives);
      CAPTURE(tests::test_seed());
      CAPTURE(objectives);
      CAPTURE(round);
      ArchiveUpdate update(problem, 1 + round % 2);
      Individuals rising{.words_per_genome = 1, .objective_count = objectives};
      Individuals mixed = rising;
      Individuals all = rising;
      for (int step = 0; step < 6; ++step) {
        // Near a plane, so that archives have many rows; early steps lie behind later ones.
        auto points = tests::random_points(150, objectives, 30, random);
        Individuals batch{.words_per_genome = 1, .objective_count = objectives};
        for (std::size_t i = 0; i < 150; ++i) {
          double rest = 40 - step;
          for (std::size_t k = 0; k + 1 < objectives; ++k)
            rest -= points[i * objectives + k];
          points[(i + 1) * objectives - 1] = rest + static_cast<double>(random.below(2));
          const std::vector<engine::Word> genome = {random.below(4)};
          const auto values = std::span<const double>(points).subspan(i * objectives, objectives);
          batch.append(genome, values, 0);
          all.append(genome, values, 0);
        }
        engine::NonDominatedRanks sorter;
        const auto ranks = sorter.ranks(points, objectives);
        std::vector<std::uint32_t> rows;
        for (const std::uint32_t row : sorter.order()) {
          if (ranks[row] == 0) rows.push_back(row);
        }
        const auto gain = update.add(rising, batch, rows);
        for (std::size_t i = 1; i < rows.size(); ++i)
          std::swap(rows[i], rows[random.below(i + 1)]);
        const auto same_gain = update.add(mixed, batch, rows);
        CHECK(gain.genomes == same_gain.genomes);
        const Individuals expected = plain_archive(problem, all, 1 + round % 2);
        CHECK(rising.words == expected.words);
        CHECK(rising.objectives == expected.objectives);
        CHECK(mixed.words == expected.words);
        CHECK(mixed.objectives == expected.objectives);
      }
      CHECK(rising.size() > (objectives == 2 ? 20U : 100U));
    }
  }
}

TEST_CASE("ArchiveUpdate: tells new points from other genomes of known points") {
  const auto problem = bit_problem(2);
  ArchiveUpdate update(problem, 1);
  Individuals archive{.words_per_genome = 1, .objective_count = 2};
  const auto add = [&](engine::Word word, const std::vector<double>& point) {
    Individuals batch{.words_per_genome = 1, .objective_count = 2};
    const std::vector<engine::Word> genome = {word};
    batch.append(genome, point, 0);
    const std::vector<std::uint32_t> rows = {0};
    return update.add(archive, batch, rows);
  };
  CHECK(add(6, {1, 2}).points == 1);
  // 2 is 010..., 6 is 011...: the first in text order stays.
  const auto other = add(2, {1, 2});
  CHECK(other.points == 0);
  CHECK(other.genomes == 1);
  CHECK(archive.words == std::vector<engine::Word>{2});
  CHECK(add(6, {1, 2}).genomes == 0);
  CHECK(add(6, {2, 2}).points == 0);
  CHECK(add(6, {0, 0}).points == 1);
  CHECK(archive.size() == 1);
}
