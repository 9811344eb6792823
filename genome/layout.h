// Why: a genome is bits; this says which bit means what, in an order that keeps the genes of one
// operator together, so that crossover and block moves act on neighbours in the network.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::genome {

// A producer and a consumer of the template that may run in one group. Nodes are numbered by
// whoever builds the layout.
struct TemplateEdge {
  std::uint32_t producer = 0;
  std::uint32_t consumer = 0;

  friend auto operator<=>(const TemplateEdge&, const TemplateEdge&) = default;
};

// The genes of one forward operator: as many keep genes as it has results that may be recomputed,
// then its edges in gene order.
struct OperatorGenes {
  std::uint32_t keep_genes = 0;
  std::vector<TemplateEdge> edges;
};

// The genes from .. to-1 of one operator.
struct GeneRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Gene order: operators as given; of each first the keep genes, then the edges.
class Layout {
 public:
  explicit Layout(std::span<const OperatorGenes> operators);

  [[nodiscard]] std::size_t gene_count() const noexcept { return fusion_index_.size(); }

  [[nodiscard]] std::size_t word_count() const noexcept { return (gene_count() + 63) / 64; }

  [[nodiscard]] std::size_t keep_gene_count() const noexcept { return keep_genes_.size(); }

  [[nodiscard]] std::size_t fusion_gene_count() const noexcept { return fusion_genes_.size(); }

  // The gene of each keep gene and of each edge, ascending.
  [[nodiscard]] std::span<const std::uint32_t> keep_genes() const noexcept { return keep_genes_; }

  [[nodiscard]] std::span<const std::uint32_t> fusion_genes() const noexcept {
    return fusion_genes_;
  }

  // Shape: one per fusion gene.
  [[nodiscard]] std::span<const TemplateEdge> edges() const noexcept { return edges_; }

  // Index among the fusion genes. Requires: a fusion gene.
  [[nodiscard]] std::uint32_t fusion_index(std::size_t gene) const noexcept {
    return fusion_index_[gene];
  }

  // Bit g of word g / 64 is set when gene g is a keep gene. Shape: word_count().
  [[nodiscard]] std::span<const std::uint64_t> keep_mask() const noexcept { return keep_mask_; }

  // Operators without a gene have no range.
  [[nodiscard]] std::span<const GeneRange> ranges() const noexcept { return ranges_; }

 private:
  std::vector<std::uint32_t> keep_genes_;
  std::vector<std::uint32_t> fusion_genes_;
  std::vector<std::uint32_t> fusion_index_;  // per gene; 0 for keep genes
  std::vector<TemplateEdge> edges_;
  std::vector<std::uint64_t> keep_mask_;
  std::vector<GeneRange> ranges_;
};

}  // namespace paretrain::genome
