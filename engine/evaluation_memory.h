// Why: no genome is evaluated twice, and evaluations count distinct genomes, also after a run was
// interrupted; both need to know what has been seen, within bounded memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/fingerprint_set.h"
#include "engine/individuals.h"
#include "engine/search_state.h"

namespace paretrain::engine {

// What has been evaluated lately: an index of the fingerprints, which are part of the state of a
// search, and, as far as this process evaluated them, the results. Two windows: when the recent one
// is full it becomes the older one and what was older is forgotten.
class EvaluationMemory {
 public:
  // Fingerprints per window.
  static constexpr std::size_t kWindow = std::size_t{1} << 17U;

  EvaluationMemory(std::size_t words_per_genome, std::size_t objective_count);

  // Whether the genome was evaluated, in this process or in one that the run was resumed from.
  [[nodiscard]] bool was_evaluated(std::uint64_t fingerprint) const noexcept;

  struct Result {
    const Individuals* rows = nullptr;
    std::size_t row = 0;
  };

  // The result, when this process has it. Genomes are compared in full. Valid until the next
  // remember() or restore().
  [[nodiscard]] std::optional<Result> result(std::uint64_t fingerprint, GenomeView genome) const;

  // Notes the result of a row, in `seen`, too. Returns whether the genome counts as evaluated for
  // the first time. Requires: `seen` holds what was remembered or restored before and nothing else.
  bool remember(SeenGenomes& seen,
                std::uint64_t fingerprint,
                const Individuals& from,
                std::size_t row);

  // Replaces everything by the fingerprints of a state; results are not known then.
  void restore(const SeenGenomes& seen);

 private:
  // Fingerprints in the order in which they were remembered; results of all but the first ones.
  // Results lie in chunks, so that none is ever moved.
  struct Window {
    FingerprintSet fingerprints;
    std::size_t without_result = 0;
    std::vector<Individuals> chunks;

    void clear();
    [[nodiscard]] std::optional<Result> result(std::uint64_t fingerprint, GenomeView genome) const;
  };

  void append_result(const Individuals& from, std::size_t row);
  void rotate(SeenGenomes& seen);

  Individuals empty_;  // of the right shape
  Window recent_;
  Window older_;
};

}  // namespace paretrain::engine
