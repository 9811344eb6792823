#include "engine/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "engine/variation.h"
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
using tests::check_same_rows;
using tests::finished_state;
using tests::run;
using tests::small_options;

namespace {

// Bits, integers and reals, a canonical form, a constraint and sometimes a NaN.
class Mixed : public tests::FunctionProblem {
 public:
  explicit Mixed(std::size_t objectives)
      : FunctionProblem(
            {.bits = 70, .integers = {{0, 9}, {-5, 5}}, .reals = {{0, 1}, {-1, 1}}},
            objectives,
            [this, objectives](GenomeView genome) { return value(genome, objectives); }) {}

  void canonicalize(engine::GenomeRow genome) const override {
    for (std::size_t i = 1; i < 70; i += 3) {
      if (!engine::bit(genome, i - 1)) engine::clear_bit(genome, i);
    }
  }

 private:
  [[nodiscard]] Evaluation value(GenomeView genome, std::size_t objectives) const {
    const auto count = static_cast<double>(tests::ones(genome.first(2)));
    const auto a = static_cast<double>(engine::integer(layout(), genome, 0));
    const double x = engine::real(layout(), genome, 0);
    const double y = engine::real(layout(), genome, 1);
    Evaluation result;
    result.objectives.push_back(count + a * x);
    result.objectives.push_back(70 - count + (1 - x) * (1 + y * y));
    if (objectives > 2) result.objectives.push_back(std::abs(count - 35) - a + y);
    if (count < 20) result.violation = 20 - count;
    if (engine::integer(layout(), genome, 1) == 5)
      result.objectives = {std::numeric_limits<double>::quiet_NaN(), 0, 0};
    if (result.objectives.size() > objectives) {
      result.objectives = {std::numeric_limits<double>::quiet_NaN(), 0};
    }
    return result;
  }
};

void check_same(const SearchState& a, const SearchState& b) {
  CHECK(a.generation == b.generation);
  check_same_rows(a.population, b.population);
  check_same_rows(a.archive, b.archive);
  CHECK(a.ranks == b.ranks);
  CHECK(a.crowding == b.crowding);
  CHECK(a.seen.recent == b.seen.recent);
  CHECK(a.seen.older == b.seen.older);
  CHECK(a.statistics.evaluations == b.statistics.evaluations);
  CHECK(a.statistics.infeasible_evaluations == b.statistics.infeasible_evaluations);
  CHECK(a.statistics.not_finite == b.statistics.not_finite);
  CHECK(a.statistics.cache_hits == b.statistics.cache_hits);
  CHECK(a.statistics.duplicates == b.statistics.duplicates);
  CHECK(a.best_hypervolume == b.best_hypervolume);
  CHECK(a.last_progress == b.last_progress);
  CHECK(a.last_addition == b.last_addition);
  CHECK(a.walked == b.walked);
  CHECK(a.swept == b.swept);
  CHECK(a.exhausted == b.exhausted);
}

}  // namespace

TEST_CASE("Search: the same state for any number of threads") {
  for (const std::size_t objectives : {2U, 3U}) {
    const Mixed problem(objectives);
    SearchOptions options = small_options();
    options.seed = 7;
    const SearchState expected = finished_state(problem, options);
    CHECK(expected.archive.size() > 0);
    CHECK(expected.statistics.not_finite > 0);
    CHECK(expected.statistics.infeasible_evaluations > expected.statistics.not_finite);
    for (const int threads : {2, 4, 16}) {
      options.threads = threads;
      check_same(finished_state(problem, options), expected);
    }
    options.seed = 6;
    CHECK(finished_state(problem, options).archive.words != expected.archive.words);
  }
}

TEST_CASE("Search: the same state where threads share what follows the evaluations") {
  const Mixed problem(3);
  SearchOptions options = small_options();
  options.population = 1500;
  options.stop.generations = 4;
  const SearchState expected = finished_state(problem, options);
  CHECK(expected.statistics.not_finite > 0);
  for (const int threads : {2, 4, 16}) {
    options.threads = threads;
    check_same(finished_state(problem, options), expected);
  }
}

