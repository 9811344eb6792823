#include "evaluator/group/way_search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/shared_loop.h"

namespace paretrain::evaluator {
namespace {

// A sum of energies that is added in another order must not rule out a way that is as good.
constexpr double kSlack = 1e-12;

// More threads would mostly look at ways that the best one rules out.
constexpr std::size_t kMostThreads = 4;

WayRank rank_of(std::int64_t cycles, double energy, Objective objective) {
  const auto latency = static_cast<double>(cycles);
  switch (objective) {
    case Objective::Latency:
      return {latency, energy};
    case Objective::Energy:
      return {energy, latency};
    case Objective::Edp:
      return {latency * energy, energy};
  }
  return {};
}

bool is_hard(const OperatorRun& run) {
  return run.op.op->operator_class == OperatorClass::Matrix;
}

}  // namespace

WaySearch::WaySearch(const ChoiceContext& context, std::size_t ways, const OutlineOf& outline)
    : context_(context), ways_(ways) {
  shared_for(ways, [&](std::size_t place) {
    if (std::optional<GroupOutline> one = outline(place)) add(place, std::move(*one));
  });
}

void WaySearch::add(std::size_t place, GroupOutline outline) {
  Way& way = ways_[place].emplace();
  const ScheduleCost least = least_cost(*context_.chip, outline);
  way.energy = least.energy;
  way.latency = least.latency;
  way.outline = std::move(outline);
  way.bound.tiles = way.outline.tiles * way.outline.inner_tiles;
  way.bound.place = place;
  set_bound(way);
}

void WaySearch::set_bound(Way& way) const {
  const double energy = way.energy.total() * (way.known == Known::AllTiles ? 1 : 1 - kSlack);
  const WayRank rank = rank_of(way.latency, energy, context_.objective);
  way.bound.first = rank.first;
  way.bound.second = rank.second;
}

bool WaySearch::is_later(std::size_t a, std::size_t b) const {
  return ways_[a]->bound > ways_[b]->bound;
}

std::optional<GroupChoice> WaySearch::best() {
  for (std::size_t place = 0; place < ways_.size(); ++place)
    if (ways_[place]) heap_.push_back(place);
  std::ranges::make_heap(heap_, [this](auto a, auto b) { return is_later(a, b); });
  const std::size_t threads = std::min(sharing_threads(), kMostThreads);
  shared_for(threads, [this](std::size_t) { look_at_ways(); });
  ways_.clear();
  return std::move(best_);
}

// Ends when none that nobody looks at can win. Whoever looks at one that still can after a step
// goes on with it.
void WaySearch::look_at_ways() {
  while (Way* const way = taken()) {
    if (way->known == Known::AllTiles) {
      try_out(*way);
    } else if (tighten(*way)) {
      put_back(*way);
    }
  }
}

// The way that promises most.
WaySearch::Way* WaySearch::taken() {
  const std::scoped_lock lock(mutex_);
  if (heap_.empty()) return nullptr;
  Way& way = *ways_[heap_.front()];
  if (best_ && best_rank_ < way.bound) return nullptr;
  std::ranges::pop_heap(heap_, [this](auto a, auto b) { return is_later(a, b); });
  heap_.pop_back();
  return &way;
}

void WaySearch::put_back(const Way& way) {
  const std::scoped_lock lock(mutex_);
  heap_.push_back(way.bound.place);
  std::ranges::push_heap(heap_, [this](auto a, auto b) { return is_later(a, b); });
}

// One step; false when a tile has no mapping.
bool WaySearch::tighten(Way& way) {
  switch (way.known) {
    case Known::BusiestResource:
      way.known = Known::Dependencies;
      way.retimed = true;
      break;
    case Known::Dependencies:
      way.known = Known::EasyTiles;
      if (!map_easy_tiles(way)) return false;
      break;
    case Known::EasyTiles:
      if (!map_hard_tile(way)) return false;
      break;
    case Known::AllTiles:
      return true;
  }
  if (way.retimed) {
    const std::int64_t limit = latency_limit(way.energy.total() * (1 - kSlack));
    way.latency = std::max(way.latency, least_latency(*context_.chip, way.outline, limit));
  }
  way.retimed = false;
  set_bound(way);
  return true;
}

void WaySearch::set_cycles(Way& way,
                           const OperatorRun& run,
                           std::span<const std::int64_t> cycles) const {
  Stage& stage = way.outline.stages[run.stage];
  const std::vector<StageUse> before = stage.uses;
  set_operator_cycles(*context_.chip, stage, run, cycles);
  way.retimed = way.retimed || stage.uses != before;
}

// Bounds of what moves or adds are far off and mappings of it quickly found.
bool WaySearch::map_easy_tiles(Way& way) const {
  for (const OperatorRun& run : way.outline.runs) {
    if (is_hard(run)) continue;
    std::vector<std::int64_t> cycles(run.variants.size());
    for (std::size_t v = 0; v < cycles.size(); ++v)
      if (!find_tile(*context_.costs, run, v, cycles, way.energy)) return false;
    set_cycles(way, run, cycles);
  }
  return true;
}

bool WaySearch::map_hard_tile(Way& way) const {
  const std::vector<OperatorRun>& runs = way.outline.runs;
  while (way.run < runs.size() &&
         (!is_hard(runs[way.run]) || way.variant == runs[way.run].variants.size())) {
    ++way.run;
    way.variant = 0;
  }
  if (way.run == runs.size()) {
    const auto energy = energy_of_tiles(*context_.costs, way.outline);
    if (!energy) return false;
    way.energy = *energy;
    way.known = Known::AllTiles;
    return true;
  }
  const OperatorRun& run = runs[way.run];
  if (way.variant == 0) way.cycles = least_cycles(*context_.costs, run);
  if (!find_tile(*context_.costs, run, way.variant++, way.cycles, way.energy)) return false;
  set_cycles(way, run, way.cycles);
  return true;
}

void WaySearch::try_out(Way& way) {
  const auto cost = costed(*context_.chip, *context_.costs, way.outline, [this](double energy) {
    return latency_limit(energy);
  });
  if (!cost) return;
  WayRank rank = rank_of(cost->latency, cost->energy.total(), context_.objective);
  rank.tiles = way.bound.tiles;
  rank.place = way.bound.place;
  const std::scoped_lock lock(mutex_);
  if (best_ && !(rank < best_rank_)) return;
  best_ = GroupChoice{std::move(way.outline), *cost};
  best_rank_ = rank;
}

// A way of that energy or more that takes longer is worse than the best.
std::int64_t WaySearch::latency_limit(double energy) {
  const std::scoped_lock lock(mutex_);
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  if (!best_) return kNone;
  switch (context_.objective) {
    case Objective::Latency:
      return best_->cost.latency;
    case Objective::Energy:
      return energy < best_rank_.first ? kNone : best_->cost.latency;
    case Objective::Edp: {
      const double most = best_rank_.first / energy * (1 + kSlack) + 1;
      return most < 9e18 ? static_cast<std::int64_t>(most) : kNone;
    }
  }
  return kNone;
}

}  // namespace paretrain::evaluator
