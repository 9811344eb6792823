#include "engine/neighbour_walk.h"

#include <bit>
#include <set>
#include <vector>

#include "engine/search.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Evaluation;
using engine::Genome;
using engine::GenomeView;
using engine::Individuals;
using engine::NeighbourWalk;

namespace {

tests::FunctionProblem problem_of(std::size_t bits) {
  return {{.bits = bits, .integers = {}, .reals = {}}, 2, [](GenomeView) {
            return Evaluation{.objectives = {0, 0}};
          }};
}

Individuals three_members() {
  Individuals archive{.words_per_genome = 1, .objective_count = 2};
  archive.append(std::vector<engine::Word>{1}, std::vector<double>{1, 9}, 0);
  archive.append(std::vector<engine::Word>{2}, std::vector<double>{2, 5}, 0);
  archive.append(std::vector<engine::Word>{4}, std::vector<double>{3, 1}, 0);
  return archive;
}

// Fewer ones are better in one objective, more in the other; a single genome, four bits from all
// zeros and three from one member with a single one, is better than all in the first one.
class Hidden : public tests::FunctionProblem {
 public:
  Hidden()
      : FunctionProblem({.bits = 32, .integers = {}, .reals = {}}, 2, [](GenomeView genome) {
          const engine::Word word = genome[0];
          const auto high = static_cast<double>(std::popcount(word & 0xFF000000U));
          const auto low = static_cast<double>(std::popcount(word & 0x00FFFFFFU));
          if (word == kHidden) return Evaluation{.objectives = {-1, 100}};
          return Evaluation{.objectives = {high + low * 9, 8 - high + low * 9}};
        }) {}

  static constexpr engine::Word kHidden = 0b1001000000100;
};

}  // namespace

TEST_CASE("NeighbourWalk: every genome with up to three changed bits once per member") {
  const tests::FunctionProblem problem = problem_of(7);
  NeighbourWalk walk(problem);
  CHECK(walk.size() == 0);
  const Individuals archive = three_members();
  walk.begin(archive);
  const std::uint64_t each = 7 + 21 + 35;
  REQUIRE(walk.size() == 3 * each);
  // The least of the second objective, the least of the first one, then what is left.
  const std::vector<engine::Word> order = {4, 1, 2};
  for (std::uint64_t member = 0; member < 3; ++member) {
    std::set<engine::Word> met;
    int changes = 1;
    for (std::uint64_t place = member * each; place < (member + 1) * each; ++place) {
      Genome genome = {0};
      walk.write_genome(archive, place, genome);
      const int changed = std::popcount(genome[0] ^ order[member]);
      CHECK(changed >= changes);
      changes = changed;
      CHECK(genome[0] < 128);
      CHECK(met.insert(genome[0]).second);
    }
    CHECK(changes == 3);
    CHECK(met.size() == each);
  }
}

TEST_CASE("NeighbourWalk: few bits, none and too many") {
  const Individuals archive = three_members();
  const tests::FunctionProblem two = problem_of(2);
  NeighbourWalk of_two(two);
  of_two.begin(archive);
  CHECK(of_two.size() == 9);
  const tests::FunctionProblem many = problem_of(NeighbourWalk::kMostBits + 1);
  NeighbourWalk of_many(many);
  of_many.begin(archive);
  CHECK(of_many.size() == 0);
  const tests::FunctionProblem none = problem_of(0);
  NeighbourWalk of_none(none);
  of_none.begin(archive);
  CHECK(of_none.size() == 0);
  NeighbourWalk of_nobody(two);
  of_nobody.begin(Individuals{.words_per_genome = 1, .objective_count = 2});
  CHECK(of_nobody.size() == 0);
}

TEST_CASE("Search: finds a point three bits from the end of its front and forgets nothing of it") {
  const Hidden problem;
  engine::SearchOptions options;
  options.threads = 1;
  options.population = 40;
  options.stop.generations = 1000;
  engine::Search whole(problem, options);
  whole.start({});
  std::vector<engine::SearchState> walking;
  while (!whole.stop_reason()) {
    whole.step();
    if (whole.state().walked > 0 && walking.size() < 3) walking.push_back(whole.state());
  }
  CHECK(whole.state().archive.objectives_of(0)[0] == -1);
  CHECK(walking.size() == 3);
  for (const engine::SearchState& state : walking) {
    options.threads = 2;
    engine::Search resumed(problem, options);
    resumed.resume(state);
    while (!resumed.stop_reason())
      resumed.step();
    CHECK(resumed.state().walked == whole.state().walked);
    CHECK(resumed.state().seen.recent == whole.state().seen.recent);
    CHECK(resumed.state().archive.words == whole.state().archive.words);
  }
}
