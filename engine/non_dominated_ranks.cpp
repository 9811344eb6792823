#include "engine/non_dominated_ranks.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/row_keys.h"

namespace paretrain::engine {

namespace {

constexpr std::size_t kBlock = 32;

// The first of 0 .. count-1 for which `holds` is false, or `count`. Requires: it holds for a
// prefix.
template <class Holds>
std::size_t prefix_length(std::size_t count, const Holds& holds) {
  std::size_t low = 0;
  std::size_t high = count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Whether any member of the block is at most `point` in every column.
template <class Small>
bool block_dominates(const Small* block, std::span<const Small> point) {
  Small mask[kBlock];
  for (std::size_t i = 0; i < kBlock; ++i)
    mask[i] = static_cast<Small>(-static_cast<Small>(block[i] <= point[0]));
  for (std::size_t column = 1; column < point.size(); ++column) {
    const Small* const values = block + column * kBlock;
    const Small limit = point[column];
    for (std::size_t i = 0; i < kBlock; ++i)
      mask[i] = static_cast<Small>(mask[i] & -static_cast<Small>(values[i] <= limit));
  }
  Small any = 0;
  for (std::size_t i = 0; i < kBlock; ++i)
    any = static_cast<Small>(any | mask[i]);
  return any != 0;
}

// The newest members first: they are the closest in the first objective.
template <class Small>
bool front_dominates(const std::vector<Small>& blocks, std::span<const Small> point) {
  const std::size_t width = kBlock * point.size();
  for (std::size_t end = blocks.size(); end > 0; end -= width) {
    if (block_dominates(blocks.data() + (end - width), point)) return true;
  }
  return false;
}

template <class Small>
void add_member(std::vector<Small>& blocks, std::size_t size, std::span<const Small> point) {
  const std::size_t width = kBlock * point.size();
  const std::size_t place = size % kBlock;
  if (place == 0) blocks.resize(blocks.size() + width, std::numeric_limits<Small>::max());
  Small* const block = blocks.data() + (blocks.size() - width);
  for (std::size_t column = 0; column < point.size(); ++column)
    block[column * kBlock + place] = point[column];
}

using Step = NonDominatedRanks::Step;

// How many steps have an f2 of at most `second`.
std::size_t steps_up_to(const std::vector<Step>& stairs, double second) {
  return prefix_length(stairs.size(), [&](std::size_t i) { return stairs[i].second <= second; });
}

// Replaces the steps that the new one makes useless. Requires: no step dominates it; `first` steps
// have an f2 of at most its own.
void add_step(std::vector<Step>& stairs, std::size_t first, const Step& step) {
  // A step with the same f2 has a larger f3.
  if (first > 0 && stairs[first - 1].second == step.second) --first;
  std::size_t last = first;
  while (last < stairs.size() && stairs[last].third >= step.third)
    ++last;
  const auto place = stairs.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == last) {
    stairs.insert(place, step);
  } else {
    *place = step;
    stairs.erase(place + 1, stairs.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

}  // namespace

void NonDominatedRanks::sort_lexicographically(std::span<const double> objectives,
                                               std::size_t objective_count) {
  const std::size_t rows = objectives.size() / objective_count;
  order_.resize(rows);
  const bool is_packed = pack_rows(objectives, objective_count, keys_);
  if (!is_packed) {
    keys_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
      keys_[row] = order_key(objectives[row * objective_count]);
  }
  const std::span<const KeyOrder::Entry> sorted = sorter_.sorted(keys_);
  for (std::size_t i = 0; i < rows; ++i)
    order_[i] = sorted[i].row;
  if (is_packed) {
    count_packed_copies(sorted);
  } else {
    sort_ties(objectives, objective_count);
    count_copies(objectives, objective_count);
  }
}

void NonDominatedRanks::sort_ties(std::span<const double> objectives, std::size_t objective_count) {
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    for (std::size_t i = 1; i < objective_count; ++i) {
      const double x = objectives[a * objective_count + i];
      const double y = objectives[b * objective_count + i];
      if (x != y) return x < y;
    }
    return a < b;
  };
  const std::size_t rows = order_.size();
  for (std::size_t begin = 0; begin < rows;) {
    const std::uint64_t key = keys_[order_[begin]];
    std::size_t end = begin + 1;
    while (end < rows && keys_[order_[end]] == key)
      ++end;
    if (end - begin > 1) {
      std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                order_.begin() + static_cast<std::ptrdiff_t>(end),
                comes_before);
    }
    begin = end;
  }
}

// Rows with equal keys are equal.
void NonDominatedRanks::count_packed_copies(std::span<const KeyOrder::Entry> sorted) {
  copies_.resize(sorted.size());
  std::uint32_t copies = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    copies = i > 0 && sorted[i].key == sorted[i - 1].key ? copies + 1 : 0;
    copies_[sorted[i].row] = copies;
  }
}

void NonDominatedRanks::count_copies(std::span<const double> objectives,
                                     std::size_t objective_count) {
  copies_.assign(order_.size(), 0);
  for (std::size_t i = 1; i < order_.size(); ++i) {
    if (keys_[order_[i]] != keys_[order_[i - 1]]) continue;
    const double* const a = objectives.data() + order_[i - 1] * objective_count;
    const double* const b = objectives.data() + order_[i] * objective_count;
    if (std::equal(a, a + objective_count, b)) copies_[order_[i]] = copies_[order_[i - 1]] + 1;
  }
}

void NonDominatedRanks::rank_one() {
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i > 0 && copies_[order_[i]] == 0) ++rank;
    ranks_[order_[i]] = rank;
  }
  fronts_ = order_.empty() ? 0 : rank + 1;
}

