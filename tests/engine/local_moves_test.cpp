#include "engine/local_moves.h"

#include <algorithm>

#include "tests/engine/random_points.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Genome;
using engine::Individuals;
using engine::LocalMoves;

namespace {

// Bits 0..3 and 4..9 are blocks; flips of bit 0 take bit 9 along; moves set bit 5.
class Structured : public tests::FunctionProblem {
 public:
  Structured()
      : FunctionProblem({.bits = 10, .integers = {}, .reals = {}}, 1, [](engine::GenomeView) {
          return engine::Evaluation{.objectives = {0}, .violation = 0};
        }) {}

  void follow_flips(engine::GenomeView before, engine::GenomeRow after) const override {
    if (engine::bit(before, 0) != engine::bit(after, 0)) engine::flip_bit(after, 9);
  }

  [[nodiscard]] bool structured_move(engine::GenomeRow genome, RandomStream&) const override {
    if (engine::bit(genome, 5)) return false;
    engine::set_bit(genome, 5);
    return true;
  }

  [[nodiscard]] std::vector<engine::BitBlock> blocks() const override {
    return {{.begin = 0, .end = 4}, {.begin = 4, .end = 10}};
  }
};

}  // namespace

TEST_CASE("LocalMoves: neighbours stay in the layout and include moves of the problem") {
  const Structured problem;
  const LocalMoves moves(problem);
  Individuals archive{.words_per_genome = 1, .objective_count = 1};
  const std::vector<engine::Word> zero = {0};
  const std::vector<double> objectives = {0};
  archive.append(zero, objectives, 0);
  int structured = 0;
  int followed = 0;
  for (std::uint64_t slot = 0; slot < 2000; ++slot) {
    RandomStream random(tests::test_seed(), 0, slot);
    Genome genome = {~engine::Word{0}};
    moves.neighbour(archive, genome, random);
    CHECK(genome[0] < 1024);
    if (genome[0] == 32) ++structured;
    if (engine::bit(genome, 0) && engine::bit(genome, 9)) ++followed;
  }
  CHECK(structured > 800);
  CHECK(followed > 50);
}

TEST_CASE("LocalMoves: change_one changes one bit") {
  const auto problem = tests::one_min_max(70);
  const LocalMoves moves(problem);
  for (std::uint64_t slot = 0; slot < 100; ++slot) {
    RandomStream random(tests::test_seed(), 1, slot);
    Genome genome(2);
    moves.change_one(genome, random);
    CHECK(tests::ones(genome) == 1);
  }
}

TEST_CASE("LocalMoves: work for one bit and for numbers only") {
  const auto one = tests::one_min_max(1);
  const tests::FunctionProblem numbers(
      {.bits = 0, .integers = {{0, 9}}, .reals = {{0, 1}}}, 1, [](engine::GenomeView) {
        return engine::Evaluation{.objectives = {0}, .violation = 0};
      });
  for (const engine::Problem* const problem :
       {static_cast<const engine::Problem*>(&one), static_cast<const engine::Problem*>(&numbers)}) {
    const std::size_t words = problem->layout().words();
    Individuals archive{.words_per_genome = words, .objective_count = 1};
    const std::vector<double> objectives = {0};
    archive.append(Genome(words), objectives, 0);
    const LocalMoves moves(*problem);
    for (std::uint64_t slot = 0; slot < 200; ++slot) {
      RandomStream random(tests::test_seed(), 2, slot);
      Genome genome(words);
      moves.neighbour(archive, genome, random);
      CHECK(genome[0] <= 9);
    }
  }
}
