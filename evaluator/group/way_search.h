// Why: of hundreds of ways to run a group one is the best, and most can be ruled out by numbers
// that cost little. This asks for the dear ones (mappings of tiles, pipelines) only of the way that
// promises most at the time. Source: docs/group-cost.md, choices.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/group/group_choice.h"
#include "evaluator/group/schedule.h"

namespace paretrain::evaluator {

// What is minimised, then what decides between equals, then the order of enumeration.
struct WayRank {
  double first = 0;
  double second = 0;
  std::int64_t tiles = 0;
  std::size_t place = 0;
  friend auto operator<=>(const WayRank&, const WayRank&) = default;
};

// The outline of a way by its place in the order of enumeration; empty when it does not fit.
// Requires: calls from several threads are safe.
using OutlineOf = std::function<std::optional<GroupOutline>(std::size_t place)>;

// Shared with threads that have nothing to do (base/shared_loop.h). The answer does not depend on
// how, by whom and in which order ways are ruled out: that only happens to ways whose bound is
// worse than the rank of one that is known, and no two ranks are equal.
class WaySearch {
 public:
  // Requires: `context` outlives the search.
  WaySearch(const ChoiceContext& context, std::size_t ways, const OutlineOf& outline);

  // Empty when no way has mappings for all its tiles. Takes the ways away.
  [[nodiscard]] std::optional<GroupChoice> best();

 private:
  // Bounds get tighter in this order.
  enum class Known { BusiestResource, Dependencies, EasyTiles, AllTiles };

  struct Way {
    GroupOutline outline;
    EnergyBreakdown energy;  // at least; exact once all tiles are known
    std::int64_t latency = 0;
    WayRank bound;
    Known known = Known::BusiestResource;
    bool retimed = false;              // stages take another time than when latency was set
    std::vector<std::int64_t> cycles;  // at least, of the tiles of `run`
    std::size_t run = 0;               // up to here all tiles that are hard to map are known
    std::size_t variant = 0;           // and so many of this one's
  };

  void add(std::size_t place, GroupOutline outline);
  void look_at_ways();
  [[nodiscard]] Way* taken();
  void put_back(const Way& way);
  [[nodiscard]] bool is_later(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool tighten(Way& way);
  [[nodiscard]] bool map_easy_tiles(Way& way) const;
  [[nodiscard]] bool map_hard_tile(Way& way) const;
  void set_cycles(Way& way, const OperatorRun& run, std::span<const std::int64_t> cycles) const;
  void set_bound(Way& way) const;
  void try_out(Way& way);
  [[nodiscard]] std::int64_t latency_limit(double energy);

  const ChoiceContext& context_;
  std::vector<std::optional<Way>> ways_;  // by place
  std::mutex mutex_;                      // of what follows
  std::vector<std::size_t> heap_;         // places of ways that nobody looks at, least bound first
  std::optional<GroupChoice> best_;
  WayRank best_rank_;
};

}  // namespace paretrain::evaluator
