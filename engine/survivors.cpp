#include "engine/survivors.h"

#include <algorithm>
#include <numeric>

namespace paretrain::engine {

void SurvivorSelection::separate(const Individuals& all) {
  feasible_.clear();
  infeasible_.clear();
  for (std::size_t row = 0; row < all.size(); ++row) {
    auto& side = all.violations[row] > 0 ? infeasible_ : feasible_;
    side.push_back(static_cast<std::uint32_t>(row));
  }
  objective_count_ = all.objective_count;
  objectives_ = all.objectives;
  if (infeasible_.empty()) return;
  compact_.clear();
  for (const std::uint32_t row : feasible_) {
    const std::span<const double> values = all.objectives_of(row);
    compact_.insert(compact_.end(), values.begin(), values.end());
  }
  objectives_ = compact_;
}

void SurvivorSelection::gather_fronts(const Individuals& all) {
  separate(all);
  const std::span<const std::uint32_t> ranks = ranks_.ranks(objectives_, objective_count_);
  front_begins_.assign(ranks_.fronts() + 1, 0);
  for (const std::uint32_t rank : ranks)
    ++front_begins_[rank];
  std::exclusive_scan(front_begins_.begin(), front_begins_.end(), front_begins_.begin(), 0U);
  by_front_.resize(ranks.size());
  for (const std::uint32_t entry : ranks_.order())
    by_front_[front_begins_[ranks[entry]]++] = entry;
  // Filling moved every begin to the next one.
  std::shift_right(front_begins_.begin(), front_begins_.end(), 1);
  front_begins_.front() = 0;
  best_.clear();
  for (std::size_t i = 0; i < by_front_.size() && ranks[by_front_[i]] == 0; ++i)
    best_.push_back(feasible_[by_front_[i]]);
}

void SurvivorSelection::take(std::uint32_t entry, std::uint32_t rank, double crowding) {
  list_.rows.push_back(feasible_[entry]);
  list_.ranks.push_back(rank);
  list_.crowding.push_back(crowding);
}

void SurvivorSelection::split_front(std::size_t front, TieRule ties) {
  firsts_.clear();
  copies_.clear();
  const std::span<const std::uint32_t> copies = ranks_.copies();
  const std::size_t end = front_begins_[front + 1];
  for (std::size_t i = front_begins_[front]; i < end; ++i) {
    const std::uint32_t entry = by_front_[i];
    const bool is_newest = i + 1 == end || copies[by_front_[i + 1]] == 0;
    if (ties == TieRule::CopiesCompete || is_newest) {
      firsts_.push_back(entry);
    } else {
      // The first of its kind is the next one to be found; its room is known after measuring.
      copies_.push_back(
          {.row = entry, .number = copies[entry], .room = static_cast<double>(firsts_.size())});
    }
  }
  crowding_.measure(objectives_, objective_count_, firsts_);
  for (Copy& copy : copies_)
    copy.room = crowding_.distance(static_cast<std::size_t>(copy.room));
}

void SurvivorSelection::take_firsts(std::size_t front, Crowding crowding) {
  const auto rank = static_cast<std::uint32_t>(front);
  chosen_.resize(firsts_.size());
  std::iota(chosen_.begin(), chosen_.end(), 0U);
  if (firsts_.size() > places()) {
    if (crowding == Crowding::Updated) {
      const std::span<const std::uint32_t> remaining = crowding_.thin_out(places());
      chosen_.assign(remaining.begin(), remaining.end());
    } else {
      std::stable_sort(chosen_.begin(), chosen_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return crowding_.distance(a) > crowding_.distance(b);
      });
      chosen_.resize(places());
    }
  }
  for (const std::uint32_t entry : chosen_)
    take(firsts_[entry], rank, crowding_.distance(entry));
}

void SurvivorSelection::take_copies(std::size_t rank) {
  const auto comes_before = [](const Copy& a, const Copy& b) {
    if (a.number != b.number) return a.number < b.number;
    return a.room != b.room ? a.room > b.room : a.row < b.row;
  };
  const std::size_t count = std::min(copies_.size(), places());
  if (count < copies_.size()) {
    const auto end = copies_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(copies_.begin(), end, copies_.end(), comes_before);
    std::sort(copies_.begin(), end, comes_before);
  }
  for (std::size_t i = 0; i < count; ++i)
    take(copies_[i].row, static_cast<std::uint32_t>(rank), 0);
}

void SurvivorSelection::take_front(std::size_t front, TieRule ties, Crowding crowding) {
  split_front(front, ties);
  take_firsts(front, crowding);
  if (ties == TieRule::CopiesLast) take_copies(front);
}

void SurvivorSelection::take_infeasible() {
  std::sort(infeasible_.begin(), infeasible_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = violations_[a];
    const double y = violations_[b];
    return x != y ? x < y : a < b;
  });
  auto rank = static_cast<std::uint32_t>(2 * ranks_.fronts());
  for (std::size_t i = 0; i < infeasible_.size() && places() > 0; ++i) {
    const std::uint32_t row = infeasible_[i];
    if (i > 0 && violations_[row] != violations_[infeasible_[i - 1]]) ++rank;
    list_.rows.push_back(row);
    list_.ranks.push_back(rank);
    list_.crowding.push_back(0);
  }
}

void SurvivorSelection::rank(const Individuals& all) {
  gather_fronts(all);
  violations_ = all.violations;
}

const SurvivorList& SurvivorSelection::choose(std::size_t wanted, const SelectionOptions& options) {
  list_.rows.clear();
  list_.ranks.clear();
  list_.crowding.clear();
  wanted_ = wanted;
  const std::size_t fronts = ranks_.fronts();
  for (std::size_t front = 0; front < fronts && places() > 0; ++front)
    take_front(front, options.ties, options.crowding);
  if (options.ties == TieRule::CopiesWorse) {
    for (std::size_t front = 0; front < fronts && places() > 0; ++front) {
      split_front(front, options.ties);
      take_copies(fronts + front);
    }
  }
  if (places() > 0) take_infeasible();
  return list_;
}

const SurvivorList& SurvivorSelection::select(const Individuals& all,
                                              std::size_t wanted,
                                              const SelectionOptions& options) {
  rank(all);
  return choose(wanted, options);
}

}  // namespace paretrain::engine
