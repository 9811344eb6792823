// Why: populations and archives are flat arrays, which the loop walks without allocation and a
// snapshot stores as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/genome_row.h"

namespace paretrain::engine {

// Evaluated genomes, one a row.
// Shape: words.size() == size() * words_per_genome; objectives.size() == size() * objective_count;
// violations.size() == size(). All three row-major. Plain values: a snapshot may store each member.
struct Individuals {
  std::size_t words_per_genome = 0;
  std::size_t objective_count = 0;
  std::vector<Word> words = {};
  std::vector<double> objectives = {};  // to be minimised
  std::vector<double> violations = {};  // 0: feasible

  [[nodiscard]] std::size_t size() const noexcept { return violations.size(); }

  [[nodiscard]] GenomeView genome(std::size_t row) const noexcept {
    return GenomeView(words).subspan(row * words_per_genome, words_per_genome);
  }

  [[nodiscard]] std::span<const double> objectives_of(std::size_t row) const noexcept {
    return std::span<const double>(objectives).subspan(row * objective_count, objective_count);
  }

  void append(GenomeView genome, std::span<const double> values, double violation);
  void append(const Individuals& other, std::size_t row);
  // All rows of the other one.
  void append(const Individuals& other);
  void clear() noexcept;
  void reserve(std::size_t rows);
  // Keeps the listed rows, in that order.
  void keep(std::span<const std::uint32_t> rows);
};

}  // namespace paretrain::engine
