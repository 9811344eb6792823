// Why: the truth that a search is measured against is every genome of a small space.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/individuals.h"
#include "engine/problem.h"

namespace paretrain::engine {

// Largest number of genomes (or, with canonical_prefix_order, of canonical genomes) visited.
inline constexpr std::uint64_t kMaxEnumeratedGenomes = std::uint64_t{1} << 28U;

struct EnumerationOptions {
  std::size_t keep_equal = 1;
  int threads = 0;  // 0: all processors
};

struct Enumeration {
  std::uint64_t genomes = 0;            // of the layout, before canonicalisation
  std::uint64_t canonical_genomes = 0;  // evaluated, each once
  std::uint64_t infeasible = 0;
  std::uint64_t not_finite = 0;
  Individuals front;  // as SearchState::archive
  // Per objective the largest value of any feasible genome; empty when none is feasible. The
  // reference point of the exact hypervolume is this + 1.
  std::vector<double> worst;
  // How many canonical genomes share each front point's objectives; Shape: one per front row.
  std::vector<std::uint64_t> genomes_per_point;
};

// Errors: InputError when the space is too large (or has real genes), naming its size.
[[nodiscard]] Enumeration enumeration(const Problem& problem, const EnumerationOptions& options);

}  // namespace paretrain::engine
