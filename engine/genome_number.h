// Why: small spaces are walked from the first genome to the last.
#pragma once

#include <cstdint>

#include "engine/genome_row.h"

namespace paretrain::engine {

// Genomes of a layout without reals are numbered from 0: bit i counts 2^i, integers follow, the
// first one fastest, each from the low end of its range. Requires: genome_count(layout) has a
// value.
void numbered_genome(const GenomeLayout& layout, std::uint64_t number, GenomeRow genome);
[[nodiscard]] std::uint64_t genome_number(const GenomeLayout& layout, GenomeView genome);

}  // namespace paretrain::engine
