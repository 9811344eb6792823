// Why: a search that stops anywhere and goes on elsewhere must give the same bytes as one that
// never stopped, so all that it knows between two generations is here, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/individuals.h"

namespace paretrain::engine {

// Counted from the start of the run, over all resumptions.
struct SearchStatistics {
  // Distinct genomes evaluated: warm starts, offspring and local search alike.
  std::uint64_t evaluations = 0;
  std::uint64_t infeasible_evaluations = 0;
  // Evaluations whose result was not a finite number; they count as infeasible, too.
  std::uint64_t not_finite = 0;
  // Offspring that had been evaluated before (not counted as evaluations).
  std::uint64_t cache_hits = 0;
  // Offspring that equalled another genome of the generation and were changed once more.
  std::uint64_t duplicates = 0;
};

// Genomes seen, by 64-bit fingerprint, so that evaluations count distinct genomes. Two windows keep
// it bounded: when `recent` is full it becomes `older`, and what was older is forgotten. A genome
// seen again after that counts again (at least 2^17 evaluations lie between).
struct SeenGenomes {
  std::vector<std::uint64_t> older;
  std::vector<std::uint64_t> recent;
};

// Everything between two generations. To be stored and restored member by member; the order of all
// vectors matters. Random numbers need no state: every offspring has a stream of its own from
// (seed, generation, slot).
struct SearchState {
  // The last generation done; 0 is the initial population.
  std::uint64_t generation = 0;
  // Survivors of that generation's selection, with what the next mating needs to know of them.
  Individuals population;
  std::vector<std::uint32_t> ranks;  // front of each, 0 is the best
  std::vector<double> crowding;      // crowding distance of each, infinity at the ends
  // Feasible, mutually non-dominated genomes ever seen; sorted by objectives, then text order.
  Individuals archive;
  SeenGenomes seen;
  SearchStatistics statistics;
  // Best hypervolume so far and the generation of the last progress, for patience.
  double best_hypervolume = 0;
  std::uint64_t last_progress = 0;
  // The generation in which the archive last gained a point that it did not have.
  std::uint64_t last_addition = 0;
  // How many places of the walk around the archive (engine/neighbour_walk.h) were looked at since.
  std::uint64_t walked = 0;
  // All canonical genomes numbered below this (see engine/enumeration.h) have been evaluated; moves
  // only when a small space is nearly used up.
  std::uint64_t swept = 0;
  // Generations in a row in which no new genome was found.
  std::uint64_t barren_generations = 0;
  // Every genome of the space has been evaluated; further generations change nothing.
  bool exhausted = false;
};

}  // namespace paretrain::engine
