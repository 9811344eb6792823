#include "engine/archive.h"

#include <algorithm>

#include "base/check.h"
#include "engine/dominance.h"

namespace paretrain::engine {

namespace {

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

// Only rows before the place can dominate; of two objectives only the nearest has the smallest f2.
bool ArchiveUpdate::is_dominated(const Individuals& archive,
                                 std::size_t place,
                                 std::span<const double> objectives) const {
  const std::size_t far = objectives.size() <= 2 && place > 0 ? place - 1 : 0;
  for (std::size_t row = place; row > far; --row) {
    if (weakly_dominates(archive.objectives_of(row - 1), objectives)) return true;
  }
  return false;
}

void ArchiveUpdate::mark_dominated(const Individuals& archive,
                                   std::size_t place,
                                   std::span<const double> objectives) {
  for (std::size_t row = place; row < archive.size(); ++row) {
    if (dominates(objectives, archive.objectives_of(row))) {
      dominated_[row] = 1;
    } else if (objectives.size() <= 2 && archive.objectives_of(row).back() < objectives.back()) {
      return;
    }
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

std::size_t ArchiveUpdate::merge(Individuals& archive, const Individuals& batch) {
  merged_.clear();
  std::size_t added = 0;
  std::size_t old = 0;
  for (const std::uint32_t row : accepted_) {
    while (old < archive.size() &&
           (dominated_[old] != 0 || row_order(*problem_, archive, old, batch, row) <= 0)) {
      if (dominated_[old] == 0) keep_row(archive, old);
      ++old;
    }
    if (keep_row(batch, row)) ++added;
  }
  for (; old < archive.size(); ++old) {
    if (dominated_[old] == 0) keep_row(archive, old);
  }
  std::swap(archive, merged_);
  return added;
}

ArchiveGain ArchiveUpdate::add(Individuals& archive,
                               const Individuals& batch,
                               std::span<const std::uint32_t> rows) {
  ArchiveGain gain;
  accepted_.clear();
  dominated_.assign(archive.size(), 0);
  for (const std::uint32_t row : rows) {
    const std::span<const double> objectives = batch.objectives_of(row);
    const std::size_t place = place_of(archive, objectives);
    if (is_dominated(archive, place, objectives)) continue;
    mark_dominated(archive, place, objectives);
    const bool is_known =
        place < archive.size() &&
        std::equal(objectives.begin(), objectives.end(), archive.objectives_of(place).begin());
    if (!is_known) ++gain.points;
    accepted_.push_back(row);
  }
  if (accepted_.empty()) return gain;
  std::sort(accepted_.begin(), accepted_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::strong_ordering order = row_order(*problem_, batch, a, batch, b);
    return order != std::strong_ordering::equal ? order < 0 : a < b;
  });
  gain.genomes = merge(archive, batch);
  return gain;
}

}  // namespace paretrain::engine
