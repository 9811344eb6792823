#include "genome/repair.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "base/number_text.h"
#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using genome::ActiveEdge;
using genome::Dependences;
using genome::Grouping;

struct Graph {
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint32_t> list;

  void add(const std::vector<std::uint32_t>& predecessors) {
    list.insert(list.end(), predecessors.begin(), predecessors.end());
    begin.push_back(static_cast<std::uint32_t>(list.size()));
  }

  [[nodiscard]] Dependences dependences() const { return {begin, list}; }
};

struct Result {
  std::vector<std::uint32_t> groups;   // per node: its group's smallest member
  std::vector<std::uint32_t> dropped;  // genes
};

std::vector<std::uint32_t> by_smallest(const std::vector<std::uint32_t>& groups) {
  std::vector<std::uint32_t> result(groups.size());
  for (std::size_t n = 0; n < groups.size(); ++n)
    result[n] = static_cast<std::uint32_t>(std::find(groups.begin(), groups.end(), groups[n]) -
                                           groups.begin());
  return result;
}

template <class Legal>
Result repaired(const Graph& graph,
                const std::vector<ActiveEdge>& edges,
                std::size_t max_length,
                Legal legal) {
  Grouping grouping;
  Result result;
  grouping.reset(graph.dependences().size());
  genome::repair(
      grouping, {graph.dependences(), edges, max_length}, legal, [&](std::uint32_t gene) {
        result.dropped.push_back(gene);
      });
  result.groups = by_smallest({grouping.groups().begin(), grouping.groups().end()});
  return result;
}

bool anything(std::span<const std::uint32_t> /*members*/) {
  return true;
}

// By definition: the quotient graph, node by node, without a topological order.
bool quotient_is_cyclic(const Graph& graph, const std::vector<std::uint32_t>& groups) {
  std::set<std::uint32_t> left(groups.begin(), groups.end());
  const Dependences dependences = graph.dependences();
  for (;;) {
    std::set<std::uint32_t> waiting;
    for (std::size_t n = 0; n < groups.size(); ++n) {
      for (const std::uint32_t predecessor : dependences.of(n)) {
        if (groups[predecessor] != groups[n] && left.contains(groups[predecessor]))
          waiting.insert(groups[n]);
      }
    }
    std::set<std::uint32_t> still;
    for (const std::uint32_t group : left) {
      if (waiting.contains(group)) still.insert(group);
    }
    if (still.empty()) return false;
    if (still.size() == left.size()) return true;
    left = still;
  }
}

template <class Legal>
Result slowly_repaired(const Graph& graph,
                       const std::vector<ActiveEdge>& edges,
                       std::size_t max_length,
                       Legal legal) {
  Result result;
  for (std::uint32_t n = 0; n + 1 < graph.begin.size(); ++n)
    result.groups.push_back(n);
  for (const ActiveEdge& edge : edges) {
    std::vector<std::uint32_t> merged = result.groups;
    const std::uint32_t from = merged[edge.consumer];
    const std::uint32_t into = merged[edge.producer];
    if (from == into) continue;
    std::replace(merged.begin(), merged.end(), from, into);
    std::vector<std::uint32_t> members;
    for (std::uint32_t n = 0; n < merged.size(); ++n) {
      if (merged[n] == into) members.push_back(n);
    }
    if (members.size() > max_length || !legal(members) || quotient_is_cyclic(graph, merged))
      result.dropped.push_back(edge.gene);
    else
      result.groups = merged;
  }
  result.groups = by_smallest(result.groups);
  return result;
}

std::uint64_t test_seed() {
  const char* given = std::getenv("TEST_SEED");
  if (given == nullptr) return 1;
  return static_cast<std::uint64_t>(parsed_integer(given).value_or(1));
}

struct RandomCase {
  Graph graph;
  std::vector<ActiveEdge> edges;  // every second dependence, in random gene order
};

RandomCase random_case(RandomStream& random) {
  RandomCase result;
  const std::size_t nodes = 1 + random.below(24);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::vector<std::uint32_t> predecessors;
    for (std::uint64_t k = n == 0 ? 0 : random.below(4); k > 0; --k) {
      const auto near = static_cast<std::uint32_t>(n - 1 - random.below(std::min(n, 4U)));
      predecessors.push_back(random.below(4) == 0 ? static_cast<std::uint32_t>(random.below(n))
                                                  : near);
    }
    result.graph.add(predecessors);
    for (const std::uint32_t predecessor : predecessors) {
      if (random.below(2) == 0) result.edges.push_back({0, predecessor, n});
    }
  }
  for (std::size_t i = result.edges.size(); i > 1; --i)
    std::swap(result.edges[i - 1], result.edges[random.below(i)]);
  for (std::uint32_t i = 0; i < result.edges.size(); ++i)
    result.edges[i].gene = i;
  return result;
}

}  // namespace

