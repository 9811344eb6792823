#include "problems/segment_plans.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/random.h"
#include "problems/cost_graph_problem.h"
#include "tests/problems/chain_front.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::Segment;
using problems::SegmentPlan;
using problems::SegmentTable;

// What a choice takes and costs, by the definition.
struct Taken {
  std::int64_t budget = 0;
  double latency = 0;
  double energy = 0;
};

Taken taken(const SegmentTable& table, const std::vector<bool>& kept) {
  Taken result;
  std::int64_t before = 0;
  std::size_t begin = 0;
  for (std::size_t place = 1; place < table.places(); ++place) {
    if (place + 1 < table.places() && !kept[place - 1]) continue;
    const Segment& segment = table.at(begin, place);
    result.budget = std::max(result.budget, before + segment.local_bytes);
    result.latency += segment.latency;
    result.energy += segment.energy;
    before += segment.kept_bytes;
    begin = place;
  }
  return result;
}

std::vector<bool> choice(std::size_t candidates, unsigned bits) {
  std::vector<bool> kept(candidates);
  for (std::size_t i = 0; i < candidates; ++i)
    kept[i] = ((bits >> i) & 1U) != 0;
  return kept;
}

SegmentTable random_table(std::size_t candidates, RandomStream& random) {
  const std::size_t places = candidates + 2;
  std::vector<Segment> segments(places * places);
  for (Segment& segment : segments) {
    segment.latency = static_cast<double>(random.below(9));
    segment.energy = static_cast<double>(random.below(9));
    segment.kept_bytes = static_cast<std::int64_t>(random.below(6));
    segment.local_bytes = segment.kept_bytes + static_cast<std::int64_t>(random.below(9));
  }
  return {places, std::move(segments)};
}

problems::CostGraph random_chain(std::size_t nodes, RandomStream& random) {
  problems::CostGraph chain;
  chain.input_bytes = static_cast<std::int64_t>(random.below(5));
  chain.count_gradients = random.below(2) == 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto id = static_cast<std::int64_t>(i);
    problems::CostGraphNode node;
    node.inputs = {id - 1};
    if (random.below(2) == 0) node.backward_reads.push_back(id);
    if (random.below(2) == 0) node.backward_reads.push_back(id - 1);
    const auto draw = [&] { return static_cast<std::int64_t>(random.below(6)); };
    node.forward_latency = draw();
    node.backward_latency = draw();
    node.forward_energy = draw();
    node.output_bytes = draw();
    node.gradient_bytes = draw();
    chain.nodes.push_back(node);
  }
  return chain;
}

}  // namespace

TEST_CASE("cheapest_segments: fit the budget and cost the least and the smallest budget is exact") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    RandomStream random(1, round, 0);
    INFO("round " << round);
    const std::size_t count = random.below(6);
    const SegmentTable table = random_table(count, random);
    const problems::SegmentWeights weights{.latency = static_cast<double>(random.below(3)),
                                           .energy = static_cast<double>(random.below(3))};
    const std::int64_t smallest = problems::smallest_segment_budget(table);
    for (std::int64_t budget = 0; budget < 40; ++budget) {
      std::optional<double> best;
      for (unsigned bits = 0; bits < (1U << count); ++bits) {
        const Taken takes = taken(table, choice(count, bits));
        const double cost = weights.latency * takes.latency + weights.energy * takes.energy;
        if (takes.budget <= budget) best = std::min(best.value_or(cost), cost);
      }
      const std::optional<SegmentPlan> found = problems::cheapest_segments(table, weights, budget);
      CHECK((budget >= smallest) == best.has_value());
      REQUIRE(found.has_value() == best.has_value());
      if (!found) continue;
      const Taken takes = taken(table, found->kept);
      CHECK(takes.budget <= budget);
      CHECK(takes.latency == found->latency);
      CHECK(takes.energy == found->energy);
      CHECK(weights.latency * takes.latency + weights.energy * takes.energy == *best);
    }
  }
}

TEST_CASE("segment_plans: all different and none within what another one takes and costs") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(1, round, 1);
    INFO("round " << round);
    const SegmentTable table = random_table(random.below(9), random);
    std::set<std::vector<bool>> seen;
    for (const SegmentPlan& plan : problems::segment_plans(table)) {
      CHECK(seen.insert(plan.kept).second);
      CHECK(taken(table, plan.kept).budget <= plan.budget_bytes);
    }
    CHECK(!seen.empty());
  }
}

TEST_CASE("SegmentTable: is exact for chains") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(1, round, 2);
    INFO("round " << round);
    const std::size_t nodes = 1 + random.below(9);
    const problems::CostGraph chain = random_chain(nodes, random);
    problems::RecomputeCosts costs;
    for (const problems::CostGraphNode& node : chain.nodes) {
      costs.latency.push_back(static_cast<double>(node.forward_latency));
      costs.energy.push_back(static_cast<double>(node.forward_energy));
    }
    const problems::PlanProblem problem = problems::cost_graph_problem(chain, {});
    const SegmentTable table(problem.graph(), costs);
    const problems::PlanEvaluation all = problem.evaluate(problem.keep_all());
    const std::int64_t always = chain.input_bytes;
    for (unsigned bits = 0; bits < (1U << nodes); ++bits) {
      const Taken takes = taken(table, choice(nodes, bits));
      problems::Genome genome = problem.recompute_all();
      for (std::size_t i = 0; i < nodes; ++i)
        problems::set_gene(genome, problem.keep_gene_positions()[i], (bits >> i) & 1U);
      const problems::PlanEvaluation plan = problem.evaluate(genome);
      CHECK(always + takes.budget == plan.peak_bytes);
      CHECK(all.latency + static_cast<std::int64_t>(takes.latency) == plan.latency);
      CHECK(all.energy + takes.energy == plan.energy);
    }
  }
}

TEST_CASE("ChainFront: is the front of all plans of a chain") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    RandomStream random(1, round, 3);
    INFO("round " << round);
    const std::size_t nodes = 1 + random.below(8);
    const problems::CostGraph chain = random_chain(nodes, random);
    const problems::PlanProblem problem = problems::cost_graph_problem(chain, {});
    using Point = std::array<std::int64_t, 3>;
    std::set<Point> all;
    for (unsigned bits = 0; bits < (1U << nodes); ++bits) {
      problems::Genome genome = problem.recompute_all();
      for (std::size_t i = 0; i < nodes; ++i)
        problems::set_gene(genome, problem.keep_gene_positions()[i], (bits >> i) & 1U);
      const problems::PlanEvaluation plan = problem.evaluate(genome);
      all.insert({plan.latency, static_cast<std::int64_t>(plan.energy), plan.peak_bytes});
    }
    std::set<Point> front;
    for (const Point& point : all) {
      const bool beaten = std::any_of(all.begin(), all.end(), [&](const Point& other) {
        return other != point && other[0] <= point[0] && other[1] <= point[1] &&
               other[2] <= point[2];
      });
      if (!beaten) front.insert(point);
    }
    std::set<Point> found;
    for (const ChainPoint& point : ChainFront(chain).front())
      found.insert({point.latency, point.energy, point.peak});
    CHECK(found == front);
  }
}

}  // namespace paretrain::tests
