#include "problems/warm_plans.h"

#include <algorithm>
#include <set>

#include "problems/cost_graph_problem.h"
#include "problems/segment_plans.h"
#include "tests/problems/slow_cost_graph.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::PlanProblem;
using problems::SegmentCandidate;

// The rule of segment_plans.h, for one choice.
bool fits(const std::vector<SegmentCandidate>& candidates, unsigned kept, std::int64_t budget) {
  std::int64_t kept_bytes = 0;
  std::int64_t segment = 0;
  std::int64_t brief = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const SegmentCandidate& candidate = candidates[i];
    if (((kept >> i) & 1U) == 0) {
      segment += candidate.recomputed_bytes;
      brief = std::max(brief, candidate.kept_bytes - candidate.recomputed_bytes);
    } else {
      kept_bytes += candidate.kept_bytes;
      segment = 0;
      brief = 0;
    }
    if (kept_bytes + segment + brief > budget) return false;
  }
  return true;
}

double cost_of(const std::vector<SegmentCandidate>& candidates, unsigned kept) {
  double cost = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    cost += ((kept >> i) & 1U) == 0 ? candidates[i].cost : 0;
  return cost;
}

PlanProblem uniform_chain(std::int64_t nodes) {
  problems::CostGraph graph;
  graph.input_bytes = 1;
  for (std::int64_t i = 0; i < nodes; ++i) {
    problems::CostGraphNode node;
    node.inputs = {i - 1};
    node.backward_reads = node.inputs;
    node.forward_latency = 1;
    node.output_bytes = 1;
    graph.nodes.push_back(node);
  }
  return problems::cost_graph_problem(
      graph, {.count_gradients = false, .max_group_length = {}, .memory_limit_bytes = {}});
}

}  // namespace

TEST_CASE("cheapest_segments: fits the budget; the smallest budget and small instances are exact") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    RandomStream random(1, round, 0);
    INFO("round " << round);
    std::vector<SegmentCandidate> candidates;
    const std::size_t count = 1 + random.below(5);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bytes = static_cast<std::int64_t>(random.below(9));
      candidates.push_back({.kept_bytes = bytes,
                            .recomputed_bytes = random.below(4) == 0 ? 0 : bytes,
                            .cost = static_cast<double>(random.below(9))});
    }
    const std::int64_t smallest = problems::smallest_segment_budget(candidates);
    for (std::int64_t budget = 0; budget < 30; ++budget) {
      double best = -1;
      for (unsigned kept = 0; kept < (1U << count); ++kept) {
        const double cost = cost_of(candidates, kept);
        if (fits(candidates, kept, budget) && (best < 0 || cost < best)) best = cost;
      }
      const std::vector<bool> found = problems::cheapest_segments(candidates, budget);
      CHECK((budget >= smallest) == (best >= 0));
      REQUIRE(found.empty() == (best < 0));
      if (best < 0) continue;
      unsigned kept = 0;
      for (std::size_t i = 0; i < count; ++i)
        kept |= found[i] ? 1U << i : 0U;
      CHECK(fits(candidates, kept, budget));
      CHECK(cost_of(candidates, kept) == best);
    }
  }
}

TEST_CASE("start_plans: reach the lowest peaks of uniform chains") {
  const std::vector<std::int64_t> nodes = {8, 12, 16, 32, 64, 128};
  const std::vector<std::int64_t> published = {4, 5, 6, 8, 11, 16};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const PlanProblem problem = uniform_chain(nodes[i]);
    std::int64_t least = 1000;
    for (const problems::Genome& genome :
         problems::start_plans(problem, problems::SearchSpace(problem, {})).others)
      least = std::min(least, problem.evaluate(genome).peak_bytes);
    INFO("n = " << nodes[i]);
    CHECK(least == published[i]);
  }
}

TEST_CASE("start_plans: distinct, canonical, obeying what is fixed; the baselines are as before") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(1, round, 1);
    INFO("round " << round);
    const PlanProblem problem =
        problems::cost_graph_problem(random_cost_graph(1 + random.below(9), random), {});
    problems::SearchSpaceOptions options;
    if (random.below(2) == 0) options.fusion = problems::Fusion::None;
    const problems::SearchSpace space(problem, options);
    const problems::StartPlans start = problems::start_plans(problem, space);
    const std::vector<problems::NamedPlan> baselines = problems::baselines(problem, space);
    REQUIRE(start.baselines.size() == baselines.size());
    std::set<problems::Genome> seen;
    for (std::size_t i = 0; i < baselines.size(); ++i) {
      CHECK(start.baselines[i].name == baselines[i].name);
      CHECK(start.baselines[i].genome == baselines[i].genome);
      seen.insert(baselines[i].genome);
    }
    for (const problems::Genome& genome : start.others) {
      CHECK(problem.canonical(space.projected(genome)) == genome);
      CHECK(seen.insert(genome).second);
    }
  }
}

}  // namespace paretrain::tests