TEST_CASE("Search: resumed after any generation and twice it equals an uninterrupted run") {
  const Mixed problem(2);
  SearchOptions options = small_options();
  options.hypervolume = engine::HypervolumeOptions{.reference = {100, 100}, .unit = 10000};
  const SearchState expected = finished_state(problem, options);
  for (std::uint64_t stop = 0; stop <= 12; ++stop) {
    CAPTURE(stop);
    options.stop.generations = stop;
    options.threads = 1 + static_cast<int>(stop % 3);
    const SearchState first = finished_state(problem, options);
    CHECK(first.generation == stop);
    options.stop.generations = std::min<std::uint64_t>(12, stop + 2);
    Search second(problem, options);
    second.resume(first);
    run(second);
    options.stop.generations = 12;
    Search third(problem, options);
    third.resume(second.state());
    run(third);
    check_same(third.state(), expected);
  }
}

// A resumed run knows of genomes that they were evaluated but not the results. Evaluating one again
// must not count, not even when the window that knew it is dropped in that very generation.
TEST_CASE("Search: resumed where the memory drops a window it equals an uninterrupted run") {
  const tests::FunctionProblem problem(
      {.bits = 16, .integers = {{0, 4}}, .reals = {}}, 2, [](GenomeView genome) {
        const auto count = static_cast<double>(tests::ones(genome.first(1)));
        return Evaluation{.objectives = {count, -count}, .violation = 0};
      });
  SearchOptions options = small_options();
  options.population = 4096;
  options.stop.generations = 66;
  Search whole(problem, options);
  whole.start({});
  SearchState before;
  while (!whole.stop_reason()) {
    SearchState last = whole.state();
    whole.step();
    if (!last.seen.older.empty() && whole.state().seen.recent.size() < last.seen.recent.size())
      before = std::move(last);
  }
  REQUIRE(before.generation > 0);
  CHECK(whole.state().statistics.cache_hits > before.statistics.cache_hits);
  Search resumed(problem, options);
  resumed.resume(before);
  run(resumed);
  check_same(resumed.state(), whole.state());
}

TEST_CASE("Search: a front of few points that has not grown for long begins anew from chance") {
  // Six points; everything else is evaluated in vain.
  tests::FunctionProblem problem(
      {.bits = 40, .integers = {}, .reals = {}}, 2, [](GenomeView genome) {
        const auto count = static_cast<double>(tests::ones(genome) % 6);
        return Evaluation{.objectives = {count, 5 - count}};
      });
  SearchOptions options = small_options();
  options.stop.generations = 80;
  const SearchState whole = finished_state(problem, options);
  REQUIRE(whole.archive.size() == 6);
  const std::uint64_t stuck = whole.last_addition + 30;
  REQUIRE(stuck < 70);
  Search search(problem, options);
  search.start({});
  while (search.state().generation < stuck)
    search.step();
  std::set<Genome> before;
  for (std::size_t i = 0; i < search.state().population.size(); ++i) {
    const GenomeView genome = search.state().population.genome(i);
    before.emplace(genome.begin(), genome.end());
  }
  for (std::uint64_t more = 0; more < 3; ++more) {
    // Also when a snapshot is taken just before or behind it.
    Search resumed(problem, options);
    resumed.resume(search.state());
    run(resumed);
    check_same(resumed.state(), whole);
    search.step();
    for (std::size_t i = 0; i < search.state().population.size(); ++i) {
      const GenomeView genome = search.state().population.genome(i);
      CHECK_FALSE(before.contains(Genome(genome.begin(), genome.end())));
    }
  }
  options.local_search = 0;
  options.stop.generations = stuck + 1;
  CHECK(finished_state(problem, options).archive.size() == 6);
}

