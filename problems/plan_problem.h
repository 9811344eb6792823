// Why: the search, the enumeration, the reports and the file readers all speak about plans of one
// training step; this is the one object that turns a genome into numbers, whatever the costs come
// from (an accelerator model or a cost graph).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/plan/group_model.h"
#include "evaluator/plan/plan_explanation.h"
#include "evaluator/plan/step_graph.h"
#include "genome/follow.h"
#include "genome/layout.h"

namespace paretrain::problems {

// All genes of a problem, packed: bit g of the genome is bit g % 64 of word g / 64, genes in gene
// order (docs/plan.md), unused bits of the last word 0. A keep gene is 1 for keep.
using Genome = std::vector<std::uint64_t>;
using GenomeView = std::span<const std::uint64_t>;

[[nodiscard]] inline bool gene_is_set(GenomeView genome, std::size_t gene) noexcept {
  return ((genome[gene / 64] >> (gene % 64)) & 1U) != 0;
}

inline void set_gene(std::span<std::uint64_t> genome,
                     std::size_t gene,
                     std::uint64_t bit) noexcept {
  genome[gene / 64] =
      (genome[gene / 64] & ~(std::uint64_t{1} << (gene % 64))) | (bit << (gene % 64));
}

// Units as they stand in the names of columns and keys: latency_<unit>, energy_<unit>.
struct PlanUnits {
  std::string latency = "cycles";
  std::string energy = "pj";
};

struct PlanEvaluation {
  std::int64_t latency = 0;
  double energy = 0;  // a whole number for cost graphs
  std::int64_t peak_bytes = 0;
  std::int64_t violation_bytes = 0;  // peak above the memory limit; 0 when feasible
  std::int64_t offchip_bytes = 0;
  std::int64_t recompute_work = 0;  // multiply-accumulates of the recomputes
  std::uint32_t recomputed = 0;     // keep genes at 0 whose value is recomputed
  std::uint32_t groups = 0;

  friend bool operator==(const PlanEvaluation&, const PlanEvaluation&) = default;
};

// What the forward groups cost and hold while they run, and what all others do: the latencies and
// the energies add up to the plan's, the larger peak is the plan's.
struct PhaseCost {
  std::int64_t latency = 0;
  double energy = 0;
  std::int64_t peak_bytes = 0;
};

struct PhaseCosts {
  PhaseCost forward;
  PhaseCost late;
};

enum class GeneKind {
  Keep,
  FuseForward,
  FuseRecompute,
  FuseRecomputeBackward,
  FuseBackward,
  FuseUpdate
};

// What a gene means. `value` is set for Keep, the two ends for fusion genes.
struct Gene {
  GeneKind kind = GeneKind::Keep;
  evaluator::StepValueId value = {};
  evaluator::RunningOperator producer = {};
  evaluator::RunningOperator consumer = {};
};

struct PlanProblemParts {
  std::string name;
  evaluator::StepGraph graph;
  std::unique_ptr<const evaluator::GroupModel> model;
  PlanUnits units;
  std::optional<std::int64_t> memory_limit_bytes;
  // Hash of everything else that the numbers depend on: accelerator, cost options, precision, …
  std::uint64_t identity = 0;
};

class PlanScratch;  // memory of one thread, reused between calls: problems/plan_scratch.h

// Immutable after construction; every call is const and safe from several threads. Calls without a
// scratch make one for themselves.
class PlanProblem {
 public:
  // Errors: InputError when a sum of bytes that plans could reach passes 2^53.
  explicit PlanProblem(PlanProblemParts parts);
  PlanProblem(const PlanProblem&) = delete;
  PlanProblem& operator=(const PlanProblem&) = delete;
  PlanProblem(PlanProblem&&) noexcept;
  PlanProblem& operator=(PlanProblem&&) noexcept;
  ~PlanProblem();

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const evaluator::StepGraph& graph() const noexcept;
  [[nodiscard]] const evaluator::GroupModel& model() const noexcept;
  [[nodiscard]] const PlanUnits& units() const noexcept;
  [[nodiscard]] std::optional<std::int64_t> memory_limit_bytes() const noexcept;
  // Identifies genes and numbers: two problems with the same fingerprint give every genome the same
  // evaluation. The memory limit is no part of it.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept;

  [[nodiscard]] std::size_t gene_count() const noexcept;
  [[nodiscard]] std::size_t word_count() const noexcept;  // of a Genome
  [[nodiscard]] std::size_t keep_gene_count() const noexcept;
  [[nodiscard]] std::size_t fusion_gene_count() const noexcept;
  // In gene order. Keep genes and fusion genes are interleaved: genes of one operator are adjacent.
  [[nodiscard]] std::span<const Gene> genes() const noexcept;
  // keep_gene_positions()[k] is the gene of keep gene k, fusion_gene_positions()[f] of the f-th
  // fusion gene.
  [[nodiscard]] std::span<const std::uint32_t> keep_gene_positions() const noexcept;
  [[nodiscard]] std::span<const std::uint32_t> fusion_gene_positions() const noexcept;
  // "F3-B1", as in the reference fronts of cost graphs; for keep genes the name of the value.
  [[nodiscard]] std::string gene_name(std::size_t gene) const;
  // Genes of one operator, as ranges of genes.
  [[nodiscard]] std::span<const genome::GeneRange> operator_genes() const noexcept;
  // Which R-R genes follow which F-F genes when a keep gene is dropped.
  [[nodiscard]] const genome::TwinTable& twins() const noexcept;

  // Every keep gene as given, no fusion gene set.
  [[nodiscard]] Genome keep_all() const;
  [[nodiscard]] Genome recompute_all() const;

  // Inactive and dropped fusion genes are written 0 (DESIGN: repair). Idempotent.
  [[nodiscard]] Genome canonical(GenomeView genome) const;
  void canonicalize(std::span<std::uint64_t> genome, PlanScratch& scratch) const;

  // Of any genome: repair is part of decoding, so a genome and its canonical form evaluate alike.
  [[nodiscard]] PlanEvaluation evaluate(GenomeView genome) const;
  [[nodiscard]] PlanEvaluation evaluate(GenomeView genome, PlanScratch& scratch) const;
  // Faster, since nothing is repaired. Requires: canonical form (else the plan may be illegal).
  [[nodiscard]] PlanEvaluation evaluate_canonical(GenomeView genome, PlanScratch& scratch) const;
  // Requires: canonical form.
  [[nodiscard]] PhaseCosts phase_costs(GenomeView genome, PlanScratch& scratch) const;
  [[nodiscard]] evaluator::PlanExplanation explain(GenomeView genome) const;

  // `k`/`r` per keep gene, `:`, the fusion genes in hexadecimal (four a digit, the first gene is
  // the highest bit of the first digit), `@`, the fingerprint in 16 digits. Of the canonical form.
  [[nodiscard]] std::string text(GenomeView genome) const;
  // Errors: InputError naming `where` when the text is malformed or of another problem. The result
  // is canonical.
  [[nodiscard]] Genome parsed(std::string_view text, const std::string& where) const;

 private:
  struct State;

  void decode_keep(GenomeView genome, PlanScratch& scratch) const;
  // The genome without its inactive genes goes to `genome`, the active edges to the scratch.
  void drop_inactive(std::span<std::uint64_t> genome, PlanScratch& scratch) const;
  void group_canonical(GenomeView genome, PlanScratch& scratch) const;
  [[nodiscard]] PlanEvaluation evaluate_grouped(PlanScratch& scratch) const;

  std::unique_ptr<const State> state_;
};

}  // namespace paretrain::problems
