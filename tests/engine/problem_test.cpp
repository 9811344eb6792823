#include "engine/problem.h"

#include <limits>

#include "engine/genome_number.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Genome;
using engine::GenomeLayout;

TEST_CASE("GenomeLayout: bits are packed and numbers take a word each") {
  const GenomeLayout layout{.bits = 65, .integers = {{0, 5}}, .reals = {{0, 1}, {-1, 1}}};
  CHECK(layout.bit_words() == 2);
  CHECK(layout.words() == 5);
  CHECK(layout.genes() == 68);
  Genome genome(5);
  engine::set_bit(genome, 64);
  CHECK(genome[1] == 1);
  CHECK(engine::bit(genome, 64));
  engine::flip_bit(genome, 64);
  CHECK_FALSE(engine::bit(genome, 64));
  engine::set_integer(layout, genome, 0, -3);
  CHECK(engine::integer(layout, genome, 0) == -3);
  engine::set_real(layout, genome, 1, -0.0);
  CHECK(genome[4] == 0);
  engine::set_real(layout, genome, 1, 0.25);
  CHECK(engine::real(layout, genome, 1) == 0.25);
}

TEST_CASE("genome_count: multiplies ranges and is empty beyond 63 bits and for reals") {
  using engine::genome_count;
  CHECK(genome_count({.bits = 10, .integers = {}, .reals = {}}) == 1024U);
  CHECK(genome_count({.bits = 2, .integers = {{-1, 1}, {5, 5}}, .reals = {}}) == 12U);
  CHECK(genome_count({.bits = 62, .integers = {}, .reals = {}}) == std::uint64_t{1} << 62U);
  CHECK_FALSE(genome_count({.bits = 63, .integers = {}, .reals = {}}));
  CHECK_FALSE(genome_count({.bits = 62, .integers = {{0, 1}}, .reals = {}}));
  CHECK_FALSE(genome_count({.bits = 1, .integers = {}, .reals = {{0, 1}}}));
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(genome_count({.bits = 1, .integers = {{kLow, kHigh}}, .reals = {}}));
}

TEST_CASE("genome_number: numbers and genomes correspond") {
  const GenomeLayout layout{.bits = 3, .integers = {{-2, 2}, {7, 9}}, .reals = {}};
  Genome genome(layout.words());
  for (std::uint64_t number = 0; number < 8 * 5 * 3; ++number) {
    engine::numbered_genome(layout, number, genome);
    CHECK(engine::genome_number(layout, genome) == number);
  }
  CHECK(engine::integer(layout, genome, 0) == 2);
  CHECK(engine::integer(layout, genome, 1) == 9);
}

TEST_CASE("Problem::text_order: bits by gene then integers then reals") {
  const GenomeLayout layout{.bits = 70, .integers = {{-5, 5}}, .reals = {{-1, 1}}};
  const tests::FunctionProblem problem(layout, 1, [](engine::GenomeView) {
    return engine::Evaluation{.objectives = {0}, .violation = 0};
  });
  Genome a(layout.words());
  Genome b(layout.words());
  CHECK(problem.text_order(a, b) == std::strong_ordering::equal);
  engine::set_bit(a, 69);
  engine::set_bit(b, 3);
  CHECK(problem.text_order(a, b) == std::strong_ordering::less);
  engine::set_bit(a, 3);
  CHECK(problem.text_order(a, b) == std::strong_ordering::greater);
  engine::set_bit(b, 69);
  engine::set_integer(layout, a, 0, -1);
  CHECK(problem.text_order(a, b) == std::strong_ordering::less);
  engine::set_integer(layout, b, 0, -1);
  engine::set_real(layout, b, 0, -0.5);
  CHECK(problem.text_order(a, b) == std::strong_ordering::greater);
}