void NonDominatedRanks::rank_two(std::span<const double> objectives) {
  smallest_second_.clear();
  std::uint32_t rank = 0;
  for (const std::uint32_t row : order_) {
    if (copies_[row] == 0) {
      const double second = objectives[2 * row + 1];
      rank = static_cast<std::uint32_t>(prefix_length(
          smallest_second_.size(), [&](std::size_t k) { return smallest_second_[k] <= second; }));
      if (rank == smallest_second_.size()) {
        smallest_second_.push_back(second);
      } else {
        smallest_second_[rank] = second;
      }
    }
    ranks_[row] = rank;
  }
  fronts_ = smallest_second_.size();
}

void NonDominatedRanks::rank_three(std::span<const double> objectives) {
  fronts_ = 0;
  std::uint32_t rank = 0;
  for (const std::uint32_t row : order_) {
    if (copies_[row] == 0) {
      const Step step{.second = objectives[3 * row + 1], .third = objectives[3 * row + 2]};
      std::size_t place = 0;  // in the front that does not dominate it and was looked at last
      rank = static_cast<std::uint32_t>(prefix_length(fronts_, [&](std::size_t k) {
        const std::vector<Step>& stairs = staircases_[k];
        const std::size_t before = steps_up_to(stairs, step.second);
        const bool is_dominated = before > 0 && stairs[before - 1].third <= step.third;
        if (!is_dominated) place = before;
        return is_dominated;
      }));
      if (rank == fronts_) {
        if (staircases_.size() == fronts_) staircases_.emplace_back();
        staircases_[fronts_++].clear();
        place = 0;
      }
      add_step(staircases_[rank], place, step);
    }
    ranks_[row] = rank;
  }
}

// Dense ranks of one objective: equal values share a number.
void NonDominatedRanks::dense_column(std::span<const double> objectives,
                                     std::size_t objective_count,
                                     std::size_t objective) {
  const std::size_t rows = order_.size();
  for (std::size_t row = 0; row < rows; ++row)
    keys_[row] = order_key(objectives[row * objective_count + objective]);
  dense_.resize(rows);
  std::uint32_t rank = 0;
  std::uint64_t previous = 0;
  for (const KeyOrder::Entry& entry : sorter_.sorted(keys_)) {
    if (entry.key != previous) ++rank;
    previous = entry.key;
    dense_[entry.row] = rank;
  }
}

template <class Small>
void NonDominatedRanks::rank_packed(std::span<const Small> dense, std::size_t columns) {
  const auto blocks = [&](std::size_t front) -> std::vector<Small>& {
    if constexpr (sizeof(Small) == sizeof(std::int16_t)) {
      return packed_[front].narrow;
    } else {
      return packed_[front].wide;
    }
  };
  fronts_ = 0;
  std::uint32_t rank = 0;
  for (const std::uint32_t row : order_) {
    if (copies_[row] == 0) {
      const std::span<const Small> point = dense.subspan(row * columns, columns);
      rank = static_cast<std::uint32_t>(
          prefix_length(fronts_, [&](std::size_t k) { return front_dominates(blocks(k), point); }));
      if (rank == fronts_) {
        if (packed_.size() == fronts_) packed_.emplace_back();
        blocks(fronts_).clear();
        packed_[fronts_++].size = 0;
      }
      add_member(blocks(rank), packed_[rank].size++, point);
    }
    ranks_[row] = rank;
  }
}

void NonDominatedRanks::rank_more(std::span<const double> objectives, std::size_t objective_count) {
  const std::size_t rows = order_.size();
  const std::size_t columns = objective_count - 1;
  const bool narrow = rows < std::numeric_limits<std::int16_t>::max();
  narrow_.resize(narrow ? rows * columns : 0);
  wide_.resize(narrow ? 0 : rows * columns);
  for (std::size_t column = 0; column < columns; ++column) {
    dense_column(objectives, objective_count, column + 1);
    for (std::size_t row = 0; row < rows; ++row) {
      if (narrow) {
        narrow_[row * columns + column] = static_cast<std::int16_t>(dense_[row]);
      } else {
        wide_[row * columns + column] = static_cast<std::int32_t>(dense_[row]);
      }
    }
  }
  if (narrow) {
    rank_packed<std::int16_t>(narrow_, columns);
  } else {
    rank_packed<std::int32_t>(wide_, columns);
  }
}

std::span<const std::uint32_t> NonDominatedRanks::ranks(std::span<const double> objectives,
                                                        std::size_t objective_count) {
  CHECK(objective_count >= 1, "ranks need at least one objective");
  sort_lexicographically(objectives, objective_count);
  ranks_.resize(order_.size());
  switch (objective_count) {
    case 1:
      rank_one();
      break;
    case 2:
      rank_two(objectives);
      break;
    case 3:
      rank_three(objectives);
      break;
    default:
      rank_more(objectives, objective_count);
  }
  return ranks_;
}

}  // namespace paretrain::engine
