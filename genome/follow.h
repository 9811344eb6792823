// Why: an activation that flips from keep to recompute should be recomputed the way its forward is
// fused; without this a flip costs a search many further flips before it pays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::genome {

// A pair of fusion genes over the same two operators: forward and recompute.
struct TwinGenes {
  std::uint32_t forward = 0;    // gene of F_p-F_i
  std::uint32_t recompute = 0;  // gene of R_p-R_i
};

// What follows a flip of one keep gene. Shape: the twins of keep gene k are twins[begin[k]] ..
// twins[begin[k+1]-1]: the edges into the operator that makes the value.
struct TwinTable {
  std::vector<std::uint32_t> keep_genes;  // gene of each keep gene
  std::vector<std::uint32_t> begin;
  std::vector<TwinGenes> twins;
};

// For every keep gene that is 1 in `before` and 0 in `after`: its R-R genes become what the
// matching F-F genes are in `after`. Genes of others do not change.
void follow_keep_flips(const TwinTable& table,
                       std::span<const std::uint64_t> before,
                       std::span<std::uint64_t> after);

}  // namespace paretrain::genome
