// Why: any bits must decode to a legal plan. Fusion genes are taken once, in gene order; a merge
// that would be too long, illegal for the cost model or cyclic is dropped (docs/plan.md, repair).
//
// Works on plain arrays and knows nothing of networks: nodes are operators that run, numbered by
// position; what depends on what comes as lists of predecessors; whether a set of nodes may form a
// group is asked of a callable.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace paretrain::genome {

// What must run before what. Shape: predecessors of node n are list[begin[n]] ..
// list[begin[n+1]-1]; begin.size() == nodes + 1. Requires: every predecessor is smaller than its
// node.
struct Dependences {
  std::span<const std::uint32_t> begin;
  std::span<const std::uint32_t> list;

  [[nodiscard]] std::size_t size() const noexcept { return begin.size() - 1; }

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t node) const noexcept {
    return list.subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

// A fusion gene that is set and whose ends run, by position. Requires: producer < consumer, and the
// consumer depends on the producer.
struct ActiveEdge {
  std::uint32_t gene = 0;
  std::uint32_t producer = 0;
  std::uint32_t consumer = 0;
};

// A partition of the nodes into groups whose quotient graph is acyclic, refined by merges. Keeps a
// topological order of the groups, so that a merge looks only at what stands between its two ends.
// Reused from genome to genome: no allocation once it has grown.
class Grouping {
 public:
  // Every node in a group of its own.
  void reset(std::size_t nodes);

  // The group of a node, named by its first member; after merge_unordered() by one of its members.
  [[nodiscard]] std::uint32_t group(std::size_t node) const noexcept { return group_[node]; }

  [[nodiscard]] std::span<const std::uint32_t> groups() const noexcept { return group_; }

  // Number of members. Requires: `name` names a group.
  [[nodiscard]] std::uint32_t length(std::uint32_t name) const noexcept { return length_[name]; }

  // The members of both groups, ascending; valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> members_of_both(std::uint32_t a, std::uint32_t b);

  // Whether a path leads from group `first` to group `last` through a third one. Requires: a node
  // of `last` depends on a node of `first`. Cost: the groups between the two in the order.
  [[nodiscard]] bool path_through_others(std::uint32_t first,
                                         std::uint32_t last,
                                         const Dependences& dependences);

  // Merges the two of the directly preceding calls of path_through_others, which answered no, and
  // of members_of_both.
  void merge(std::uint32_t first, std::uint32_t last);

  // Merges two groups without keeping any order. Requires: nothing else but group() and groups() is
  // called until reset().
  void merge_unordered(std::uint32_t a, std::uint32_t b);

 private:
  void join_members();
  [[nodiscard]] bool visit(std::uint32_t name, const Dependences& dependences, std::uint32_t first);

  std::vector<std::uint32_t> group_;     // per node
  std::vector<std::uint32_t> next_;      // per node: the next member, in a ring that ascends
  std::vector<std::uint32_t> length_;    // per name
  std::vector<std::uint32_t> slot_;      // per name: place in order_
  std::vector<std::uint32_t> order_;     // names, or kNobody
  std::vector<std::uint32_t> reaching_;  // per name: stamp of the search that met it
  std::vector<std::uint32_t> pending_;
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint32_t> members_;
  std::uint32_t stamp_ = 0;
  std::uint32_t lowest_slot_ = 0;  // of the search
};

template <class F>
concept GroupLegality = requires(F legal, std::span<const std::uint32_t> members) {
  { legal(members) } -> std::convertible_to<bool>;
};

struct RepairTask {
  Dependences dependences;
  std::span<const ActiveEdge> edges;
  std::size_t max_length = 1;  // of a group
};

// Takes the edges once, in the order given. `legal` is asked about the members of the union,
// ascending; the length is checked before. `dropped` is called with the gene of each dropped edge.
// Requires: `grouping` reset to the nodes of the task.
// Cost: per edge what path_through_others() costs, and one call of `legal`.
template <GroupLegality Legal, std::invocable<std::uint32_t> Dropped>
void repair(Grouping& grouping, const RepairTask& task, Legal legal, Dropped dropped) {
  for (const ActiveEdge& edge : task.edges) {
    const std::uint32_t first = grouping.group(edge.producer);
    const std::uint32_t last = grouping.group(edge.consumer);
    if (first == last) continue;
    if (std::size_t{grouping.length(first)} + grouping.length(last) > task.max_length ||
        grouping.path_through_others(first, last, task.dependences) ||
        !legal(grouping.members_of_both(first, last))) {
      dropped(edge.gene);
    } else {
      grouping.merge(first, last);
    }
  }
}

}  // namespace paretrain::genome
