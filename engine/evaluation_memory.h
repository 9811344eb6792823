// Why: no genome is evaluated twice, and evaluations count distinct genomes, also after a run was
// interrupted; both need to know what has been seen, within bounded memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/individuals.h"
#include "engine/search_state.h"

namespace paretrain::engine {

// A set of 64-bit fingerprints by open addressing with a number for each. Keeps its buffers.
class FingerprintTable {
 public:
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t fingerprint) const noexcept;
  // Leaves an entry that is there already as it is and returns false.
  bool insert(std::uint64_t fingerprint, std::uint32_t number);
  void clear();

 private:
  struct Entry {
    std::uint64_t fingerprint = 0;
    std::uint32_t number = 0;
    bool used = false;
  };

  void grow();
  [[nodiscard]] std::size_t place_of(std::uint64_t fingerprint) const noexcept;

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

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

  // The result, when this process has it. Genomes are compared in full.
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
  void rotate(SeenGenomes& seen);

  FingerprintTable recent_;  // number: row of recent_results_, or kNoResult
  FingerprintTable older_;
  Individuals recent_results_;
  Individuals older_results_;
};

}  // namespace paretrain::engine
