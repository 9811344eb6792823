// What a search finds, and when it ends.
#include <algorithm>
#include <cmath>

#include "engine/enumeration.h"
#include "engine/search.h"
#include "tests/engine/search_cases.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Evaluation;
using engine::Genome;
using engine::GenomeView;
using engine::Search;
using engine::SearchOptions;
using engine::SearchState;
using engine::StopReason;
using tests::check_same_rows;
using tests::finished_state;
using tests::run;
using tests::small_options;

TEST_CASE("Search: finds the whole front of OneMinMax and reports its hypervolume") {
  const auto problem = tests::one_min_max(30);
  SearchOptions options = small_options();
  options.population = 100;
  options.stop.generations = 250;
  options.hypervolume = engine::HypervolumeOptions{.reference = {1, 1}, .unit = 31 * 32 / 2.0};
  Search search(problem, options);
  search.start({});
  run(search);
  CHECK(search.stop_reason() == StopReason::Generations);
  const auto report = search.report();
  CHECK(report.front == 31);
  CHECK(report.hypervolume == 1);
  CHECK(report.best == std::vector<double>{-30, -30});
  CHECK(report.infeasible == 0);
  CHECK_FALSE(report.least_violation);
}

TEST_CASE("Search: the archive is the exact front once a small space is used up") {
  const auto problem = tests::one_min_max(9);
  SearchOptions options = small_options();
  options.population = 100;
  options.stop.generations = 1000;
  Search search(problem, options);
  search.start({});
  run(search);
  CHECK(search.stop_reason() == StopReason::Exhausted);
  CHECK(search.state().statistics.evaluations == 512);
  const auto exact = engine::enumeration(problem, {});
  check_same_rows(search.state().archive, exact.front);
  search.step();
  CHECK(search.state().statistics.evaluations == 512);
}

TEST_CASE("Search: a space smaller than the population shrinks it and ends at once") {
  const auto problem = tests::one_min_max(3);
  Search search(problem, small_options());
  search.start({});
  CHECK(search.stop_reason() == StopReason::Exhausted);
  CHECK(search.state().population.size() == 8);
  CHECK(search.state().statistics.evaluations == 8);
  CHECK(search.state().archive.size() == 4);
  CHECK(engine::description(StopReason::Exhausted) == "every genome has been evaluated");
}

TEST_CASE("Search: never more evaluations than allowed and warm genomes first") {
  const auto problem = tests::one_min_max(40);
  for (const std::uint64_t most : {1U, 24U, 25U, 100U, 101U}) {
    CAPTURE(most);
    SearchOptions options = small_options();
    options.stop.evaluations = most;
    options.stop.generations.reset();
    Search search(problem, options);
    const std::vector<Genome> warm = {{0}, {(std::uint64_t{1} << 40U) - 1}, {0}};
    search.start(warm);
    run(search);
    CHECK(search.stop_reason() == StopReason::Evaluations);
    CHECK(search.state().statistics.evaluations == most);
    CHECK(search.report().best[0] == -40);
    if (most > 1) CHECK(search.report().best[1] == -40);
  }
}

TEST_CASE("Search: says beforehand and afterwards that the limit cuts a generation short") {
  const auto problem = tests::one_min_max(40);
  for (const std::uint64_t most : {1U, 23U, 24U, 25U, 47U, 48U, 49U}) {
    CAPTURE(most);
    SearchOptions options = small_options();
    options.stop.evaluations = most;
    Search search(problem, options);
    search.prepare({});
    CHECK(search.is_next_cut_short() == (most < 24));
    CHECK_FALSE(search.is_cut_short());
    search.step();
    CHECK(search.is_cut_short() == (most < 24));
    while (!search.stop_reason()) {
      const bool cut = search.is_next_cut_short();
      CHECK(cut == (most - search.state().statistics.evaluations < 24));
      search.step();
      CHECK(search.is_cut_short() == cut);
    }
    CHECK(search.is_cut_short() == (most % 24 != 0));
  }
}

namespace {

// Of 2^30 genomes only 1024 are canonical, too many genomes to be swept: offspring are known often.
class FewCanonical : public tests::FunctionProblem {
 public:
  FewCanonical()
      : FunctionProblem({.bits = 30, .integers = {}, .reals = {}}, 2, [](GenomeView genome) {
          const auto number = static_cast<double>(genome[0]);
          return Evaluation{.objectives = {number, -std::sqrt(number)}, .violation = 0};
        }) {}

  void canonicalize(engine::GenomeRow genome) const override { genome[0] &= 0x3FFU; }
};

}  // namespace

// Where not all genomes that the limit leaves to a generation are new, the next is cut short, too.
TEST_CASE("Search: the state before the first generation cut short is resumed with more") {
  const FewCanonical problem;
  SearchOptions options = small_options();
  options.stop.generations = 60;
  options.stop.evaluations = 950;
  const SearchState expected = finished_state(problem, options);
  std::uint64_t most_in_a_row = 0;
  for (std::uint64_t most = 25; most < 950; most += 7) {
    CAPTURE(most);
    options.stop.evaluations = most;
    Search search(problem, options);
    search.start({});
    SearchState kept = search.state();
    std::uint64_t in_a_row = 0;
    while (!search.stop_reason()) {
      search.step();
      if (!search.is_cut_short()) kept = search.state();
      if (search.is_cut_short()) ++in_a_row;
    }
    most_in_a_row = std::max(most_in_a_row, in_a_row);
    options.stop.evaluations = 950;
    Search resumed(problem, options);
    resumed.resume(kept);
    run(resumed);
    check_same_rows(resumed.state().population, expected.population);
    check_same_rows(resumed.state().archive, expected.archive);
    CHECK(resumed.state().generation == expected.generation);
    CHECK(resumed.state().statistics.cache_hits == expected.statistics.cache_hits);
  }
  CHECK(most_in_a_row > 1);
}

