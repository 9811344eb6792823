#include "problems/search_space.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/printable_text.h"
#include "problems/named_plans.h"

namespace paretrain::problems {

namespace {

// Whether a name matches a glob: * is any text, ? any one character.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

struct Pins {
  std::vector<std::optional<bool>> keep;  // per keep gene
  std::vector<Problem> problems;
};

void pin(const PlanProblem& problem, std::span<const std::string> patterns, bool keep, Pins& pins) {
  const std::string option = keep ? "--keep" : "--recompute";
  for (const std::string& pattern : patterns) {
    bool matched = false;
    for (std::size_t k = 0; k < pins.keep.size(); ++k) {
      const Gene& gene = problem.genes()[problem.keep_gene_positions()[k]];
      const std::string& name = problem.graph().values[gene.value.index()].name;
      if (!matches(pattern, name)) continue;
      matched = true;
      if (pins.keep[k] && *pins.keep[k] != keep)
        pins.problems.push_back(
            {option + " " + printable(pattern),
             "matches " + printable(name) + ", which another option pins the other way",
             ""});
      pins.keep[k] = keep;
    }
    if (!matched)
      pins.problems.push_back(
          {option + " " + printable(pattern),
           "matches no candidate; expected a pattern (* and ?) over the names of candidates",
           "inspect --json lists the candidates"});
  }
}

// Fusion genes that serve keep and recompute plans alike: those that greedy fusion sets when
// everything is kept, and those over recomputes that it sets when everything is recomputed.
Genome greedy_fusion_genes(const PlanProblem& problem) {
  Genome result = greedily_fused(problem, problem.keep_all());
  const Genome recomputed = greedily_fused(problem, problem.recompute_all());
  for (const std::uint32_t gene : problem.fusion_gene_positions()) {
    const GeneKind kind = problem.genes()[gene].kind;
    const bool over_recomputes =
        kind == GeneKind::FuseRecompute || kind == GeneKind::FuseRecomputeBackward;
    if (over_recomputes && gene_is_set(recomputed, gene)) set_gene(result, gene, 1);
  }
  return result;
}

Genome fixed_fusion_genes(const PlanProblem& problem, const SearchSpaceOptions& options) {
  switch (options.fusion) {
    case Fusion::Search:
    case Fusion::None:
      return Genome(problem.word_count(), 0);
    case Fusion::Greedy:
      return greedy_fusion_genes(problem);
    case Fusion::Given:
      CHECK(options.fusion_plan.has_value(), "a given fusion needs a plan");
      return *options.fusion_plan;
  }
  CHECK(false, "unknown fusion option");
}

}  // namespace

std::vector<std::optional<bool>> keep_pins(const PlanProblem& problem,
                                           const SearchSpaceOptions& options) {
  Pins pins;
  pins.keep.resize(problem.keep_gene_count());
  if (options.checkpointing != Checkpointing::Search)
    pins.keep.assign(pins.keep.size(), options.checkpointing == Checkpointing::KeepAll);
  pin(problem, options.keep, true, pins);
  pin(problem, options.recompute, false, pins);
  if (!pins.problems.empty()) throw InputError(std::move(pins.problems));
  return std::move(pins.keep);
}

SearchSpace::SearchSpace(const PlanProblem& problem, const SearchSpaceOptions& options)
    : is_free_(problem.gene_count(), 0), fixed_(problem.word_count(), 0) {
  const std::vector<std::optional<bool>> pins = keep_pins(problem, options);
  const Genome fusion = fixed_fusion_genes(problem, options);
  std::size_t keep = 0;
  for (std::uint32_t gene = 0; gene < problem.gene_count(); ++gene) {
    bool free = options.fusion == Fusion::Search;
    bool fixed = gene_is_set(fusion, gene);
    if (problem.genes()[gene].kind == GeneKind::Keep) {
      const std::optional<bool> pinned = pins[keep++];
      free = !pinned.has_value();
      fixed = pinned.value_or(false);
    }
    is_free_[gene] = free ? 1 : 0;
    if (free)
      free_.push_back(gene);
    else
      set_gene(fixed_, gene, fixed ? 1 : 0);
  }
}

void SearchSpace::expand(std::span<const std::uint64_t> free_bits,
                         std::span<std::uint64_t> genome) const {
  std::copy(fixed_.begin(), fixed_.end(), genome.begin());
  if (free_.size() == is_free_.size()) {
    std::copy(free_bits.begin(), free_bits.end(), genome.begin());
    return;
  }
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (gene_is_set(free_bits, i)) genome[free_[i] / 64] |= std::uint64_t{1} << (free_[i] % 64);
  }
}

void SearchSpace::contract(GenomeView genome, std::span<std::uint64_t> free_bits) const {
  if (free_.size() == is_free_.size()) {
    std::copy(genome.begin(), genome.end(), free_bits.begin());
    return;
  }
  std::fill(free_bits.begin(), free_bits.end(), 0);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (gene_is_set(genome, free_[i])) free_bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

Genome SearchSpace::projected(GenomeView genome) const {
  Genome result = fixed_;
  for (const std::uint32_t gene : free_)
    set_gene(result, gene, gene_is_set(genome, gene) ? 1 : 0);
  return result;
}

std::uint64_t SearchSpace::fingerprint() const noexcept {
  std::uint64_t hash = hash_of(fixed_);
  for (const std::uint32_t gene : free_)
    hash = combined(hash, gene);
  return hash;
}

}  // namespace paretrain::problems
