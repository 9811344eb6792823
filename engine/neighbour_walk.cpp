#include "engine/neighbour_walk.h"

#include <algorithm>
#include <numeric>

namespace paretrain::engine {

namespace {

// n over k for small k. Requires: no overflow.
std::uint64_t choices_of(std::uint64_t n, std::size_t k) {
  std::uint64_t result = 1;
  for (std::size_t i = 0; i < k; ++i)
    result = n > i ? result * (n - i) / (i + 1) : 0;
  return result;
}

}  // namespace

NeighbourWalk::NeighbourWalk(const Problem& problem) : problem_(&problem) {
  const std::size_t bits = problem.layout().bits;
  if (bits > kMostBits) return;
  for (std::size_t changes = 1; changes <= std::min(kMostChanges, bits); ++changes) {
    choices_.push_back(choices_of(bits, changes));
    per_member_ += choices_.back();
  }
}

void NeighbourWalk::begin(const Individuals& archive) {
  order_.clear();
  if (per_member_ == 0) return;
  const std::size_t members = archive.size();
  const std::size_t objectives = archive.objective_count;
  std::vector<std::uint32_t> places(members);  // the first place of a row in any objective
  std::fill(places.begin(), places.end(), static_cast<std::uint32_t>(members * objectives));
  std::vector<std::uint32_t> rows(members);
  for (std::size_t k = 0; k < objectives; ++k) {
    const std::size_t objective = objectives - 1 - k;
    std::iota(rows.begin(), rows.end(), 0U);
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return archive.objectives_of(a)[objective] < archive.objectives_of(b)[objective];
    });
    for (std::size_t i = 0; i < members; ++i)
      places[rows[i]] = std::min(places[rows[i]], static_cast<std::uint32_t>(i * objectives + k));
  }
  order_.resize(members);
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return places[a] < places[b];
  });
}

void NeighbourWalk::write_genome(const Individuals& archive,
                                 std::uint64_t place,
                                 GenomeRow genome) const {
  const GenomeView base = archive.genome(order_[place / per_member_]);
  std::copy(base.begin(), base.end(), genome.begin());
  std::uint64_t choice = place % per_member_;
  std::size_t changes = 1;
  for (; choice >= choices_[changes - 1]; ++changes)
    choice -= choices_[changes - 1];
  // Sets of bits in the order of their highest one, then the next lower.
  for (std::size_t k = changes; k > 0; --k) {
    std::uint64_t high = k - 1;
    while (choices_of(high + 1, k) <= choice)
      ++high;
    flip_bit(genome, high);
    choice -= choices_of(high, k);
  }
  problem_->follow_flips(base, genome);
}

}  // namespace paretrain::engine
