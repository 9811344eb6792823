// Why: which of parents and offspring live on decides what a search converges to; all of it happens
// here, in one pass over flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/crowding.h"
#include "engine/individuals.h"
#include "engine/non_dominated_ranks.h"
#include "engine/search_options.h"

namespace paretrain::engine {

// Shape: one entry per survivor in all three. Better fronts first, infeasible ones last by
// violation.
struct SurvivorList {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> ranks;
  std::vector<double> crowding;  // 0 for copies and for infeasible ones
};

// Selection among feasible ones by front, then crowding; feasible before infeasible; infeasible
// ones by violation only. Of equal objective vectors the newest row (the largest number) is the
// first one, so that genomes drift where objectives do not change; the others are copies and stand
// as TieRule says, the oldest of each vector first, those of vectors with more room before others.
// Keeps its buffers.
// Source: Deb et al. 2002; copies: Doerr, Ivan, Krejca, arXiv 2412.11931; updated crowding: Zheng,
// Doerr, GECCO 2022.
class SurvivorSelection {
 public:
  // All rows survive when there are at most `wanted`. Valid until the next call.
  const SurvivorList& select(const Individuals& all,
                             std::size_t wanted,
                             const SelectionOptions& options);

  // The same in two steps; in between, first_front() is known. Requires: `all` stays as it is until
  // choose() has returned; rank() before each choose().
  void rank(const Individuals& all);
  const SurvivorList& choose(std::size_t wanted, const SelectionOptions& options);

  // Of the last call. The feasible rows that no row dominates, surviving or not, in lexicographic
  // order of their objectives.
  [[nodiscard]] std::span<const std::uint32_t> first_front() const noexcept { return best_; }

 private:
  struct Copy {
    std::uint32_t row = 0;
    std::uint32_t number = 0;  // how many older ones of its kind there are
    double room = 0;           // crowding of the first of its kind
  };

  void separate(const Individuals& all);
  void gather_fronts(const Individuals& all);
  void take_front(std::size_t front, TieRule ties, Crowding crowding);
  void take_firsts(std::size_t front, Crowding crowding);
  void take_copies(std::size_t rank);
  void take_infeasible();
  void take(std::uint32_t entry, std::uint32_t rank, double crowding);
  void split_front(std::size_t front, TieRule ties);

  [[nodiscard]] std::size_t places() const noexcept { return wanted_ - list_.rows.size(); }

  NonDominatedRanks ranks_;
  CrowdingDistance crowding_;
  SurvivorList list_;
  std::size_t wanted_ = 0;
  std::vector<std::uint32_t> feasible_;
  std::vector<std::uint32_t> infeasible_;
  std::vector<double> compact_;  // objectives of the feasible rows, when some are not
  std::span<const double> objectives_;
  std::span<const double> violations_;  // of all rows
  std::size_t objective_count_ = 0;
  std::vector<std::uint32_t> front_begins_;  // fronts + 1 places in by_front_
  std::vector<std::uint32_t> by_front_;      // entries of feasible_, lexicographic in each front
  std::vector<std::uint32_t> firsts_;        // of the front at hand
  std::vector<Copy> copies_;                 // of the front at hand
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> best_;  // rows of the first front
};

}  // namespace paretrain::engine
