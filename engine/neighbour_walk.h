// Why: what the ends of a front lack is often two or three genes from a point that is known; chance
// visits those genomes late and some of them never, a walk in order visits all.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/individuals.h"
#include "engine/problem.h"

namespace paretrain::engine {

// The genomes that differ from a member of an archive in a few bits, in a fixed order: first the
// members with the smallest value of an objective (the last objective first), then those with the
// second smallest, and so on; of each member one, two and three changed bits. Genomes near several
// members come several times. No places for genomes of more than kMostBits bits, which no search
// gets through: one member has more than 15,000 such neighbours.
class NeighbourWalk {
 public:
  static constexpr std::size_t kMostChanges = 3;
  static constexpr std::size_t kMostBits = 46;

  explicit NeighbourWalk(const Problem& problem);

  // For the calls of write_genome(): of this archive from now on.
  // Cost: sorts the archive once per objective.
  void begin(const Individuals& archive);

  // Number of places; 0 before begin().
  [[nodiscard]] std::uint64_t size() const noexcept { return order_.size() * per_member_; }

  // The genome at a place, as follow_flips allows, not in canonical form.
  // Requires: begin() with the same archive, place < size().
  void write_genome(const Individuals& archive, std::uint64_t place, GenomeRow genome) const;

 private:
  const Problem* problem_;
  std::vector<std::uint64_t> choices_;  // of 1, 2, … changed bits
  std::uint64_t per_member_ = 0;
  std::vector<std::uint32_t> order_;  // rows of the archive
};

}  // namespace paretrain::engine
