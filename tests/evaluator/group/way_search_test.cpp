#include "evaluator/group/way_search.h"

#include <optional>
#include <vector>

#include "evaluator/group/group_shape.h"
#include "evaluator/group/single_outline.h"
#include "evaluator/group/single_ways.h"
#include "evaluator/group/tile_costs.h"
#include "problems/builtin_accelerators.h"
#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;
using paretrain::tests::GroupOf;
using paretrain::tests::SmallGraph;

namespace {

// All ways of one convolution or matrix product on all array cores, and what each of them costs.
class Ways {
 public:
  Ways(const char* name, const SmallGraph& graph, Objective objective)
      : accelerator_(*builtin_accelerator(name)),
        chip_(accelerator_, CostModel::Corrected),
        costs_(chip_, CoreCostOptions{CostModel::Corrected, objective, 5}, 1 << 16),
        group_(group_shape(graph.graph(), GroupOf(graph.graph(), 0, 0).content())) {
    context_.chip = &chip_;
    context_.single_instances = &chip_;
    context_.costs = &costs_;
    context_.objective = objective;
    for (std::size_t c = 0; c < accelerator_.cores.size(); ++c)
      if (accelerator_.cores[c].kind == CoreKind::Array) cores_.emplace_back(c);
    for (const SingleWay& way : single_ways(chip_, group_, cores_, 0)) {
      auto outline = single_outline(chip_, costs_, group_, way);
      if (outline) outlines_.push_back(std::move(*outline));
    }
  }

  [[nodiscard]] std::size_t size() const { return outlines_.size(); }

  [[nodiscard]] const Chip& chip() const { return chip_; }

  [[nodiscard]] TileCosts& costs() { return costs_; }

  [[nodiscard]] const std::vector<GroupOutline>& outlines() const { return outlines_; }

  [[nodiscard]] std::optional<GroupChoice> searched() const {
    return WaySearch(context_,
                     outlines_.size(),
                     [&](std::size_t place) { return std::optional(outlines_[place]); })
        .best();
  }

  // By definition: the least rank of all ways, each worked out to the end.
  [[nodiscard]] std::size_t best_place() {
    std::optional<WayRank> best;
    for (std::size_t place = 0; place < outlines_.size(); ++place) {
      GroupOutline outline = outlines_[place];
      const auto cost = costed(chip_, costs_, outline);
      if (!cost) continue;
      const WayRank rank = rank_of(place, *cost);
      if (!best || rank < *best) best = rank;
    }
    REQUIRE(best);
    return best->place;
  }

 private:
  [[nodiscard]] WayRank rank_of(std::size_t place, const ScheduleCost& cost) const {
    const auto latency = static_cast<double>(cost.latency);
    const double energy = cost.energy.total();
    const std::int64_t tiles = outlines_[place].tiles * outlines_[place].inner_tiles;
    switch (context_.objective) {
      case Objective::Latency:
        return {latency, energy, tiles, place};
      case Objective::Energy:
        return {energy, latency, tiles, place};
      case Objective::Edp:
        return {latency * energy, energy, tiles, place};
    }
    return {};
  }

  Accelerator accelerator_;
  Chip chip_;
  TileCosts costs_;
  GroupShape group_;
  ChoiceContext context_;
  std::vector<CoreId> cores_;
  std::vector<GroupOutline> outlines_;
};

std::vector<SmallGraph> small_graphs() {
  std::vector<SmallGraph> graphs(3, SmallGraph(16));
  const auto image = [](SmallGraph& graph, std::int64_t size) {
    return graph.tensor("x", {2, 24, size, size}, StorageRole::Input);
  };
  (void)graphs[0].convolution(image(graphs[0], 14), 40, 3, 1);
  (void)graphs[1].convolution(image(graphs[1], 17), 16, 1, 2);
  (void)graphs[2].product(graphs[2].tensor("x", {48, 96}, StorageRole::Input), 80);
  return graphs;
}

}  // namespace

TEST_CASE("way search: finds the way that is best when all are worked out to the end") {
  for (const SmallGraph& graph : small_graphs())
    for (const char* const name : {"edge-tpu-quad", "fusemax"})
      for (const auto objective : {Objective::Latency, Objective::Energy, Objective::Edp}) {
        Ways ways(name, graph, objective);
        INFO(name << " objective " << static_cast<int>(objective));
        REQUIRE(ways.size() > 20);
        const auto found = ways.searched();
        REQUIRE(found);
        GroupOutline best = ways.outlines()[ways.best_place()];
        const auto cost = costed(ways.chip(), ways.costs(), best);
        REQUIRE(cost);
        CHECK(found->cost.latency == cost->latency);
        CHECK(found->cost.energy.total() == cost->energy.total());
        CHECK(found->outline.tiles * found->outline.inner_tiles == best.tiles * best.inner_tiles);
        CHECK(found->outline.axis == best.axis);
      }
}

TEST_CASE("energy_of_tiles: is what the way costs, and no bound is above the cost") {
  for (const SmallGraph& graph : small_graphs()) {
    Ways ways("edge-tpu-quad", graph, Objective::Latency);
    for (const GroupOutline& outline : ways.outlines()) {
      GroupOutline copy = outline;
      const auto energy = energy_of_tiles(ways.costs(), outline);
      const auto cost = costed(ways.chip(), ways.costs(), copy);
      REQUIRE(energy.has_value() == cost.has_value());
      if (!cost) continue;
      CHECK(energy->total() == cost->energy.total());
      const ScheduleCost least = least_cost(ways.chip(), outline);
      CHECK(least.latency <= cost->latency);
      CHECK(least_latency(ways.chip(), outline) <= cost->latency);
      CHECK(least.energy.total() <= cost->energy.total() * (1 + 1e-12));
    }
  }
}
