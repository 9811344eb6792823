#include "engine/enumeration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Enumeration;

namespace {

// A gene may be 1 only when no gene before it is 1 right before it; others are cleared, first
// to last. Canonical genomes have no two neighbouring ones: Fibonacci numbers count them.
class NoNeighbours : public tests::FunctionProblem {
 public:
  NoNeighbours(std::size_t bits, bool with_prefix_order)
      : FunctionProblem({.bits = bits, .integers = {}, .reals = {}},
                        2,
                        [](engine::GenomeView genome) {
                          const auto count = static_cast<double>(tests::ones(genome));
                          return engine::Evaluation{.objectives = {count, -count}, .violation = 0};
                        }),
        with_prefix_order_(with_prefix_order) {}

  void canonicalize(engine::GenomeRow genome) const override {
    for (std::size_t i = 1; i < layout().bits; ++i) {
      if (engine::bit(genome, i - 1)) engine::clear_bit(genome, i);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> canonical_prefix_order() const override {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; with_prefix_order_ && i < layout().bits; ++i)
      order.push_back(i);
    return order;
  }

 private:
  bool with_prefix_order_;
};

}  // namespace

TEST_CASE("enumeration: every genome of OneMinMax with the binomial counts") {
  const auto problem = tests::one_min_max(16);
  for (const int threads : {1, 4}) {
    const Enumeration result = engine::enumeration(problem, {.keep_equal = 2, .threads = threads});
    CHECK(result.genomes == 65536);
    CHECK(result.canonical_genomes == 65536);
    CHECK(result.infeasible == 0);
    CHECK(result.worst == std::vector<double>{0, 0});
    // Two genomes per point but for the two ends.
    REQUIRE(result.front.size() == 32);
    CHECK(result.genomes_per_point[0] == 1);
    CHECK(result.genomes_per_point[1] == 16);
    CHECK(result.genomes_per_point[2] == 16);
    CHECK(result.genomes_per_point[3] == 120);
    // The first in text order: the ones stand last.
    CHECK(result.front.genome(1)[0] == 0x8000);
    CHECK(result.front.genome(2)[0] == 0x4000);
  }
}

TEST_CASE(
    "enumeration: canonical genomes only and the same front with and without a prefix order") {
  const NoNeighbours plain(14, false);
  const NoNeighbours tree(14, true);
  const Enumeration all = engine::enumeration(plain, {.keep_equal = 1, .threads = 1});
  CHECK(all.genomes == 16384);
  CHECK(all.canonical_genomes == 987);  // the 16th Fibonacci number
  CHECK(all.front.size() == 8);
  for (const int threads : {1, 2, 4}) {
    const Enumeration fast = engine::enumeration(tree, {.keep_equal = 1, .threads = threads});
    CHECK(fast.canonical_genomes == 987);
    CHECK(fast.front.words == all.front.words);
    CHECK(fast.front.objectives == all.front.objectives);
    CHECK(fast.genomes_per_point == all.genomes_per_point);
  }
}

TEST_CASE("enumeration: integers and infeasible and undefined results are counted") {
  const tests::FunctionProblem problem(
      {.bits = 1, .integers = {{-2, 2}}, .reals = {}}, 1, [](engine::GenomeView genome) {
        const auto value = static_cast<double>(static_cast<std::int64_t>(genome[1]));
        if (genome[0] == 0) return engine::Evaluation{.objectives = {value}, .violation = 0};
        if (value > 0) return engine::Evaluation{.objectives = {std::sqrt(-value)}, .violation = 0};
        return engine::Evaluation{.objectives = {-100}, .violation = 1};
      });
  const Enumeration result = engine::enumeration(problem, {});
  CHECK(result.genomes == 10);
  CHECK(result.infeasible == 5);
  CHECK(result.not_finite == 2);
  CHECK(result.front.objectives == std::vector<double>{-2});
  CHECK(result.worst == std::vector<double>{2});
}

TEST_CASE("enumeration: minus zero is zero as in a search") {
  const tests::FunctionProblem problem(
      {.bits = 3, .integers = {}, .reals = {}}, 2, [](engine::GenomeView genome) {
        const auto count = static_cast<double>(tests::ones(genome));
        return engine::Evaluation{.objectives = {-count, 0 * -count}, .violation = 0};
      });
  const Enumeration result = engine::enumeration(problem, {});
  REQUIRE(result.front.size() == 1);
  CHECK(result.front.objectives[0] == -3);
  CHECK_FALSE(std::signbit(result.front.objectives[1]));
}

TEST_CASE("enumeration: nothing feasible gives an empty front") {
  const tests::FunctionProblem problem(
      {.bits = 3, .integers = {}, .reals = {}}, 1, [](engine::GenomeView) {
        return engine::Evaluation{.objectives = {1}, .violation = 2};
      });
  const Enumeration result = engine::enumeration(problem, {});
  CHECK(result.infeasible == 8);
  CHECK(result.front.size() == 0);
  CHECK(result.worst.empty());
}

TEST_CASE("enumeration: refuses spaces that are too large and says how large") {
  const auto text = [](std::size_t bits) {
    const auto problem = tests::one_min_max(bits);
    try {
      static_cast<void>(engine::enumeration(problem, {}));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(text(29).find("536,870,912 genomes; at most 268,435,456") != std::string::npos);
  CHECK(text(100).find("more than 2^62 genomes") != std::string::npos);
}
