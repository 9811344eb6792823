// What a search finds, and when it ends.
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
