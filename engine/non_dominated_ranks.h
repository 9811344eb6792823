// Why: sorting into fronts is the heart of every generation; two, three and more objectives each
// have a way that is far faster than comparing all pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/key_order.h"

namespace paretrain::engine {

// Sorts rows of objectives into fronts. Keeps its buffers, so repeated use allocates nothing.
//
// All ways visit the rows in lexicographic order, so that only rows visited before can dominate
// one. Being dominated by a member of front k implies being dominated by members of all fronts
// before k, so the first front without a dominator is found by binary search over the fronts. What
// a front must remember of its members: one objective: nothing, ranks are the dense order; two: the
// smallest f2; three: the staircase of (f2, f3), contiguous; four or more: the dense ranks of f2
// ... fM in small integers, compared many at a time.
class NonDominatedRanks {
 public:
  // A corner of a staircase: f2 ascends and f3 descends from step to step.
  struct Step {
    double second = 0;
    double third = 0;
  };

  // Shape: `objectives` has rows of `objective_count` >= 1 values, no NaN. Equal rows share a
  // front. Valid until the next call. Cost: O(N log N) for M <= 2; O(N log N log F) plus moves
  // within staircases for M = 3 with F fronts; O(M N^2 log F / lanes) at worst for more, without
  // memory of that size.
  std::span<const std::uint32_t> ranks(std::span<const double> objectives,
                                       std::size_t objective_count);

  // Of the last call. The rows in lexicographic order, equal ones by row.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }

  // Of the last call. How many rows with smaller numbers have the same objectives.
  [[nodiscard]] std::span<const std::uint32_t> copies() const noexcept { return copies_; }

  // Of the last call.
  [[nodiscard]] std::size_t fronts() const noexcept { return fronts_; }

 private:
  // Members of a front in blocks of kBlock: first kBlock values of f2, then of f3, and so on.
  struct PackedFront {
    std::vector<std::int32_t> wide;
    std::vector<std::int16_t> narrow;
    std::size_t size = 0;
  };

  void sort_lexicographically(std::span<const double> objectives, std::size_t objective_count);
  void count_packed_copies(std::span<const KeyOrder::Entry> sorted);
  void sort_ties(std::span<const double> objectives, std::size_t objective_count);
  void count_copies(std::span<const double> objectives, std::size_t objective_count);
  void rank_one();
  void rank_two(std::span<const double> objectives);
  void rank_three(std::span<const double> objectives);
  void rank_more(std::span<const double> objectives, std::size_t objective_count);
  template <class Small>
  void rank_packed(std::span<const Small> dense, std::size_t columns);
  void dense_column(std::span<const double> objectives,
                    std::size_t objective_count,
                    std::size_t objective);

  KeyOrder sorter_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> copies_;
  std::vector<std::uint32_t> ranks_;
  std::size_t fronts_ = 0;
  std::vector<double> smallest_second_;
  std::vector<std::vector<Step>> staircases_;
  std::vector<PackedFront> packed_;
  std::vector<std::uint32_t> dense_;  // of one objective
  std::vector<std::int16_t> narrow_;  // row-major dense ranks of f2 ... fM
  std::vector<std::int32_t> wide_;
};

}  // namespace paretrain::engine
