#include "engine/evaluation_memory.h"

#include "base/hash.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::EvaluationMemory;
using engine::Individuals;
using engine::SeenGenomes;

namespace {

Individuals one_row(engine::Word word, double value) {
  Individuals row{.words_per_genome = 1, .objective_count = 1};
  const std::vector<engine::Word> genome = {word};
  const std::vector<double> objectives = {value};
  row.append(genome, objectives, 0);
  return row;
}

std::uint64_t fingerprint(engine::Word word) {
  const std::vector<engine::Word> genome = {word};
  return hash_of(genome);
}

}  // namespace

TEST_CASE("EvaluationMemory: remembers each genome once with its result") {
  EvaluationMemory memory(1, 1);
  SeenGenomes seen;
  CHECK_FALSE(memory.was_evaluated(fingerprint(3)));
  CHECK(memory.remember(seen, fingerprint(3), one_row(3, 7), 0));
  CHECK_FALSE(memory.remember(seen, fingerprint(3), one_row(3, 7), 0));
  CHECK(memory.was_evaluated(fingerprint(3)));
  const auto row = one_row(3, 0);
  const auto result = memory.result(fingerprint(3), row.genome(0));
  REQUIRE(result);
  CHECK(result->rows->objectives_of(result->row)[0] == 7);
  // Another genome with the same fingerprint is not taken for it.
  const auto other = one_row(4, 0);
  CHECK_FALSE(memory.result(fingerprint(3), other.genome(0)));
}

TEST_CASE("EvaluationMemory: after restoring it knows what was evaluated but not the results") {
  EvaluationMemory first(1, 1);
  SeenGenomes seen;
  first.remember(seen, fingerprint(3), one_row(3, 7), 0);
  EvaluationMemory second(1, 1);
  second.restore(seen);
  CHECK(second.was_evaluated(fingerprint(3)));
  const auto row = one_row(3, 0);
  CHECK_FALSE(second.result(fingerprint(3), row.genome(0)));
  CHECK_FALSE(second.remember(seen, fingerprint(3), one_row(3, 7), 0));
  CHECK(seen.recent.size() == 1);
  // What it evaluates itself has results from there on.
  for (engine::Word word = 4; word < 1000; ++word)
    CHECK(second.remember(seen, fingerprint(word), one_row(word, static_cast<double>(word)), 0));
  for (engine::Word word = 4; word < 1000; ++word) {
    const auto genome = one_row(word, 0);
    const auto found = second.result(fingerprint(word), genome.genome(0));
    REQUIRE(found);
    CHECK(found->rows->objectives_of(found->row)[0] == static_cast<double>(word));
  }
}

TEST_CASE("EvaluationMemory: forgets the oldest window and stays bounded") {
  EvaluationMemory memory(1, 1);
  SeenGenomes seen;
  constexpr std::size_t kWindow = EvaluationMemory::kWindow;
  for (engine::Word word = 0; word < 2 * kWindow + 1; ++word)
    memory.remember(seen, fingerprint(word), one_row(word, static_cast<double>(word)), 0);
  CHECK(seen.older.size() == kWindow);
  CHECK(seen.recent.size() == 1);
  CHECK_FALSE(memory.was_evaluated(fingerprint(0)));
  CHECK(memory.was_evaluated(fingerprint(kWindow)));
  CHECK(memory.was_evaluated(fingerprint(2 * kWindow)));
  for (const engine::Word word : {engine::Word{kWindow}, engine::Word{2 * kWindow}}) {
    const auto row = one_row(word, 0);
    const auto result = memory.result(fingerprint(word), row.genome(0));
    REQUIRE(result);
    CHECK(result->rows->objectives_of(result->row)[0] == static_cast<double>(word));
  }
  // A genome of the recent window is known although that window is full.
  for (engine::Word word = 2 * kWindow + 1; word < 3 * kWindow; ++word)
    memory.remember(seen, fingerprint(word), one_row(word, 1), 0);
  CHECK(seen.recent.size() == kWindow);
  CHECK_FALSE(memory.remember(seen, fingerprint(2 * kWindow), one_row(2 * kWindow, 1), 0));
  CHECK(seen.recent.size() == kWindow);
}
