#include "evaluator/core_cost/stream_ranking.h"

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/core_cost/loop_factors.h"
#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::RandomStream;
using paretrain::tests::matrix_product;
using paretrain::tests::random_core;
using paretrain::tests::random_nest;
using paretrain::tests::two_lanes;

namespace {

std::string text_of(std::span<const TemporalLoop> order) {
  std::string text;
  for (const TemporalLoop& loop : order)
    text += std::string(loop_name(loop.loop)) + std::to_string(loop.size) + " ";
  return text;
}

std::vector<std::string> orders_of(const std::vector<TemporalLoop>& factors) {
  std::vector<std::string> orders;
  for_each_order_by_prefix_shift(
      factors, [&](std::span<const TemporalLoop> order) { orders.push_back(text_of(order)); });
  return orders;
}

CoreCostOptions zigzag(Objective objective) {
  CoreCostOptions options;
  options.model = CostModel::Zigzag;
  options.objective = objective;
  return options;
}

}  // namespace

TEST_CASE("orders by prefix shift: every distinct one once, the non-increasing one first") {
  CHECK(orders_of({{Loop::C, 3}}) == std::vector<std::string>{"C3 "});
  CHECK(orders_of({{Loop::C, 3}, {Loop::K, 2}}) == std::vector<std::string>{"K2 C3 ", "C3 K2 "});
  const auto orders = orders_of({{Loop::K, 2}, {Loop::C, 3}, {Loop::K, 2}, {Loop::D, 5}});
  CHECK(orders.front() == "K2 K2 D5 C3 ");
  CHECK(orders.size() == 12);
  CHECK(std::set<std::string>(orders.begin(), orders.end()).size() == 12);
}

TEST_CASE("stream_ranked_cost: without an off-chip level the first order that fits is taken") {
  const Core core = two_lanes();
  const LoopNest nest = matrix_product(3, 2, 4);
  const CoreCostOptions options = zigzag(Objective::Latency);
  const auto taken = stream_ranked_cost(core, nest, 1, options);
  REQUIRE(std::holds_alternative<StreamRankedCost>(taken));
  // Two lanes leave 2 of K.
  const std::vector<TemporalLoop> first = {{Loop::K, 2}, {Loop::D, 3}, {Loop::C, 2}};
  const auto expected = core_cost_of_order(core, nest, core.dataflow, first, options);
  REQUIRE(std::holds_alternative<MappedCost>(expected));
  CHECK(std::get<StreamRankedCost>(taken).cost.total_cycles() ==
        std::get<MappedCost>(expected).cost.total_cycles());
  CHECK(std::get<StreamRankedCost>(taken).cost.total_energy_pj() ==
        std::get<MappedCost>(expected).cost.total_energy_pj());
}

TEST_CASE("stream_ranked_cost: with energy as objective it finds what the search finds") {
  int compared = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    RandomStream random(paretrain::tests::test_seed(), 3, round);
    const Core core = random_core(random);
    const LoopNest nest = random_nest(random);
    const CoreCostOptions options = zigzag(Objective::Energy);
    const auto ranked = stream_ranked_cost(core, nest, 1, options);
    const auto best = best_core_cost(core, nest, options);
    INFO("round " << round);
    REQUIRE(std::holds_alternative<StreamRankedCost>(ranked) ==
            std::holds_alternative<MappedCost>(best));
    if (!std::holds_alternative<StreamRankedCost>(ranked)) continue;
    ++compared;
    CHECK(std::get<StreamRankedCost>(ranked).cost.total_energy_pj() ==
          doctest::Approx(std::get<MappedCost>(best).cost.total_energy_pj()));
  }
  CHECK(compared > 20);
}
