#include "engine/evaluation_memory.h"

#include <algorithm>
#include <utility>

namespace paretrain::engine {

namespace {

constexpr std::size_t kChunkRows = 256;

}  // namespace

void EvaluationMemory::Window::clear() {
  fingerprints.clear();
  without_result = 0;
  for (Individuals& chunk : chunks)
    chunk.clear();
}

std::optional<EvaluationMemory::Result> EvaluationMemory::Window::result(std::uint64_t fingerprint,
                                                                         GenomeView genome) const {
  const std::optional<std::uint32_t> number = fingerprints.find(fingerprint);
  if (!number || *number < without_result) return std::nullopt;
  const std::size_t place = *number - without_result;
  const Individuals& chunk = chunks[place / kChunkRows];
  const std::size_t row = place % kChunkRows;
  const GenomeView found = chunk.genome(row);
  if (!std::equal(found.begin(), found.end(), genome.begin())) return std::nullopt;
  return Result{.rows = &chunk, .row = row};
}

EvaluationMemory::EvaluationMemory(std::size_t words_per_genome, std::size_t objective_count)
    : empty_{.words_per_genome = words_per_genome, .objective_count = objective_count} {}

bool EvaluationMemory::was_evaluated(std::uint64_t fingerprint) const noexcept {
  return recent_.fingerprints.find(fingerprint).has_value() ||
         older_.fingerprints.find(fingerprint).has_value();
}

std::optional<EvaluationMemory::Result> EvaluationMemory::result(std::uint64_t fingerprint,
                                                                 GenomeView genome) const {
  const std::optional<Result> recent = recent_.result(fingerprint, genome);
  return recent ? recent : older_.result(fingerprint, genome);
}

void EvaluationMemory::rotate(SeenGenomes& seen) {
  std::swap(seen.older, seen.recent);
  std::swap(older_, recent_);
  seen.recent.clear();
  recent_.clear();
}

// Of the fingerprint that was remembered last.
void EvaluationMemory::append_result(const Individuals& from, std::size_t row) {
  const std::size_t place = recent_.fingerprints.size() - 1 - recent_.without_result;
  const std::size_t chunk = place / kChunkRows;
  if (chunk == recent_.chunks.size()) {
    recent_.chunks.push_back(empty_);
    recent_.chunks.back().reserve(kChunkRows);
  }
  recent_.chunks[chunk].append(from, row);
}

bool EvaluationMemory::remember(SeenGenomes& seen,
                                std::uint64_t fingerprint,
                                const Individuals& from,
                                std::size_t row) {
  if (older_.fingerprints.find(fingerprint)) return false;
  if (seen.recent.size() >= kWindow) {
    if (recent_.fingerprints.find(fingerprint)) return false;
    rotate(seen);
  }
  if (!recent_.fingerprints.insert(fingerprint)) return false;
  seen.recent.push_back(fingerprint);
  append_result(from, row);
  return true;
}

void EvaluationMemory::restore(const SeenGenomes& seen) {
  const auto fill = [](Window& window, const std::vector<std::uint64_t>& fingerprints) {
    window.clear();
    for (const std::uint64_t fingerprint : fingerprints)
      window.fingerprints.insert(fingerprint);
    window.without_result = window.fingerprints.size();
  };
  fill(recent_, seen.recent);
  fill(older_, seen.older);
}

}  // namespace paretrain::engine
