// Why: a population forgets good points when it must thin out; the archive of everything
// non-dominated ever seen does not, and it is what results are read from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/individuals.h"
#include "engine/problem.h"

namespace paretrain::engine {

struct ArchiveGain {
  std::size_t genomes = 0;  // in the archive now and not before
  std::size_t points = 0;   // rows whose objectives the archive did not have
};

// Adds fronts to archives. Keeps its buffers.
// An archive is feasible, mutually non-dominated but for equal objectives, sorted lexicographically
// by objectives, then by Problem::text_order; of genomes with equal objectives it holds the first
// `keep_equal` in text order. So its content does not depend on the order of additions.
class ArchiveUpdate {
 public:
  // Requires: keep_equal >= 1.
  ArchiveUpdate(const Problem& problem, std::size_t keep_equal);

  // Adds those of the listed rows of `batch` that the archive does not dominate, and drops what
  // they dominate. Returns how many of them are in the archive now and were not before. Requires:
  // the listed rows are feasible, finite and do not dominate one another. Cost: one search per row,
  // short where rows are listed in the archive's order; a walk through the archive's blocks per new
  // point of three and more objectives; one merge when anything is added.
  ArchiveGain add(Individuals& archive,
                  const Individuals& batch,
                  std::span<const std::uint32_t> rows);

 private:
  // A row of the batch and where it belongs in the archive.
  struct Accepted {
    std::uint32_t row = 0;
    std::size_t place = 0;  // the first archive row that is not lexicographically before it
  };

  void lay_out_blocks(const Individuals& archive);
  [[nodiscard]] std::size_t place_of(const Individuals& archive,
                                     std::size_t from,
                                     std::span<const double> objectives) const;
  [[nodiscard]] bool is_dominated(const Individuals& archive,
                                  std::size_t place,
                                  std::span<const double> objectives) const;
  // Requires: no archive row has these objectives.
  void mark_dominated(const Individuals& archive,
                      std::size_t place,
                      std::span<const double> objectives);
  [[nodiscard]] bool is_superfluous(const Individuals& archive,
                                    std::size_t place,
                                    const Individuals& batch,
                                    std::size_t row) const;
  // By objectives, then text, then row.
  void sort_accepted(const Individuals& batch, bool has_rising_objectives);
  std::size_t merge(Individuals& archive, const Individuals& batch);
  std::size_t finish_equal(const Individuals& archive, std::size_t old);
  void keep_range(const Individuals& archive, std::size_t begin, std::size_t end);
  // Whether the row became part of merged_.
  bool keep_row(const Individuals& from, std::size_t row);

  const Problem* problem_;
  std::size_t keep_equal_;
  std::vector<Accepted> accepted_;
  std::vector<char> dominated_;  // one per archive row
  // For three and more objectives, of all but the first: smallest and largest value per block of
  // archive rows, and the values, kBlock of an objective side by side.
  std::vector<double> lows_;
  std::vector<double> highs_;
  std::vector<double> columns_;
  Individuals merged_;
  std::size_t equal_run_ = 0;
};

}  // namespace paretrain::engine
