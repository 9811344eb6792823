// Why: the engine searches bits and knows nothing of plans; this shows it the free genes of a plan
// problem with the chosen objectives.
#pragma once

#include <string>
#include <vector>

#include "engine/problem.h"
#include "problems/plan_problem.h"
#include "problems/search_space.h"

namespace paretrain::problems {

enum class PlanObjective { Latency, Energy, Memory };

// "latency_cycles", "energy_pj", "peak_memory_bytes": also the columns of front.csv.
[[nodiscard]] std::string objective_name(const PlanUnits& units, PlanObjective objective);
[[nodiscard]] double objective_value(const PlanEvaluation& evaluation, PlanObjective objective);

// Memory of its own for every thread that evaluates, so that nothing is allocated once warm.
class PlanSearchProblem final : public engine::Problem {
 public:
  // Requires: `problem` and `space` (of that problem) outlive this; at least one objective.
  PlanSearchProblem(const PlanProblem& problem,
                    const SearchSpace& space,
                    std::vector<PlanObjective> objectives);

  [[nodiscard]] const engine::GenomeLayout& layout() const override { return layout_; }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override { return names_; }

  // The violation is the bytes above the memory limit.
  [[nodiscard]] engine::Evaluation evaluate(engine::GenomeView free_bits) const override;
  void canonicalize(engine::GenomeRow free_bits) const override;
  // Of keep genes that were dropped the R-R genes become what the F-F genes are.
  void follow_flips(engine::GenomeView before, engine::GenomeRow after) const override;
  // Moves a kept activation to a neighbouring candidate, sets the R-R gene of an edge to what its
  // F-F gene is not (both flip when they agree), or draws the fusion genes of up to three
  // neighbouring operators anew, with the keep genes of the first flipped or not.
  [[nodiscard]] bool structured_move(engine::GenomeRow free_bits,
                                     RandomStream& random) const override;

  // The genes of one operator.
  [[nodiscard]] std::vector<engine::BitBlock> blocks() const override { return blocks_; }

  [[nodiscard]] std::strong_ordering text_order(engine::GenomeView a,
                                                engine::GenomeView b) const override;
  // Keep genes, then fusion genes: repair takes genes in order, so what a canonical genome drops
  // from the end stays canonical.
  [[nodiscard]] std::vector<std::uint32_t> canonical_prefix_order() const override;

  // The whole canonical genome of the engine's bits, and the engine's bits of a whole genome.
  [[nodiscard]] Genome genome(engine::GenomeView free_bits) const;
  [[nodiscard]] engine::Genome free_bits(GenomeView genome) const;

 private:
  [[nodiscard]] bool move_kept(engine::GenomeRow free_bits, RandomStream& random) const;
  [[nodiscard]] bool flip_twins(engine::GenomeRow free_bits, RandomStream& random) const;
  [[nodiscard]] bool fuse_again(engine::GenomeRow free_bits, RandomStream& random) const;
  [[nodiscard]] std::vector<engine::BitBlock> operator_blocks() const;

  const PlanProblem& problem_;
  const SearchSpace& space_;
  std::vector<PlanObjective> objectives_;
  engine::GenomeLayout layout_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> keep_;      // free bits of keep genes
  std::vector<std::uint32_t> fusion_;    // free bits of fusion genes
  genome::TwinTable twins_;              // in free bits
  std::vector<std::uint8_t> is_fusion_;  // per free bit
  std::vector<engine::BitBlock> blocks_;
  bool fixed_fusion_ = false;  // a fusion gene is held at 1
};

}  // namespace paretrain::problems
