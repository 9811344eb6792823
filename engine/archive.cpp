#include "engine/archive.h"

#include <algorithm>
#include <array>

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

// Negative, zero or positive as a is lexicographically before b, equal or behind.
int compared(const double* a, const double* b, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}

// Per row of a block the largest of its differences from a point; where that is at most 0, the row
// is as good everywhere. Differences of finite numbers have the right sign, and loops without a
// branch take two rows at once.
using BlockExcess = std::array<double, kBlock>;

// Differences are times `sign`: with -1 the point is as good as the row where they are at most 0.
BlockExcess excess(const double* columns, std::span<const double> point, double sign) {
  BlockExcess most;
  for (std::size_t i = 0; i < kBlock; ++i)
    most[i] = sign * columns[i] - sign * point[0];
  for (std::size_t k = 1; k < point.size(); ++k) {
    const double* const column = columns + k * kBlock;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const double here = sign * column[i] - sign * point[k];
      most[i] = here > most[i] ? here : most[i];
    }
  }
  return most;
}

double least(BlockExcess& values) {
  for (std::size_t half = kBlock / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i)
      values[i] = values[i + half] < values[i] ? values[i + half] : values[i];
  }
  return values[0];
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

// The first archive row that is not lexicographically before the objectives. Requires: those before
// `from` are. Cost: the logarithm of how far it is from there.
std::size_t ArchiveUpdate::place_of(const Individuals& archive,
                                    std::size_t from,
                                    std::span<const double> objectives) const {
  const std::size_t count = objectives.size();
  const double* const rows = archive.objectives.data();
  const auto is_before = [&](std::size_t row) {
    return compared(rows + row * count, objectives.data(), count) < 0;
  };
  std::size_t low = from;
  std::size_t high = archive.size();
  for (std::size_t step = 1; low + step <= high; step *= 2) {
    if (!is_before(low + step - 1)) {
      high = low + step - 1;
      break;
    }
    low += step;
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void ArchiveUpdate::lay_out_blocks(const Individuals& archive) {
  const std::size_t objectives = archive.objective_count;
  const std::size_t columns = objectives - 1;
  const std::size_t blocks = (archive.size() + kBlock - 1) / kBlock;
  lows_.resize(blocks * columns);
  highs_.resize(blocks * columns);
  columns_.resize(blocks * columns * kBlock);
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kBlock;
    const std::size_t count = std::min(kBlock, archive.size() - first);
    for (std::size_t k = 0; k < columns; ++k) {
      const double* const from = archive.objectives.data() + first * objectives + k + 1;
      double* const to = columns_.data() + (block * columns + k) * kBlock;
      double low = from[0];
      double high = from[0];
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = from[i * objectives];
        low = std::min(low, to[i]);
        high = std::max(high, to[i]);
      }
      lows_[block * columns + k] = low;
      highs_[block * columns + k] = high;
    }
  }
}

// Only rows before the place can dominate, for they are as good in the first objective; of two
// objectives only the nearest has the smallest f2.
bool ArchiveUpdate::is_dominated(const Individuals& archive,
                                 std::size_t place,
                                 std::span<const double> objectives) const {
  if (objectives.size() <= 2)
    return place > 0 && weakly_dominates(archive.objectives_of(place - 1), objectives);
  const std::span<const double> point = objectives.subspan(1);
  for (std::size_t block = (place + kBlock - 1) / kBlock; block-- > 0;) {
    if (!is_at_most(lows_.data() + block * point.size(), point.data(), point.size())) continue;
    BlockExcess most = excess(columns_.data() + block * point.size() * kBlock, point, 1);
    for (std::size_t i = place - block * kBlock; i < kBlock; ++i)
      most[i] = 1;
    if (least(most) <= 0) return true;
  }
  return false;
}

// Only rows from the place on can be dominated.
void ArchiveUpdate::mark_dominated(const Individuals& archive,
                                   std::size_t place,
                                   std::span<const double> objectives) {
  if (objectives.size() <= 2) {
    for (std::size_t row = place; row < archive.size(); ++row) {
      if (archive.objectives_of(row).back() < objectives.back()) return;
      if (dominates(objectives, archive.objectives_of(row))) dominated_[row] = 1;
    }
    return;
  }
  const std::span<const double> point = objectives.subspan(1);
  for (std::size_t block = place / kBlock; block * point.size() < highs_.size(); ++block) {
    if (!is_at_most(point.data(), highs_.data() + block * point.size(), point.size())) continue;
    const BlockExcess most = excess(columns_.data() + block * point.size() * kBlock, point, -1);
    const std::size_t first = block * kBlock;
    const std::size_t end = std::min(archive.size() - first, kBlock);
    for (std::size_t i = std::max(place, first) - first; i < end; ++i)
      dominated_[first + i] = static_cast<char>(dominated_[first + i] | (most[i] <= 0 ? 1 : 0));
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

void ArchiveUpdate::sort_accepted(const Individuals& batch, bool has_rising_objectives) {
  const auto comes_before = [&](const Accepted& a, const Accepted& b) {
    const std::strong_ordering order = row_order(*problem_, batch, a.row, batch, b.row);
    return order != std::strong_ordering::equal ? order < 0 : a.row < b.row;
  };
  if (!has_rising_objectives) {
    std::sort(accepted_.begin(), accepted_.end(), comes_before);
    return;
  }
  for (auto first = accepted_.begin(); first != accepted_.end();) {
    const std::span<const double> objectives = batch.objectives_of(first->row);
    auto end = first + 1;
    while (end != accepted_.end() && has_objectives(batch, end->row, objectives))
      ++end;
    if (end - first > 1) std::sort(first, end, comes_before);
    first = end;
  }
}

ArchiveGain ArchiveUpdate::add(Individuals& archive,
                               const Individuals& batch,
                               std::span<const std::uint32_t> rows) {
  ArchiveGain gain;
  accepted_.clear();
  dominated_.assign(archive.size(), 0);
  if (archive.objective_count > 2) lay_out_blocks(archive);
  bool all_rise = true;
  std::size_t place = 0;
  const double* previous = nullptr;
  for (const std::uint32_t row : rows) {
    const std::span<const double> objectives = batch.objectives_of(row);
    const bool rises =
        previous == nullptr || compared(previous, objectives.data(), objectives.size()) <= 0;
    all_rise = all_rise && rises;
    previous = objectives.data();
    place = place_of(archive, rises ? place : 0, objectives);
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
  sort_accepted(batch, all_rise);
  gain.genomes = merge(archive, batch);
  return gain;
}

}  // namespace paretrain::engine
