#include "engine/variation.h"

#include <algorithm>
#include <bit>
#include <map>

#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::BitCrossover;
using engine::Genome;
using engine::GenomeLayout;

namespace {

GenomeLayout bits_only(std::size_t bits) {
  return {.bits = bits, .integers = {}, .reals = {}};
}

Genome all_ones(std::size_t bits) {
  Genome genome((bits + 63) / 64);
  for (std::size_t i = 0; i < bits; ++i)
    engine::set_bit(genome, i);
  return genome;
}

// How often neighbouring bits differ.
std::size_t changes(const Genome& genome, std::size_t bits) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < bits; ++i)
    count += engine::bit(genome, i) != engine::bit(genome, i - 1) ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("crossover: two-point takes one range from the other parent") {
  for (const std::size_t bits : {2U, 64U, 65U, 200U}) {
    const GenomeLayout layout = bits_only(bits);
    const Genome zeros(layout.words());
    const Genome ones = all_ones(bits);
    std::map<std::size_t, int> first_ones;
    for (std::uint64_t slot = 0; slot < 300; ++slot) {
      RandomStream random(tests::test_seed(), 0, slot);
      RandomStream same(tests::test_seed(), 0, slot);
      Genome child(layout.words());
      Genome other(layout.words());
      const engine::VariationOptions options{.crossover_probability = 1};
      engine::crossover(layout, options, {.a = zeros, .b = ones}, child, random);
      engine::crossover(layout, options, {.a = ones, .b = zeros}, other, same);
      CHECK(changes(child, bits) <= 2);
      for (std::size_t word = 0; word < layout.words(); ++word)
        CHECK((child[word] ^ other[word]) == ones[word]);
      ++first_ones[static_cast<std::size_t>(engine::bit(child, 0))];
    }
    CHECK(first_ones.size() == 2);
  }
}

