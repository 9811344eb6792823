#include "engine/archive.h"

#include <algorithm>

#include "base/check.h"
#include "engine/dominance.h"

namespace paretrain::engine {

namespace {

// Archive rows whose objectives are bounded together.
constexpr std::size_t kBlock = 32;

// Whether a is at least as good everywhere.
bool is_at_most(const double* a, const double* b, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (a[k] > b[k]) return false;
  }
  return true;
}

bool has_objectives(const Individuals& rows, std::size_t row, std::span<const double> objectives) {
  return std::equal(objectives.begin(), objectives.end(), rows.objectives_of(row).begin());
}

std::strong_ordering row_order(const Problem& problem,
                               const Individuals& a,
                               std::size_t row_a,
                               const Individuals& b,
                               std::size_t row_b) {
  const std::span<const double> x = a.objectives_of(row_a);
  const std::span<const double> y = b.objectives_of(row_b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < y[i]) return std::strong_ordering::less;
    if (x[i] > y[i]) return std::strong_ordering::greater;
  }
  return problem.text_order(a.genome(row_a), b.genome(row_b));
}

}  // namespace

ArchiveUpdate::ArchiveUpdate(const Problem& problem, std::size_t keep_equal)
    : problem_(&problem), keep_equal_(keep_equal) {
  CHECK(keep_equal >= 1, "an archive keeps at least one genome per point");
  merged_.words_per_genome = problem.layout().words();
  merged_.objective_count = problem.objective_names().size();
}

