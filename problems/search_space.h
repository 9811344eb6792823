// Why: options pin some genes (--keep, --recompute, --checkpointing, --fusion); the engine must see
// and vary only the others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/plan_problem.h"

namespace paretrain::problems {

enum class Checkpointing { Search, KeepAll, RecomputeAll };
enum class Fusion { Search, None, Greedy, Given };

struct SearchSpaceOptions {
  Checkpointing checkpointing = Checkpointing::Search;
  Fusion fusion = Fusion::Search;
  std::optional<Genome> fusion_plan;   // with Fusion::Given: the fusion genes to hold fixed
  std::vector<std::string> keep;       // --keep PATTERN (globs over names of candidates)
  std::vector<std::string> recompute;  // --recompute PATTERN
};

// Per keep gene what it is held at; empty for a free one.
// Errors: InputError for a pattern without a match and for a candidate that two options pin
// differently.
[[nodiscard]] std::vector<std::optional<bool>> keep_pins(const PlanProblem& problem,
                                                         const SearchSpaceOptions& options);

// The genes that are free, in gene order, and what the others are held at.
class SearchSpace {
 public:
  // Errors: those of keep_pins.
  SearchSpace(const PlanProblem& problem, const SearchSpaceOptions& options);

  [[nodiscard]] std::size_t free_gene_count() const noexcept { return free_.size(); }

  [[nodiscard]] std::size_t free_word_count() const noexcept { return (free_.size() + 63) / 64; }

  [[nodiscard]] std::span<const std::uint32_t> free_genes() const noexcept { return free_; }

  [[nodiscard]] bool is_free(std::size_t gene) const noexcept { return is_free_[gene] != 0; }

  // A whole genome from the free bits, and back. Shape: free bits are packed like a Genome.
  void expand(std::span<const std::uint64_t> free_bits, std::span<std::uint64_t> genome) const;
  void contract(GenomeView genome, std::span<std::uint64_t> free_bits) const;
  // The genome with every fixed gene at its fixed value.
  [[nodiscard]] Genome projected(GenomeView genome) const;
  // Equal spaces of one problem have equal hashes.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept;

 private:
  std::vector<std::uint32_t> free_;
  std::vector<std::uint8_t> is_free_;
  Genome fixed_;
};

}  // namespace paretrain::problems
