// Why: transfers follow the shortest way over links, and a chip of thousands of cores has too many
// pairs of them to list: paths are found from one core at a time, when it is first asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "evaluator/core_cost/core_cost.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// The end of a path between two cores.
struct LastHop {
  CoreId from;
  std::uint32_t link = 0;  // of the accelerator
  std::uint32_t hops = 0;  // of the whole path
};

// Answers depend on the arguments only; calls from several threads at a time are safe. Memory: 16
// bytes per core for each core that paths were asked from.
class LinkPaths {
 public:
  LinkPaths(const Accelerator& accelerator, CostModel model);

  // By core: the last hop of the shortest path to it, breadth first in order of core ids, so that
  // ties go to the smaller one; empty for `from` itself and for what links do not reach. Cost of
  // the first call for a core: O(E log E) in the ends of links.
  [[nodiscard]] std::span<const std::optional<LastHop>> last_hops(CoreId from) const;

  // Whether links lead from one core to the other. Cost: O(1).
  [[nodiscard]] bool are_joined(CoreId a, CoreId b) const {
    return component_[a.index()] == component_[b.index()];
  }

 private:
  struct Neighbour {
    CoreId core;
    std::uint32_t link = 0;
  };

  struct Row {
    std::once_flag once;
    std::vector<std::optional<LastHop>> hops;
  };

  void mark_components();
  [[nodiscard]] std::vector<Neighbour> neighbours(CoreId from,
                                                  std::vector<bool>& bus_is_done) const;
  [[nodiscard]] std::vector<std::optional<LastHop>> searched(CoreId from) const;

  std::vector<Link> links_;
  CostModel model_;
  std::vector<std::vector<std::uint32_t>> links_of_core_;
  std::vector<std::size_t> component_;
  mutable std::vector<Row> rows_;
};

}  // namespace paretrain::evaluator
