#include "engine/bit_runs.h"

#include <cmath>
#include <map>

#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::BitBlock;
using engine::Genome;

namespace {

constexpr std::size_t kBits = 200;

Genome random_genome(RandomStream& random) {
  Genome genome((kBits + 63) / 64);
  for (std::size_t i = 0; i < kBits; ++i) {
    if ((random.next() >> 63U) != 0) engine::set_bit(genome, i);
  }
  return genome;
}

}  // namespace

TEST_CASE("bit runs: change the bits of the run and no other bit") {
  for (std::uint64_t slot = 0; slot < 500; ++slot) {
    RandomStream random(tests::test_seed(), 0, slot);
    const Genome before = random_genome(random);
    const BitBlock run = engine::random_run(kBits, random);
    Genome flipped = before;
    Genome ones = before;
    Genome zeros = before;
    engine::complement_run(flipped, run);
    engine::set_run(ones, run);
    engine::clear_run(zeros, run);
    for (std::size_t i = 0; i < before.size() * engine::kWordBits; ++i) {
      const bool was = engine::bit(before, i);
      const bool inside = i >= run.begin && i < run.end;
      CHECK(engine::bit(flipped, i) == (inside != was));
      CHECK(engine::bit(ones, i) == (inside || was));
      CHECK(engine::bit(zeros, i) == (!inside && was));
    }
  }
}

TEST_CASE("random_run: fits and every doubling of the length is as likely as the one before") {
  for (const std::size_t total : {1U, 2U, 3U, 7U}) {
    for (std::uint64_t slot = 0; slot < 50; ++slot) {
      RandomStream random(tests::test_seed(), 1, slot);
      const BitBlock run = engine::random_run(total, random);
      CHECK(run.begin < run.end);
      CHECK(run.end <= total);
    }
  }
  // Of 64 bits: the bound is 2 with probability 1/2, 4 with 1/4 and so on; the length is uniform up
  // to it.
  constexpr int kRounds = 40'000;
  std::map<std::size_t, int> lengths;
  for (std::uint64_t slot = 0; slot < kRounds; ++slot) {
    RandomStream random(tests::test_seed(), 2, slot);
    const BitBlock run = engine::random_run(64, random);
    ++lengths[run.end - run.begin];
  }
  const std::map<std::size_t, double> expected = {
      {1, 1.0 / 4 + 1.0 / 16 + 1.0 / 64 + 1.0 / 256 + 1.0 / 1024 + 1.0 / 2048},
      {3, 1.0 / 16 + 1.0 / 64 + 1.0 / 256 + 1.0 / 1024 + 1.0 / 2048},
      {5, 1.0 / 64 + 1.0 / 256 + 1.0 / 1024 + 1.0 / 2048}};
  for (const auto& [length, probability] : expected) {
    const double deviation = std::sqrt(kRounds * probability * (1 - probability));
    CHECK(std::abs(lengths[length] - kRounds * probability) < 5 * deviation);
  }
}

TEST_CASE("mutate_run: is a matter of the stream alone and can complement clear and set") {
  int cleared = 0;
  int filled = 0;
  int complemented = 0;
  for (std::uint64_t slot = 0; slot < 1000; ++slot) {
    Genome genome = {0b0101};
    Genome again = {0b0101};
    RandomStream random(tests::test_seed(), 3, slot);
    RandomStream same(tests::test_seed(), 3, slot);
    engine::mutate_run(genome, 4, random);
    engine::mutate_run(again, 4, same);
    CHECK(genome == again);
    CHECK(genome[0] < 16);
    if (genome[0] == 0b0000) ++cleared;
    if (genome[0] == 0b1111) ++filled;
    if (genome[0] == 0b1010) ++complemented;
  }
  CHECK(cleared > 0);
  CHECK(filled > 0);
  CHECK(complemented > 0);
}
