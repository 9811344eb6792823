// Why: of one front only some survive; those with the most room around them keep the front spread
// out. Removing them one at a time and measuring again spreads better than measuring once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/key_order.h"

namespace paretrain::engine {

// Crowding distance of the rows of one front (Deb et al. 2002): per objective the gap between the
// two neighbours, over the range of the objective in the front; infinite at both ends.
//
// Rows must have distinct objective vectors (copies are the caller's business). Degenerate cases:
// an objective that is equal in all rows contributes nothing, not even ends; of rows that are equal
// at an end only one is that end. Ties in an objective are ordered by the other objectives, so the
// distance does not depend on row numbers. Keeps its buffers.
class CrowdingDistance {
 public:
  // Shape: objectives are row-major for all rows; `front` lists the rows that are measured, in
  // lexicographic order of their objectives. Result: one distance per entry of `front`.
  std::span<const double> measure(std::span<const double> objectives,
                                  std::size_t objective_count,
                                  std::span<const std::uint32_t> front);

  // Removes entries with the smallest distance (the later one of equals) one at a time until
  // `wanted` are left, updating the neighbours' distances. Result: entries of `front` that remain,
  // ascending; distance() then holds theirs. Requires: measure() before. Cost: O(M N log N).
  std::span<const std::uint32_t> thin_out(std::size_t wanted);

  [[nodiscard]] double distance(std::size_t entry) const noexcept { return distances_[entry]; }

 private:
  struct Link {
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
  };

  void link(std::span<const double> objectives,
            std::size_t objective_count,
            std::span<const std::uint32_t> front);
  void link_objective(std::size_t objective);
  [[nodiscard]] double distance_of(std::uint32_t entry) const noexcept;
  [[nodiscard]] bool leaves_first(std::uint32_t a, std::uint32_t b) const noexcept;
  void sift_down(std::size_t place);
  void remove(std::uint32_t entry);

  KeyOrder sorter_;
  std::vector<std::uint64_t> keys_;
  std::size_t entries_ = 0;
  std::size_t objective_count_ = 0;
  std::vector<double> values_;  // column-major: entries_ values per objective, over their range
  std::vector<Link> links_;     // the same shape
  std::vector<double> distances_;
  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> heap_place_;
  std::vector<std::uint32_t> remaining_;
};

}  // namespace paretrain::engine
