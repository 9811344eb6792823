#include "problems/segment_plans.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace paretrain::problems {

namespace {

// Budgets are this part of themselves apart, and so many mixtures are tried for each, up to how
// many places.
struct Grid {
  std::size_t places = 0;
  std::int64_t part = 0;
  std::size_t mixtures = 0;  // besides latency alone and energy alone
};

constexpr std::array kGrids = {Grid{.places = 80, .part = 32, .mixtures = 15},
                               Grid{.places = 160, .part = 32, .mixtures = 7},
                               Grid{.places = 300, .part = 16, .mixtures = 3},
                               Grid{.places = ~std::size_t{0}, .part = 12, .mixtures = 1}};

// A way to keep things up to a place.
struct Label {
  std::int64_t kept = 0;
  double cost = 0;
  std::uint32_t from_place = 0;
  std::uint32_t from_label = 0;
};

bool is_better(const Label& a, const Label& b) {
  return a.cost != b.cost ? a.cost < b.cost : a.kept < b.kept;
}

// The ways to one place that are followed.
class Ways {
 public:
  explicit Ways(std::int64_t budget) : per_byte_(kSlices / (static_cast<double>(budget) + 1)) {}

  void add(const Label& label) {
    const double slice = static_cast<double>(label.kept) * per_byte_;
    std::optional<Label>& cheapest =
        slices_[std::min(static_cast<std::size_t>(slice), kSlices - 1)];
    if (!cheapest || is_better(label, *cheapest)) cheapest = label;
    const bool fewer = !fewest_ || label.kept < fewest_->kept;
    if (fewer || (label.kept == fewest_->kept && label.cost < fewest_->cost)) fewest_ = label;
  }

  // Ascending bytes, falling costs.
  [[nodiscard]] std::vector<Label> followed() const {
    std::vector<Label> labels;
    if (fewest_) labels.push_back(*fewest_);
    for (const std::optional<Label>& label : slices_) {
      if (label && label->cost < labels.back().cost) labels.push_back(*label);
    }
    return labels;
  }

 private:
  double per_byte_;
  std::optional<Label> fewest_;
  std::array<std::optional<Label>, kSlices> slices_ = {};
};

using LabelsByPlace = std::vector<std::vector<Label>>;

std::vector<Label> ways_to(const SegmentTable& table,
                           const SegmentWeights& weights,
                           std::int64_t budget,
                           const LabelsByPlace& labels,
                           std::size_t place) {
  Ways ways(budget);
  for (std::size_t from = 0; from < place; ++from) {
    const Segment& segment = table.at(from, place);
    const double cost = weights.latency * segment.latency + weights.energy * segment.energy;
    for (std::size_t l = 0; l < labels[from].size(); ++l) {
      const Label& label = labels[from][l];
      if (label.kept > budget - segment.local_bytes) break;
      ways.add({.kept = label.kept + segment.kept_bytes,
                .cost = label.cost + cost,
                .from_place = static_cast<std::uint32_t>(from),
                .from_label = static_cast<std::uint32_t>(l)});
    }
  }
  return ways.followed();
}

bool is_feasible(const SegmentTable& table, std::int64_t budget) {
  std::vector<std::optional<std::int64_t>> fewest(table.places());  // kept bytes
  fewest[0] = 0;
  for (std::size_t place = 1; place < table.places(); ++place) {
    for (std::size_t from = 0; from < place; ++from) {
      const Segment& segment = table.at(from, place);
      if (!fewest[from] || *fewest[from] > budget - segment.local_bytes) continue;
      const std::int64_t kept = *fewest[from] + segment.kept_bytes;
      if (!fewest[place] || kept < *fewest[place]) fewest[place] = kept;
    }
  }
  return fewest.back().has_value();
}

// What keeping everything takes.
std::int64_t largest_budget(const SegmentTable& table) {
  std::int64_t kept = 0;
  std::int64_t most = 0;
  for (std::size_t place = 0; place + 1 < table.places(); ++place) {
    most = std::max(most, kept + table.at(place, place + 1).local_bytes);
    kept += table.at(place, place + 1).kept_bytes;
  }
  return most;
}

bool dominates(const SegmentPlan& a, const SegmentPlan& b) {
  return a.latency <= b.latency && a.energy <= b.energy && a.budget_bytes <= b.budget_bytes;
}

// From latency alone to energy alone, each as a share of what recomputing everything costs.
std::vector<SegmentWeights> mixtures(const SegmentTable& table, std::size_t between) {
  const Segment& all = table.at(0, table.places() - 1);
  std::vector<SegmentWeights> result;
  for (std::size_t i = 0; i < between + 2; ++i) {
    const double energy = static_cast<double>(i) / static_cast<double>(between + 1);
    result.push_back(
        {.latency = (1 - energy) / (1 + all.latency), .energy = energy / (1 + all.energy)});
  }
  return result;
}

}  // namespace

std::optional<SegmentPlan> cheapest_segments(const SegmentTable& table,
                                             const SegmentWeights& weights,
                                             std::int64_t budget_bytes) {
  LabelsByPlace labels(table.places());
  labels[0].push_back({});
  for (std::size_t place = 1; place < table.places(); ++place)
    labels[place] = ways_to(table, weights, budget_bytes, labels, place);
  if (labels.back().empty()) return std::nullopt;
  SegmentPlan plan{.kept = std::vector<bool>(table.places() - 2, false),
                   .latency = 0,
                   .energy = 0,
                   .budget_bytes = budget_bytes};
  std::size_t place = table.places() - 1;
  Label label = labels.back().back();
  while (place != 0) {
    const Segment& segment = table.at(label.from_place, place);
    plan.latency += segment.latency;
    plan.energy += segment.energy;
    place = label.from_place;
    if (place != 0) plan.kept[place - 1] = true;
    label = labels[place][label.from_label];
  }
  return plan;
}

std::int64_t smallest_segment_budget(const SegmentTable& table) {
  std::int64_t low = 0;
  std::int64_t high = largest_budget(table);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (is_feasible(table, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::vector<SegmentPlan> segment_plans(const SegmentTable& table) {
  const Grid& grid = *std::find_if(kGrids.begin(), kGrids.end(), [&](const Grid& candidate) {
    return table.places() <= candidate.places;
  });
  const std::vector<SegmentWeights> weights = mixtures(table, grid.mixtures);
  const std::int64_t largest = largest_budget(table);
  std::vector<SegmentPlan> plans;
  std::set<std::vector<bool>> seen;
  // With smaller budgets first, a plan is seen at the smallest budget of the grid that admits it.
  for (std::int64_t budget = smallest_segment_budget(table); budget <= largest;
       budget += budget / grid.part + 1) {
    for (const SegmentWeights& weight : weights) {
      std::optional<SegmentPlan> plan = cheapest_segments(table, weight, budget);
      if (!plan || !seen.insert(plan->kept).second) continue;
      const bool beaten = std::any_of(plans.begin(), plans.end(), [&](const SegmentPlan& other) {
        return dominates(other, *plan);
      });
      if (!beaten) plans.push_back(std::move(*plan));
    }
  }
  return plans;
}

}  // namespace paretrain::problems
