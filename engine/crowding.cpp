#include "engine/crowding.h"

#include <algorithm>
#include <limits>

namespace paretrain::engine {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Marks an objective that is the same in all rows.
constexpr std::uint32_t kFlat = kNone - 1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// Fills values_ with the objectives over their range, and the links of every objective.
void CrowdingDistance::link(std::span<const double> objectives,
                            std::size_t objective_count,
                            std::span<const std::uint32_t> front) {
  entries_ = front.size();
  objective_count_ = objective_count;
  values_.resize(entries_ * objective_count);
  links_.resize(entries_ * objective_count);
  for (std::size_t objective = 0; objective < objective_count; ++objective) {
    double* const column = values_.data() + objective * entries_;
    for (std::size_t i = 0; i < entries_; ++i)
      column[i] = objectives[front[i] * objective_count + objective];
    link_objective(objective);
  }
}

void CrowdingDistance::link_objective(std::size_t objective) {
  double* const column = values_.data() + objective * entries_;
  Link* const links = links_.data() + objective * entries_;
  const auto [low, high] = std::minmax_element(column, column + entries_);
  const double range = *high - *low;
  if (!(range > 0)) {
    std::fill(links, links + entries_, Link{.previous = kFlat, .next = kFlat});
    return;
  }
  const auto chain = [&](const auto& entry_at) {
    for (std::size_t i = 0; i < entries_; ++i)
      links[entry_at(i)] = {.previous = i == 0 ? kNone : entry_at(i - 1),
                            .next = i + 1 == entries_ ? kNone : entry_at(i + 1)};
  };
  if (objective == 0) {
    chain([](std::size_t i) { return static_cast<std::uint32_t>(i); });
  } else if (objective_count_ == 2) {
    // Along a front of two objectives the second falls as the first rises.
    chain([this](std::size_t i) { return static_cast<std::uint32_t>(entries_ - 1 - i); });
  } else {
    keys_.resize(entries_);
    for (std::size_t i = 0; i < entries_; ++i)
      keys_[i] = order_key(column[i]);
    const std::span<const KeyOrder::Entry> sorted = sorter_.sorted(keys_);
    chain([&](std::size_t i) { return sorted[i].row; });
  }
  // Denormal ranges have no finite reciprocal, and zero times infinity is NaN.
  const double scale = std::min(1 / range, std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < entries_; ++i)
    column[i] *= scale;
}

double CrowdingDistance::distance_of(std::uint32_t entry) const noexcept {
  double sum = 0;
  for (std::size_t objective = 0; objective < objective_count_; ++objective) {
    const double* const column = values_.data() + objective * entries_;
    const Link& links = links_[objective * entries_ + entry];
    if (links.previous == kFlat) continue;
    if (links.previous == kNone || links.next == kNone) return kInfinity;
    sum += column[links.next] - column[links.previous];
  }
  return sum;
}

std::span<const double> CrowdingDistance::measure(std::span<const double> objectives,
                                                  std::size_t objective_count,
                                                  std::span<const std::uint32_t> front) {
  distances_.resize(front.size());
  if (front.empty()) return distances_;
  link(objectives, objective_count, front);
  for (std::size_t i = 0; i < entries_; ++i)
    distances_[i] = entries_ <= 2 ? kInfinity : distance_of(static_cast<std::uint32_t>(i));
  return distances_;
}

bool CrowdingDistance::leaves_first(std::uint32_t a, std::uint32_t b) const noexcept {
  return distances_[a] != distances_[b] ? distances_[a] < distances_[b] : a > b;
}

void CrowdingDistance::sift_down(std::size_t place) {
  const std::uint32_t entry = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && leaves_first(heap_[child + 1], heap_[child])) ++child;
    if (!leaves_first(heap_[child], entry)) break;
    heap_[place] = heap_[child];
    heap_place_[heap_[place]] = static_cast<std::uint32_t>(place);
    place = child;
  }
  heap_[place] = entry;
  heap_place_[entry] = static_cast<std::uint32_t>(place);
}

// Takes an entry out of the links; the gaps of its neighbours only grow.
void CrowdingDistance::remove(std::uint32_t entry) {
  for (std::size_t objective = 0; objective < objective_count_; ++objective) {
    Link* const links = links_.data() + objective * entries_;
    const Link gone = links[entry];
    if (gone.previous == kFlat) continue;
    if (gone.previous != kNone) links[gone.previous].next = gone.next;
    if (gone.next != kNone) links[gone.next].previous = gone.previous;
  }
  for (std::size_t objective = 0; objective < objective_count_; ++objective) {
    const Link gone = links_[objective * entries_ + entry];
    for (const std::uint32_t neighbour : {gone.previous, gone.next}) {
      if (neighbour == kNone || neighbour == kFlat) continue;
      distances_[neighbour] = distance_of(neighbour);
      sift_down(heap_place_[neighbour]);
    }
  }
}

std::span<const std::uint32_t> CrowdingDistance::thin_out(std::size_t wanted) {
  heap_.resize(entries_);
  heap_place_.resize(entries_);
  for (std::size_t i = 0; i < entries_; ++i) {
    heap_[i] = static_cast<std::uint32_t>(i);
    heap_place_[i] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t place = entries_ / 2; place-- > 0;)
    sift_down(place);
  while (heap_.size() > wanted) {
    const std::uint32_t entry = heap_.front();
    heap_place_[entry] = kNone;
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0);
    remove(entry);
  }
  remaining_.clear();
  for (std::size_t entry = 0; entry < entries_; ++entry) {
    if (heap_place_[entry] != kNone) remaining_.push_back(static_cast<std::uint32_t>(entry));
  }
  return remaining_;
}

}  // namespace paretrain::engine