TEST_CASE("crossover: one-point and uniform mix the parents and probability zero copies") {
  const std::size_t bits = 130;
  const GenomeLayout layout = bits_only(bits);
  const Genome zeros(layout.words());
  const Genome ones = all_ones(bits);
  std::size_t taken = 0;
  for (std::uint64_t slot = 0; slot < 200; ++slot) {
    RandomStream random(tests::test_seed(), 1, slot);
    Genome child(layout.words());
    engine::crossover(layout,
                      {.crossover_probability = 1, .bit_crossover = BitCrossover::OnePoint},
                      {.a = zeros, .b = ones},
                      child,
                      random);
    CHECK(changes(child, bits) == 1);
    CHECK(engine::bit(child, bits - 1));
    CHECK_FALSE(engine::bit(child, 0));
    engine::crossover(layout,
                      {.crossover_probability = 1, .bit_crossover = BitCrossover::Uniform},
                      {.a = zeros, .b = ones},
                      child,
                      random);
    for (const engine::Word word : child)
      taken += static_cast<std::size_t>(std::popcount(word));
    CHECK((child.back() >> (bits % 64)) == 0);
    engine::crossover(layout, {.crossover_probability = 0}, {.a = zeros, .b = ones}, child, random);
    CHECK(child == zeros);
  }
  CHECK(static_cast<double>(taken) / (200.0 * bits) == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("mutate: flips the expected number of bits and every bit equally often") {
  const std::size_t bits = 100;
  const GenomeLayout layout = bits_only(bits);
  std::vector<int> flips(bits, 0);
  constexpr int kRounds = 20'000;
  for (std::uint64_t slot = 0; slot < kRounds; ++slot) {
    RandomStream random(tests::test_seed(), 2, slot);
    Genome genome(layout.words());
    engine::mutate(layout, {.mutated_genes = 3, .run_mutation = 0}, genome, random);
    for (std::size_t i = 0; i < bits; ++i)
      flips[i] += engine::bit(genome, i) ? 1 : 0;
  }
  for (const int count : flips)
    CHECK(count == doctest::Approx(0.03 * kRounds).epsilon(0.2));
  RandomStream random(1, 1, 1);
  Genome genome(layout.words());
  engine::mutate(layout, {.mutated_genes = 0}, genome, random);
  CHECK(genome == Genome(layout.words()));
  engine::mutate(layout, {.mutated_genes = 1000, .run_mutation = 0}, genome, random);
  CHECK(genome == all_ones(bits));
}

TEST_CASE("mutate: changes a run of bits as often as asked and nothing else then") {
  const GenomeLayout layout{.bits = 100, .integers = {{0, 1}}, .reals = {{0, 1}}};
  int shown = 0;
  constexpr int kRounds = 4000;
  for (std::uint64_t slot = 0; slot < kRounds; ++slot) {
    RandomStream random(tests::test_seed(), 6, slot);
    Genome genome(layout.words());
    // So few genes change one by one that what changes is nearly always a run.
    engine::mutate(layout, {.mutated_genes = 1e-9, .run_mutation = 0.25}, genome, random);
    CHECK(changes(genome, layout.bits) <= 2);
    if (std::popcount(genome[0]) + std::popcount(genome[1]) >= 1) ++shown;
    CHECK(engine::integer(layout, genome, 0) == 0);
    CHECK(engine::real(layout, genome, 0) == 0);
  }
  // A run of a genome of zeros shows unless it was cleared, as a quarter of them are.
  CHECK(shown == doctest::Approx(0.1875 * kRounds).epsilon(0.12));
  RandomStream random(1, 1, 1);
  Genome genome(layout.words());
  engine::mutate(layout, {.mutated_genes = 0, .run_mutation = 1}, genome, random);
  CHECK(genome == Genome(layout.words()));
}

TEST_CASE("variation: integers and reals stay within their ranges") {
  const GenomeLayout layout{
      .bits = 3, .integers = {{-4, 4}, {7, 7}, {0, 1'000'000}}, .reals = {{-5, 5}, {0, 1}, {2, 2}}};
  const auto in_range = [&](const Genome& genome) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto value = engine::integer(layout, genome, i);
      if (value < layout.integers[i].low || value > layout.integers[i].high) return false;
      const double x = engine::real(layout, genome, i);
      if (!(x >= layout.reals[i].low && x <= layout.reals[i].high)) return false;
    }
    return genome[0] < 8;
  };
  for (std::uint64_t slot = 0; slot < 2000; ++slot) {
    RandomStream random(tests::test_seed(), 3, slot);
    Genome a(layout.words());
    Genome b(layout.words());
    Genome child(layout.words());
    engine::randomize(layout, a, random);
    engine::randomize(layout, b, random);
    CHECK(in_range(a));
    engine::crossover(layout, {.crossover_probability = 1}, {.a = a, .b = b}, child, random);
    CHECK(in_range(child));
    engine::mutate(layout, {.mutated_genes = 6}, child, random);
    CHECK(in_range(child));
    const Genome before = child;
    engine::change_gene(layout, 20, child, 3, random);
    CHECK(engine::integer(layout, child, 0) != engine::integer(layout, before, 0));
    engine::change_gene(layout, 20, child, 4, random);
    CHECK(engine::integer(layout, child, 1) == 7);
    CHECK(in_range(child));
  }
}

TEST_CASE("crossover: exchanged parents give the other child of simulated binary crossover") {
  const GenomeLayout layout{.bits = 0, .integers = {}, .reals = {{0, 1}, {0, 1}, {0, 1}}};
  for (std::uint64_t slot = 0; slot < 200; ++slot) {
    RandomStream random(tests::test_seed(), 4, slot);
    Genome a(3);
    Genome b(3);
    engine::randomize(layout, a, random);
    engine::randomize(layout, b, random);
    RandomStream one(tests::test_seed(), 5, slot);
    RandomStream same(tests::test_seed(), 5, slot);
    Genome child(3);
    Genome other(3);
    engine::crossover(layout, {}, {.a = a, .b = b}, child, one);
    engine::crossover(layout, {}, {.a = b, .b = a}, other, same);
    // Both sides never fall together, and what did not cross is the parents' own.
    for (std::size_t i = 0; i < 3; ++i) {
      const double x = engine::real(layout, child, i);
      const double y = engine::real(layout, other, i);
      CHECK((x < y) != (y < x));
    }
  }
}
