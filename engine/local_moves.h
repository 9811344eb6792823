// Why: near a good plan there are better ones that differ in a gene or a block of genes; crossover
// and mutation of a population find these late.
#pragma once

#include "base/random.h"
#include "engine/individuals.h"
#include "engine/problem.h"

namespace paretrain::engine {

// Pareto local search: small moves around good genomes.
// Source of the idea: Paquete, Chiarandini, Stützle, LNEMS 535, 2004.
class LocalMoves {
 public:
  explicit LocalMoves(const Problem& problem);

  // genome becomes a neighbour of a random member: a structured move of the problem, one or
  // two changed genes, two genes that change places, a block filled, moved by one gene or taken
  // from another member. Requires: at least one member.
  void neighbour(const Individuals& members, GenomeRow genome, RandomStream& random) const;

  // One more gene changes, as follow_flips allows; how clashes of equal genomes are resolved.
  void change_one(GenomeRow genome, RandomStream& random) const;

 private:
  [[nodiscard]] BitBlock random_block(RandomStream& random) const;
  void move_bits(const Individuals& members, GenomeRow genome, RandomStream& random) const;
  bool move_structured(GenomeRow genome, RandomStream& random) const;
  void exchange_two(GenomeRow genome, RandomStream& random) const;

  const Problem* problem_;
  std::vector<BitBlock> blocks_;
};

}  // namespace paretrain::engine
