#include "results/front_comparison.h"

#include <algorithm>

#include "base/check.h"
#include "engine/hypervolume.h"

namespace paretrain::results {

namespace {

constexpr std::size_t kMemory = 2;

bool is_no_worse(const ObjectivePoint& a, const ObjectivePoint& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] > b[k]) return false;
  return true;
}

void keep_least(std::optional<double>& least, double value) {
  least = least ? std::min(*least, value) : value;
}

}  // namespace

ObjectivePoint common_reference(std::span<const ObjectiveSet> fronts) {
  ObjectivePoint reference{};
  for (const ObjectiveSet& front : fronts)
    for (const ObjectivePoint& point : front)
      for (std::size_t k = 0; k < point.size(); ++k)
        reference[k] = std::max(reference[k], point[k]);
  for (double& value : reference)
    value += 1;
  return reference;
}

double hypervolume_share(const ObjectiveSet& front, const ObjectivePoint& reference) {
  std::vector<double> rows;
  for (const ObjectivePoint& point : front)
    rows.insert(rows.end(), point.begin(), point.end());
  double unit = 1;
  for (const double value : reference)
    unit *= value;
  CHECK(unit > 0, "a reference point has positive coordinates");
  return engine::Hypervolume().volume(rows, reference) / unit;
}

double coverage(const ObjectiveSet& covering, const ObjectiveSet& covered) {
  if (covered.empty()) return 1;
  const auto count = std::ranges::count_if(covered, [&](const ObjectivePoint& point) {
    return std::ranges::any_of(
        covering, [&](const ObjectivePoint& other) { return is_no_worse(other, point); });
  });
  return static_cast<double>(count) / static_cast<double>(covered.size());
}

BestWithin best_within(const ObjectiveSet& front, double memory_bytes) {
  BestWithin best;
  for (const ObjectivePoint& point : front) {
    if (point[kMemory] > memory_bytes) continue;
    keep_least(best.latency, point[0]);
    keep_least(best.energy, point[1]);
  }
  return best;
}

std::vector<double> memory_levels(std::span<const ObjectiveSet> fronts, std::size_t count) {
  std::vector<double> peaks;
  double least = 0;  // every front has a plan within this
  for (const ObjectiveSet& front : fronts) {
    if (front.empty()) continue;
    double smallest = front.front()[kMemory];
    for (const ObjectivePoint& point : front) {
      smallest = std::min(smallest, point[kMemory]);
      peaks.push_back(point[kMemory]);
    }
    least = std::max(least, smallest);
  }
  std::erase_if(peaks, [&](double peak) { return peak < least; });
  std::ranges::sort(peaks);
  peaks.erase(std::unique(peaks.begin(), peaks.end()), peaks.end());
  if (peaks.size() <= count || count < 2) return peaks;
  std::vector<double> levels;
  for (std::size_t i = 0; i < count; ++i)
    levels.push_back(peaks[i * (peaks.size() - 1) / (count - 1)]);
  return levels;
}

}  // namespace paretrain::results