// The first archive row that is not lexicographically before the objectives.
std::size_t ArchiveUpdate::place_of(const Individuals& archive,
                                    std::span<const double> objectives) const {
  std::size_t low = 0;
  std::size_t high = archive.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::span<const double> values = archive.objectives_of(middle);
    if (std::lexicographical_compare(
            values.begin(), values.end(), objectives.begin(), objectives.end())) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void ArchiveUpdate::bound_blocks(const Individuals& archive) {
  const std::size_t objectives = archive.objective_count;
  bounds_.clear();
  for (std::size_t first = 0; first < archive.size(); first += kBlock) {
    const std::size_t end = std::min(first + kBlock, archive.size());
    for (std::size_t k = 0; k < objectives; ++k) {
      Bounds bounds{.low = archive.objectives[first * objectives + k],
                    .high = archive.objectives[first * objectives + k]};
      for (std::size_t row = first + 1; row < end; ++row) {
        const double value = archive.objectives[row * objectives + k];
        bounds.low = std::min(bounds.low, value);
        bounds.high = std::max(bounds.high, value);
      }
      bounds_.push_back(bounds);
    }
  }
}

// Only rows before the place can dominate; of two objectives only the nearest has the smallest f2.
bool ArchiveUpdate::is_dominated(const Individuals& archive,
                                 std::size_t place,
                                 std::span<const double> objectives) const {
  const std::size_t count = objectives.size();
  if (count <= 2)
    return place > 0 && weakly_dominates(archive.objectives_of(place - 1), objectives);
  for (std::size_t block = (place + kBlock - 1) / kBlock; block-- > 0;) {
    const Bounds* const bounds = bounds_.data() + block * count;
    bool possible = true;
    for (std::size_t k = 0; k < count; ++k)
      possible = possible && bounds[k].low <= objectives[k];
    if (!possible) continue;
    const double* const rows = archive.objectives.data();
    for (std::size_t row = std::min(place, (block + 1) * kBlock); row > block * kBlock; --row) {
      if (is_at_most(rows + (row - 1) * count, objectives.data(), count)) return true;
    }
  }
  return false;
}

void ArchiveUpdate::mark_dominated(const Individuals& archive,
                                   std::size_t place,
                                   std::span<const double> objectives) {
  const std::size_t count = objectives.size();
  if (count <= 2) {
    for (std::size_t row = place; row < archive.size(); ++row) {
      if (archive.objectives_of(row).back() < objectives.back()) return;
      if (dominates(objectives, archive.objectives_of(row))) dominated_[row] = 1;
    }
    return;
  }
  for (std::size_t block = place / kBlock; block * count < bounds_.size(); ++block) {
    const Bounds* const bounds = bounds_.data() + block * count;
    bool possible = true;
    for (std::size_t k = 0; k < count; ++k)
      possible = possible && objectives[k] <= bounds[k].high;
    if (!possible) continue;
    const std::size_t end = std::min(archive.size(), (block + 1) * kBlock);
    const double* const rows = archive.objectives.data();
    for (std::size_t row = std::max(place, block * kBlock); row < end; ++row) {
      if (is_at_most(objectives.data(), rows + row * count, count)) dominated_[row] = 1;
    }
  }
}

// Rows of the archive that nothing new equals, without those that are dominated now.
void ArchiveUpdate::keep_range(const Individuals& archive, std::size_t begin, std::size_t end) {
  const auto append = [](auto& to, const auto& from, std::size_t first, std::size_t last) {
    to.insert(to.end(),
              from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(last));
  };
  while (begin < end) {
    std::size_t stop = begin;
    while (stop < end && dominated_[stop] == 0)
      ++stop;
    const std::size_t words = archive.words_per_genome;
    const std::size_t count = archive.objective_count;
    append(merged_.words, archive.words, begin * words, stop * words);
    append(merged_.objectives, archive.objectives, begin * count, stop * count);
    append(merged_.violations, archive.violations, begin, stop);
    begin = stop;
    while (begin < end && dominated_[begin] != 0)
      ++begin;
  }
}

bool ArchiveUpdate::keep_row(const Individuals& from, std::size_t row) {
  const std::size_t last = merged_.size();
  if (last > 0) {
    const auto before = merged_.objectives_of(last - 1);
    const auto values = from.objectives_of(row);
    if (std::equal(before.begin(), before.end(), values.begin())) {
      const GenomeView genome = merged_.genome(last - 1);
      const GenomeView same = from.genome(row);
      if (equal_run_ >= keep_equal_ || std::equal(genome.begin(), genome.end(), same.begin()))
        return false;
      ++equal_run_;
      merged_.append(from, row);
      return true;
    }
  }
  equal_run_ = 1;
  merged_.append(from, row);
  return true;
}

// Whether the archive has enough genomes with these objectives that come before in text order.
bool ArchiveUpdate::is_superfluous(const Individuals& archive,
                                   std::size_t place,
                                   const Individuals& batch,
                                   std::size_t row) const {
  const std::size_t last = place + keep_equal_ - 1;
  return last < archive.size() && has_objectives(archive, last, batch.objectives_of(row)) &&
         row_order(*problem_, archive, last, batch, row) <= 0;
}

// Takes the rows from `old` on that equal the last merged one. Returns the next row.
std::size_t ArchiveUpdate::finish_equal(const Individuals& archive, std::size_t old) {
  while (old < archive.size() && merged_.size() > 0 &&
         has_objectives(archive, old, merged_.objectives_of(merged_.size() - 1)))
    keep_row(archive, old++);
  return old;
}

// Runs of the archive are copied whole; only rows that equal a new one are taken one by one.
std::size_t ArchiveUpdate::merge(Individuals& archive, const Individuals& batch) {
  merged_.clear();
  merged_.reserve(archive.size() + accepted_.size());
  std::size_t added = 0;
  std::size_t old = 0;
  for (const Accepted& accepted : accepted_) {
    if (old < accepted.place) {
      old = finish_equal(archive, old);
      keep_range(archive, old, accepted.place);
      old = accepted.place;
    }
    while (old < archive.size() &&
           has_objectives(archive, old, batch.objectives_of(accepted.row)) &&
           row_order(*problem_, archive, old, batch, accepted.row) <= 0)
      keep_row(archive, old++);
    if (keep_row(batch, accepted.row)) ++added;
  }
  old = finish_equal(archive, old);
  keep_range(archive, old, archive.size());
  std::swap(archive, merged_);
  return added;
}

ArchiveGain ArchiveUpdate::add(Individuals& archive,
                               const Individuals& batch,
                               std::span<const std::uint32_t> rows) {
  ArchiveGain gain;
  accepted_.clear();
  dominated_.assign(archive.size(), 0);
  if (archive.objective_count > 2) bound_blocks(archive);
  for (const std::uint32_t row : rows) {
    const std::span<const double> objectives = batch.objectives_of(row);
    const std::size_t place = place_of(archive, objectives);
    if (place < archive.size() && has_objectives(archive, place, objectives)) {
      // A point that the archive has is not dominated and dominates nothing.
      if (is_superfluous(archive, place, batch, row)) continue;
    } else {
      if (is_dominated(archive, place, objectives)) continue;
      mark_dominated(archive, place, objectives);
      ++gain.points;
    }
    accepted_.push_back({.row = row, .place = place});
  }
  if (accepted_.empty()) return gain;
  std::sort(accepted_.begin(), accepted_.end(), [&](const Accepted& a, const Accepted& b) {
    const std::strong_ordering order = row_order(*problem_, batch, a.row, batch, b.row);
    return order != std::strong_ordering::equal ? order < 0 : a.row < b.row;
  });
  gain.genomes = merge(archive, batch);
  return gain;
}

}  // namespace paretrain::engine
