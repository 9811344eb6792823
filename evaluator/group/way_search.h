// Why: of hundreds of ways to run a group one is the best, and most can be ruled out by numbers
// that cost little. This asks for the dear ones (mappings of tiles, pipelines) only of the way that
// promises most at the time. Source: docs/group-cost.md, choices.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// The answer does not depend on how ways are ruled out: that only happens to ways whose bound is
// worse than the rank of one that is known.
class WaySearch {
 public:
  explicit WaySearch(const ChoiceContext& context) : context_(context) {}

  void add(GroupOutline outline);

  // Empty when no way has mappings for all its tiles. Takes the ways away.
  [[nodiscard]] std::optional<GroupChoice> best();

 private:
  // Bounds get tighter in this order.
  enum class Known { BusiestResource, Dependencies, EasyTiles, AllTiles };

  struct Way {
    GroupOutline outline;
    EnergyBreakdown energy;  // at least
    std::int64_t latency = 0;
    WayRank bound;
    Known known = Known::BusiestResource;
    std::vector<std::int64_t> cycles;  // at least, of the tiles of `run`
    std::size_t run = 0;               // up to here all tiles that are hard to map are known
    std::size_t variant = 0;           // and so many of this one's
  };

  [[nodiscard]] bool tighten(Way& way) const;
  [[nodiscard]] bool map_easy_tiles(Way& way) const;
  [[nodiscard]] bool map_hard_tile(Way& way) const;
  void set_bound(Way& way) const;
  void try_out(Way& way);
  [[nodiscard]] std::int64_t latency_limit(double energy) const;

  const ChoiceContext& context_;
  std::vector<Way> ways_;
  std::optional<GroupChoice> best_;
  WayRank best_rank_;
};

}  // namespace paretrain::evaluator