TEST_CASE("Search: no local search of reals only, unless it is asked for") {
  const engine::GenomeLayout reals{.bits = 0, .integers = {}, .reals = {{0, 1}, {0, 1}}};
  const engine::GenomeLayout bits{.bits = 30, .integers = {}, .reals = {}};
  const engine::GenomeLayout both{.bits = 1, .integers = {}, .reals = {{0, 1}, {0, 1}}};
  SearchOptions options;
  CHECK(engine::local_search_share(options, reals) == 0);
  CHECK(engine::local_search_share(options, bits) == 0.2);
  CHECK(engine::local_search_share(options, both) == 0.2);
  options.local_search = 0.5;
  CHECK(engine::local_search_share(options, reals) == 0.5);
  CHECK(engine::local_search_share(options, bits) == 0.5);
  // And searches go by it.
  const tests::FunctionProblem problem(reals, 2, [&](GenomeView genome) {
    const double x = engine::real(reals, genome, 0);
    const double y = engine::real(reals, genome, 1);
    return Evaluation{.objectives = {x + y, 1 - x + y * y}, .violation = 0};
  });
  const auto objectives = [&](std::optional<double> local_search) {
    SearchOptions chosen = small_options();
    chosen.local_search = local_search;
    return finished_state(problem, chosen).archive.objectives;
  };
  CHECK(objectives({}) == objectives(0.0));
  CHECK(objectives({}) != objectives(0.2));
}

TEST_CASE("Search: ask and tell equal step") {
  const Mixed problem(3);
  const SearchOptions options = small_options();
  const SearchState expected = finished_state(problem, options);
  Search search(problem, options);
  search.prepare({});
  while (!search.stop_reason()) {
    const engine::Individuals& batch = search.ask();
    CHECK(&search.ask() == &batch);
    std::vector<Evaluation> evaluations;
    for (std::size_t i = 0; i < batch.size(); ++i)
      evaluations.push_back(problem.evaluate(batch.genome(i)));
    search.tell(evaluations);
  }
  check_same(search.state(), expected);
}

TEST_CASE("Search: no duplicates and nothing that is not canonical in the population") {
  const Mixed problem(2);
  const SearchState state = finished_state(problem, small_options());
  std::set<Genome> genomes;
  for (std::size_t i = 0; i < state.population.size(); ++i) {
    const GenomeView genome = state.population.genome(i);
    Genome canonical(genome.begin(), genome.end());
    genomes.insert(canonical);
    problem.canonicalize(canonical);
    CHECK(std::equal(genome.begin(), genome.end(), canonical.begin()));
  }
  CHECK(genomes.size() == state.population.size());
}

TEST_CASE("Search: takes offered genomes in turn whatever the threads and the interruptions") {
  const Mixed problem(2);
  SearchOptions options = small_options();
  // A fifth of 24 each time, so the thirteenth comes in the third generation.
  std::vector<Genome> offered;
  for (std::uint64_t slot = 0; slot < 13; ++slot) {
    RandomStream random(77, 0, slot);
    offered.emplace_back(problem.layout().words());
    engine::randomize(problem.layout(), offered.back(), random);
    problem.canonicalize(offered.back());
  }
  Search whole(problem, options);
  whole.offer(offered);
  whole.prepare({});
  std::vector<std::size_t> found;
  while (!whole.stop_reason()) {
    const engine::Individuals& batch = whole.ask();
    std::vector<Evaluation> evaluations;
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      evaluations.push_back(problem.evaluate(batch.genome(i)));
      count += std::any_of(offered.begin(), offered.end(), [&](const Genome& genome) {
        return std::equal(genome.begin(), genome.end(), batch.genome(i).begin());
      });
    }
    found.push_back(count);
    whole.tell(evaluations);
  }
  CHECK(std::vector<std::size_t>(found.begin(), found.begin() + 5) ==
        std::vector<std::size_t>{0, 5, 5, 3, 0});
  for (const std::uint64_t stop : {0U, 1U, 2U, 7U}) {
    options.stop.generations = stop;
    options.threads = 1 + static_cast<int>(stop);
    Search first(problem, options);
    first.offer(offered);
    first.start({});
    run(first);
    options.stop.generations = 12;
    Search second(problem, options);
    second.offer(offered);
    second.resume(first.state());
    run(second);
    check_same(second.state(), whole.state());
  }
}
