#include "engine/evaluation_memory.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace paretrain::engine {

namespace {

constexpr std::uint32_t kNoResult = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::size_t FingerprintTable::place_of(std::uint64_t fingerprint) const noexcept {
  const std::size_t mask = entries_.size() - 1;
  std::size_t place = fingerprint & mask;
  while (entries_[place].used && entries_[place].fingerprint != fingerprint)
    place = (place + 1) & mask;
  return place;
}

std::optional<std::uint32_t> FingerprintTable::find(std::uint64_t fingerprint) const noexcept {
  if (used_ == 0) return std::nullopt;
  const Entry& entry = entries_[place_of(fingerprint)];
  if (!entry.used) return std::nullopt;
  return entry.number;
}

void FingerprintTable::grow() {
  std::vector<Entry> before(std::max<std::size_t>(64, 2 * entries_.size()));
  before.swap(entries_);
  for (const Entry& entry : before) {
    if (entry.used) entries_[place_of(entry.fingerprint)] = entry;
  }
}

bool FingerprintTable::insert(std::uint64_t fingerprint, std::uint32_t number) {
  if (2 * (used_ + 1) > entries_.size()) grow();
  Entry& entry = entries_[place_of(fingerprint)];
  if (entry.used) return false;
  entry = {.fingerprint = fingerprint, .number = number, .used = true};
  ++used_;
  return true;
}

void FingerprintTable::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  used_ = 0;
}

EvaluationMemory::EvaluationMemory(std::size_t words_per_genome, std::size_t objective_count) {
  for (Individuals* const results : {&recent_results_, &older_results_}) {
    results->words_per_genome = words_per_genome;
    results->objective_count = objective_count;
  }
}

bool EvaluationMemory::was_evaluated(std::uint64_t fingerprint) const noexcept {
  return recent_.find(fingerprint).has_value() || older_.find(fingerprint).has_value();
}

std::optional<EvaluationMemory::Result> EvaluationMemory::result(std::uint64_t fingerprint,
                                                                 GenomeView genome) const {
  const auto known = [&](const FingerprintTable& table,
                         const Individuals& results) -> std::optional<Result> {
    const std::optional<std::uint32_t> row = table.find(fingerprint);
    if (!row || *row == kNoResult) return std::nullopt;
    const GenomeView found = results.genome(*row);
    if (!std::equal(found.begin(), found.end(), genome.begin())) return std::nullopt;
    return Result{.rows = &results, .row = *row};
  };
  const std::optional<Result> recent = known(recent_, recent_results_);
  return recent ? recent : known(older_, older_results_);
}

void EvaluationMemory::rotate(SeenGenomes& seen) {
  std::swap(seen.older, seen.recent);
  std::swap(older_, recent_);
  std::swap(older_results_, recent_results_);
  seen.recent.clear();
  recent_.clear();
  recent_results_.clear();
}

bool EvaluationMemory::remember(SeenGenomes& seen,
                                std::uint64_t fingerprint,
                                const Individuals& from,
                                std::size_t row) {
  if (was_evaluated(fingerprint)) return false;
  if (seen.recent.size() >= kWindow) rotate(seen);
  recent_.insert(fingerprint, static_cast<std::uint32_t>(recent_results_.size()));
  seen.recent.push_back(fingerprint);
  recent_results_.append(from, row);
  return true;
}

void EvaluationMemory::restore(const SeenGenomes& seen) {
  recent_.clear();
  older_.clear();
  recent_results_.clear();
  older_results_.clear();
  for (const std::uint64_t fingerprint : seen.recent)
    recent_.insert(fingerprint, kNoResult);
  for (const std::uint64_t fingerprint : seen.older)
    older_.insert(fingerprint, kNoResult);
}

}  // namespace paretrain::engine
