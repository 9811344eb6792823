// Why: genes that stand next to each other often belong together, and a change of a whole run of
// them gets where changes of single genes would have to pass through worse genomes.
#pragma once

#include "base/random.h"
#include "engine/problem.h"

namespace paretrain::engine {

// The part of a run that is in word `word` of a genome.
[[nodiscard]] Word run_mask(std::size_t word, const BitBlock& run);

// A run of things out of `total`, wherever it fits: short runs are as likely as all those up to
// twice their length together. Requires: total >= 1.
[[nodiscard]] BitBlock random_run(std::size_t total, RandomStream& random);

void complement_run(GenomeRow genome, const BitBlock& run);
void clear_run(GenomeRow genome, const BitBlock& run);
void set_run(GenomeRow genome, const BitBlock& run);

// A random run of the first `bits` bits: half of the time it is complemented, otherwise cleared or
// set. Requires: bits >= 1.
// Source: contiguous somatic hypermutation, Kelsey, Timmis, GECCO 2003; Jansen, Zarges, Theoretical
// Computer Science 412(6), 2011.
void mutate_run(GenomeRow genome, std::size_t bits, RandomStream& random);

}  // namespace paretrain::engine