TEST_CASE("Search: resumed after no evaluations were allowed it starts with random genomes") {
  const tests::FunctionProblem problem = tests::one_min_max(20);
  SearchOptions options = small_options();
  options.stop.evaluations = 0;
  const SearchState nothing = finished_state(problem, options);
  CHECK(nothing.population.size() == 0);
  options.stop.evaluations = 50;
  Search search(problem, options);
  search.resume(nothing);
  run(search);
  CHECK(search.state().statistics.evaluations == 50);
  CHECK(search.state().population.size() == 24);
}

TEST_CASE("Search: more warm genomes than the population are all evaluated") {
  const auto problem = tests::one_min_max(40);
  SearchOptions options = small_options();
  options.stop.generations = 0;
  std::vector<Genome> warm;
  for (std::uint64_t i = 0; i < 60; ++i)
    warm.push_back({i});
  Search search(problem, options);
  search.start(warm);
  CHECK(search.stop_reason() == StopReason::Generations);
  CHECK(search.state().statistics.evaluations == 60);
  CHECK(search.state().population.size() == 24);
}

TEST_CASE("Search: starts all infeasible and finds its way") {
  // Feasible only with at most two ones of 60.
  const tests::FunctionProblem problem(
      {.bits = 60, .integers = {}, .reals = {}}, 2, [](GenomeView genome) {
        const auto count = static_cast<double>(tests::ones(genome));
        return Evaluation{.objectives = {count, -count}, .violation = count > 2 ? count - 2 : 0.0};
      });
  SearchOptions options = small_options();
  options.stop.generations = 300;
  options.stop.patience = 20;
  Search search(problem, options);
  search.start({});
  CHECK(search.state().archive.size() == 0);
  CHECK(search.report().best.empty());
  CHECK(search.report().infeasible == 24);
  CHECK(search.report().least_violation > 0);
  run(search);
  CHECK(search.state().archive.size() == 3);
  CHECK(search.stop_reason() == StopReason::Patience);
}

TEST_CASE("Search: nothing feasible at all never stops by patience") {
  const tests::FunctionProblem problem(
      {.bits = 60, .integers = {}, .reals = {}}, 1, [](GenomeView genome) {
        return Evaluation{.objectives = {std::nan("")},
                          .violation = 1 + static_cast<double>(tests::ones(genome))};
      });
  SearchOptions options = small_options();
  options.stop.patience = 2;
  Search search(problem, options);
  search.start({});
  run(search);
  CHECK(search.stop_reason() == StopReason::Generations);
  CHECK(search.state().archive.size() == 0);
  CHECK(search.state().statistics.not_finite == search.state().statistics.evaluations);
}

TEST_CASE("Search: patience counts generations without a better hypervolume") {
  const auto problem = tests::one_min_max(12);
  SearchOptions options = small_options();
  options.stop.generations = 1000;
  options.stop.patience = 15;
  options.hypervolume = engine::HypervolumeOptions{.reference = {1, 1}, .unit = 1};
  Search search(problem, options);
  search.start({});
  run(search);
  CHECK(search.stop_reason() == StopReason::Patience);
  CHECK(search.state().generation == search.state().last_progress + 15);
  CHECK(search.report().hypervolume == 13 * 14 / 2.0);
}

TEST_CASE("Search: a large space with few canonical forms ends for want of new genomes") {
  class FewForms : public tests::FunctionProblem {
   public:
    FewForms()
        : FunctionProblem({.bits = 100, .integers = {}, .reals = {}}, 1, [](GenomeView genome) {
            return Evaluation{.objectives = {static_cast<double>(tests::ones(genome))},
                              .violation = 0};
          }) {}

    void canonicalize(engine::GenomeRow genome) const override {
      genome[0] &= 7;
      genome[1] = 0;
    }
  };

  const FewForms problem;
  SearchOptions options = small_options();
  options.stop.generations.reset();
  Search search(problem, options);
  search.start({});
  run(search);
  CHECK(search.stop_reason() == StopReason::NothingNew);
  CHECK(search.state().statistics.evaluations == 8);
  CHECK(search.state().population.size() == 8);
}

TEST_CASE("Search: populations of any size and one objective") {
  const tests::FunctionProblem problem(
      {.bits = 50, .integers = {}, .reals = {}}, 1, [](GenomeView genome) {
        return Evaluation{.objectives = {static_cast<double>(tests::ones(genome))}, .violation = 0};
      });
  for (const std::size_t population : {1U, 2U, 3U, 7U, 50U}) {
    SearchOptions options = small_options();
    options.population = population;
    options.stop.generations = 40;
    Search search(problem, options);
    search.start({});
    run(search);
    CHECK(search.state().population.size() == population);
    CHECK(search.state().archive.size() == 1);
    CHECK(search.report().best[0] < 25);
  }
}

TEST_CASE("Search: keeps several genomes per point when asked") {
  const auto problem = tests::one_min_max(10);
  SearchOptions options = small_options();
  options.keep_equal = 3;
  options.population = 100;
  options.stop.generations = 1000;
  const SearchState state = finished_state(problem, options);
  CHECK(state.exhausted);
  CHECK(state.archive.size() == 2 + 9 * 3);
  check_same_rows(state.archive, engine::enumeration(problem, {.keep_equal = 3}).front);
}
