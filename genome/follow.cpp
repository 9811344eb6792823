#include "genome/follow.h"

namespace paretrain::genome {

void follow_keep_flips(const TwinTable& table,
                       std::span<const std::uint64_t> before,
                       std::span<std::uint64_t> after) {
  for (std::size_t k = 0; k < table.keep_genes.size(); ++k) {
    const std::uint32_t gene = table.keep_genes[k];
    const std::uint64_t dropped = before[gene / 64] & ~after[gene / 64];
    if (((dropped >> (gene % 64)) & 1U) == 0) continue;
    for (std::uint32_t i = table.begin[k]; i < table.begin[k + 1]; ++i) {
      const TwinGenes& twin = table.twins[i];
      const std::uint64_t bit = (after[twin.forward / 64] >> (twin.forward % 64)) & 1U;
      const std::uint64_t place = twin.recompute % 64;
      std::uint64_t& word = after[twin.recompute / 64];
      word = (word & ~(std::uint64_t{1} << place)) | (bit << place);
    }
  }
}

}  // namespace paretrain::genome
