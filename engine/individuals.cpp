#include "engine/individuals.h"

#include <algorithm>

#include "base/check.h"

namespace paretrain::engine {

namespace {

// Rows this short are stored one value at a time, quicker than a block is moved.
constexpr std::size_t kShortRow = 4;

template <class T>
void append_values(std::vector<T>& to, std::span<const T> values) {
  if (values.size() > kShortRow) {
    to.insert(to.end(), values.begin(), values.end());
    return;
  }
  for (const T value : values)
    to.push_back(value);
}

template <class T>
void gather_rows(std::vector<T>& values, std::span<const std::uint32_t> rows, std::size_t width) {
  std::vector<T> kept;
  kept.reserve(rows.size() * width);
  for (const std::uint32_t row : rows) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    kept.insert(kept.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  values = std::move(kept);
}

}  // namespace

void Individuals::append(GenomeView genome, std::span<const double> values, double violation) {
  DCHECK(genome.size() == words_per_genome, "a row of another layout");
  DCHECK(values.size() == objective_count, "a row with other objectives");
  append_values(words, genome);
  append_values(objectives, values);
  violations.push_back(violation);
}

void Individuals::append(const Individuals& other, std::size_t row) {
  append(other.genome(row), other.objectives_of(row), other.violations[row]);
}

void Individuals::append(const Individuals& other) {
  words.insert(words.end(), other.words.begin(), other.words.end());
  objectives.insert(objectives.end(), other.objectives.begin(), other.objectives.end());
  violations.insert(violations.end(), other.violations.begin(), other.violations.end());
}

void Individuals::clear() noexcept {
  words.clear();
  objectives.clear();
  violations.clear();
}

void Individuals::reserve(std::size_t rows) {
  words.reserve(rows * words_per_genome);
  objectives.reserve(rows * objective_count);
  violations.reserve(rows);
}

void Individuals::keep(std::span<const std::uint32_t> rows) {
  gather_rows(words, rows, words_per_genome);
  gather_rows(objectives, rows, objective_count);
  gather_rows(violations, rows, 1);
}

}  // namespace paretrain::engine
