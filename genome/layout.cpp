#include "genome/layout.h"

namespace paretrain::genome {

Layout::Layout(std::span<const OperatorGenes> operators) {
  for (const OperatorGenes& genes : operators) {
    const auto begin = static_cast<std::uint32_t>(fusion_index_.size());
    for (std::uint32_t i = 0; i < genes.keep_genes; ++i) {
      keep_genes_.push_back(static_cast<std::uint32_t>(fusion_index_.size()));
      fusion_index_.push_back(0);
    }
    for (const TemplateEdge& edge : genes.edges) {
      fusion_genes_.push_back(static_cast<std::uint32_t>(fusion_index_.size()));
      fusion_index_.push_back(static_cast<std::uint32_t>(edges_.size()));
      edges_.push_back(edge);
    }
    const auto end = static_cast<std::uint32_t>(fusion_index_.size());
    if (end != begin) ranges_.push_back({begin, end});
  }
  keep_mask_.assign(word_count(), 0);
  for (const std::uint32_t gene : keep_genes_)
    keep_mask_[gene / 64] |= std::uint64_t{1} << (gene % 64);
}

}  // namespace paretrain::genome
