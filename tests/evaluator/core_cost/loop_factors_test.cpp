#include "evaluator/core_cost/loop_factors.h"

#include <set>
#include <string>

#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

using evaluator::Loop;
using evaluator::loop_factors;
using evaluator::LoopNest;
using evaluator::TemporalLoop;

TEST_CASE("loop_factors: merges the longest loop until the limit holds") {
  // C = 2^4, D = 2^9, K = 2^4: 17 primes. The longest loop loses a factor at a time; of equally
  // long ones the first declared (C before D before K).
  const LoopNest nest = matrix_product(512, 16, 16);
  const auto factors = loop_factors(nest, nest.sizes, 6);
  const std::vector<TemporalLoop> expected = {
      {Loop::C, 4}, {Loop::C, 4}, {Loop::D, 16}, {Loop::D, 32}, {Loop::K, 4}, {Loop::K, 4}};
  CHECK(factors == expected);
}

TEST_CASE("loop_factors: keeps one factor a loop beyond the limit") {
  const LoopNest nest = convolution(5, 3, 7);
  CHECK(loop_factors(nest, nest.sizes, 2).size() == 6);
}

TEST_CASE("loop_factors: gives one step where nothing is left") {
  const LoopNest nest = matrix_product(1, 1, 1);
  const auto factors = loop_factors(nest, nest.sizes, 6);
  REQUIRE(factors.size() == 1);
  CHECK(factors[0].size == 1);
}

TEST_CASE("for_each_order: visits each distinct order once") {
  const std::vector<TemporalLoop> factors = {
      {Loop::C, 4}, {Loop::C, 4}, {Loop::D, 2}, {Loop::K, 3}, {Loop::D, 2}};
  std::set<std::string> seen;
  std::int64_t visits = 0;
  evaluator::for_each_order(factors, [&](std::span<const TemporalLoop> order) {
    std::string text;
    for (const TemporalLoop& loop : order)
      text += std::string(evaluator::loop_name(loop.loop)) + std::to_string(loop.size) + " ";
    seen.insert(text);
    ++visits;
  });
  CHECK(visits == 30);
  CHECK(seen.size() == 30);
  CHECK(evaluator::order_count(factors) == 30);
}

}  // namespace paretrain::tests
