// Why: what a user may choose about a search, apart from the problem; part of a run's identity but
// for the stops and the machine settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/genome_row.h"

namespace paretrain::engine {

// How two parents' bits and integers are combined. Reals always use simulated binary crossover.
enum class BitCrossover { TwoPoint, OnePoint, Uniform };

// Which of the individuals of one front with equal objectives count as copies.
enum class TieRule {
  CopiesWorse,   // copies come behind every first one of all fronts, in mating, too (default)
  CopiesLast,    // copies come behind every first one of the front that is cut
  CopiesCompete  // copies compete by crowding as if they were distinct
};

enum class Crowding {
  Updated,  // recomputed after each removal (default)
  Once,     // computed once for the whole front, as in Deb's paper
};

// Where empty: crossover with probability 0.5 and 1 mutated gene, for offspring that differ from
// one parent in few genes fill the gaps of a front better; for genomes of reals only 1 and 0.8
// (figures in docs/engine.md).
struct VariationOptions {
  std::optional<double> crossover_probability = {};
  BitCrossover bit_crossover = BitCrossover::TwoPoint;
  std::optional<double> mutated_genes = {};  // expected number per offspring
  double run_mutation = 0.1;    // share of offspring with a changed run of bits instead
  double crossover_index = 15;  // distribution index of simulated binary crossover
  double mutation_index = 20;   // distribution index of polynomial mutation
};

struct SelectionOptions {
  TieRule ties = TieRule::CopiesWorse;
  Crowding crowding = Crowding::Updated;
};

// A search ends at whichever comes first; none set means it never ends by itself (but see
// StopReason::Exhausted).
struct StopOptions {
  std::optional<std::uint64_t> generations = {};
  std::optional<std::uint64_t> evaluations =
      {};                              // never exceeded: the last generation is cut short
  std::optional<double> seconds = {};  // since start() or resume() of this Search
  // Generations in a row without progress of the hypervolume (of the archive, when no reference is
  // given). Never fires while nothing feasible is known.
  std::optional<std::uint64_t> patience = {};
};

// The hypervolume of the archive is reported in multiples of `unit`.
struct HypervolumeOptions {
  std::vector<double> reference =
      {};           // one value per objective; points beyond it contribute nothing
  double unit = 1;  // the product of the reference, for shares between 0 and 1
};

// Requires: population >= 1, 0 <= local_search <= 1, keep_equal >= 1.
struct SearchOptions {
  std::size_t population = 100;
  std::uint64_t seed = 1;
  VariationOptions variation = {};
  SelectionOptions selection = {};
  // Share of every generation's offspring that are small moves around members of the archive.
  // Empty: 0.2; 0 for genomes of reals only, where crossover and mutation alone find better fronts
  // (figures in docs/engine.md).
  std::optional<double> local_search = {};
  // How many genomes with equal objectives the archive keeps, the first in text order.
  std::size_t keep_equal = 1;
  std::optional<HypervolumeOptions> hypervolume = {};
  // Machine settings and stops: a resumed run may change these and nothing else.
  StopOptions stop = {};
  int threads = 0;  // 0: all processors
};

[[nodiscard]] double local_search_share(const SearchOptions& options,
                                        const GenomeLayout& layout) noexcept;

}  // namespace paretrain::engine
