#include "problems/segment_plans.h"

#include <algorithm>
#include <cstddef>

namespace paretrain::problems {

namespace {

constexpr std::size_t kLabels = 12;

// A way to keep things up to a place; place 0 is the start, place i + 1 candidate i.
struct Label {
  std::int64_t kept = 0;
  double cost = 0;
  std::uint32_t from_place = 0;
  std::uint32_t from_label = 0;
};

// Fewest bytes first; what costs no less than one with fewer bytes goes, then all but kLabels.
void thin(std::vector<Label>& labels) {
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
    if (a.kept != b.kept) return a.kept < b.kept;
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.from_place != b.from_place) return a.from_place < b.from_place;
    return a.from_label < b.from_label;
  });
  std::size_t count = 0;
  for (const Label& label : labels) {
    if (count == 0 || label.cost < labels[count - 1].cost) labels[count++] = label;
  }
  const std::size_t few = std::min(count, kLabels);
  for (std::size_t i = 1; i < few; ++i)
    labels[i] = labels[i * (count - 1) / (few - 1)];
  labels.resize(few);
}

class Programme {
 public:
  Programme(std::span<const SegmentCandidate> candidates, std::int64_t budget)
      : candidates_(candidates), budget_(budget), labels_(candidates.size() + 2) {
    labels_[0].push_back({});
    for (std::size_t place = 1; place < labels_.size(); ++place)
      reach(place);
  }

  [[nodiscard]] bool is_feasible() const { return !labels_.back().empty(); }

  [[nodiscard]] std::vector<bool> kept() const {
    std::vector<bool> result(candidates_.size(), false);
    Label label = labels_.back().back();
    while (label.from_place != 0) {
      result[label.from_place - 1] = true;
      label = labels_[label.from_place][label.from_label];
    }
    return result;
  }

 private:
  void reach(std::size_t place) {
    const bool is_end = place == candidates_.size() + 1;
    const std::int64_t own = is_end ? 0 : candidates_[place - 1].kept_bytes;
    std::int64_t segment = 0;
    std::int64_t brief = 0;  // the largest one that is gone again at once
    double cost = 0;
    std::vector<Label>& here = labels_[place];
    for (std::size_t from = place; from-- > 0 && segment + brief <= budget_;) {
      for (std::uint32_t l = 0; l < labels_[from].size(); ++l) {
        const Label& label = labels_[from][l];
        if (label.kept > budget_ - segment - brief || label.kept > budget_ - own) break;
        here.push_back({label.kept + own, label.cost + cost, static_cast<std::uint32_t>(from), l});
      }
      if (from == 0) break;
      const SegmentCandidate& candidate = candidates_[from - 1];
      segment += candidate.recomputed_bytes;
      brief = std::max(brief, candidate.kept_bytes - candidate.recomputed_bytes);
      cost += candidate.cost;
    }
    thin(here);
  }

  std::span<const SegmentCandidate> candidates_;
  std::int64_t budget_;
  std::vector<std::vector<Label>> labels_;  // per place
};

}  // namespace

std::vector<bool> cheapest_segments(std::span<const SegmentCandidate> candidates,
                                    std::int64_t budget_bytes) {
  const Programme programme(candidates, budget_bytes);
  return programme.is_feasible() ? programme.kept() : std::vector<bool>();
}

std::int64_t smallest_segment_budget(std::span<const SegmentCandidate> candidates) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (const SegmentCandidate& candidate : candidates)
    high += candidate.kept_bytes;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (Programme(candidates, middle).is_feasible()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace paretrain::problems