TEST_CASE("repair: merges along a chain up to the longest group") {
  Graph graph;
  graph.add({});
  graph.add({0});
  graph.add({1});
  graph.add({2});
  const Result result = repaired(graph, {{7, 0, 1}, {8, 1, 2}, {9, 2, 3}}, 3, anything);
  CHECK(result.groups == std::vector<std::uint32_t>{0, 0, 0, 3});
  CHECK(result.dropped == std::vector<std::uint32_t>{9});
}

TEST_CASE("repair: drops a merge around an operator that stands outside") {
  Graph graph;  // 0 -> 1 -> 2 and 0 -> 2
  graph.add({});
  graph.add({0});
  graph.add({0, 1});
  const Result skip_first = repaired(graph, {{0, 0, 2}, {1, 0, 1}, {2, 1, 2}}, 9, anything);
  CHECK(skip_first.groups == std::vector<std::uint32_t>{0, 0, 0});
  // Not tried again, although it would have become legal later.
  CHECK(skip_first.dropped == std::vector<std::uint32_t>{0});
  const Result chain_first = repaired(graph, {{0, 0, 1}, {1, 1, 2}, {2, 0, 2}}, 9, anything);
  CHECK(chain_first.dropped.empty());
}

TEST_CASE("repair: two convex groups may not wait for one another") {
  Graph graph;  // 0 -> 2, 1 -> 3, 0 -> 3, 1 -> 2
  graph.add({});
  graph.add({});
  graph.add({0, 1});
  graph.add({1, 0});
  const Result result = repaired(graph, {{0, 0, 2}, {1, 1, 3}}, 9, anything);
  CHECK(result.groups == std::vector<std::uint32_t>{0, 1, 0, 3});
  CHECK(result.dropped == std::vector<std::uint32_t>{1});
}

TEST_CASE("repair: asks about the members of the union in order") {
  Graph graph;
  graph.add({});
  graph.add({});
  graph.add({0, 1});
  std::vector<std::vector<std::uint32_t>> asked;
  const auto legal = [&](std::span<const std::uint32_t> members) {
    asked.emplace_back(members.begin(), members.end());
    return members.size() < 3;
  };
  const Result result = repaired(graph, {{0, 1, 2}, {1, 0, 2}}, 9, legal);
  CHECK(asked == std::vector<std::vector<std::uint32_t>>{{1, 2}, {0, 1, 2}});
  CHECK(result.dropped == std::vector<std::uint32_t>{1});
}

TEST_CASE("repair: of nothing is nothing") {
  Graph graph;
  CHECK(repaired(graph, {}, 3, anything).groups.empty());
}

TEST_CASE("repair: agrees with the definition on random graphs") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t round = 0; round < 20000; ++round) {
    RandomStream random(seed, round, 0);
    const RandomCase given = random_case(random);
    const std::size_t max_length = 1 + random.below(8);
    const std::uint64_t odd = random.below(5);
    const auto legal = [&](std::span<const std::uint32_t> members) {
      return odd != 0 || (members.front() + members.back()) % 3 != 0;
    };
    const Result fast = repaired(given.graph, given.edges, max_length, legal);
    const Result slow = slowly_repaired(given.graph, given.edges, max_length, legal);
    INFO("TEST_SEED=" << seed << " round " << round);
    REQUIRE(fast.groups == slow.groups);
    REQUIRE(fast.dropped == slow.dropped);
  }
}

TEST_CASE("repair: is idempotent and merges without checks give the same groups") {
  const std::uint64_t seed = test_seed();
  for (std::uint64_t round = 0; round < 2000; ++round) {
    RandomStream random(seed, round, 1);
    const RandomCase given = random_case(random);
    const Result first = repaired(given.graph, given.edges, 5, anything);
    std::vector<ActiveEdge> kept;
    for (const ActiveEdge& edge : given.edges) {
      if (std::find(first.dropped.begin(), first.dropped.end(), edge.gene) == first.dropped.end())
        kept.push_back(edge);
    }
    const Result second = repaired(given.graph, kept, 5, anything);
    INFO("TEST_SEED=" << seed << " round " << round);
    REQUIRE(second.dropped.empty());
    REQUIRE(second.groups == first.groups);
    Grouping unchecked;
    unchecked.reset(given.graph.begin.size() - 1);
    for (const ActiveEdge& edge : kept) {
      const std::uint32_t a = unchecked.group(edge.producer);
      const std::uint32_t b = unchecked.group(edge.consumer);
      if (a != b) unchecked.merge_unordered(a, b);
    }
    REQUIRE(by_smallest({unchecked.groups().begin(), unchecked.groups().end()}) == first.groups);
  }
}

}  // namespace paretrain::tests
