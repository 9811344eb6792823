#include "genome/layout.h"

#include <vector>

#include "tests/support/doctest.h"

namespace paretrain::tests {

TEST_CASE("Layout: genes of one operator are adjacent with keep genes first") {
  const std::vector<genome::OperatorGenes> operators = {
      {1, {{5, 0}}}, {0, {}}, {2, {{0, 1}, {3, 4}}}, {0, {{4, 5}}}};
  const genome::Layout layout(operators);
  CHECK(layout.gene_count() == 7);
  CHECK(layout.word_count() == 1);
  CHECK(std::vector<std::uint32_t>(layout.keep_genes().begin(), layout.keep_genes().end()) ==
        std::vector<std::uint32_t>{0, 2, 3});
  CHECK(std::vector<std::uint32_t>(layout.fusion_genes().begin(), layout.fusion_genes().end()) ==
        std::vector<std::uint32_t>{1, 4, 5, 6});
  CHECK(layout.fusion_index(5) == 2);
  CHECK(layout.edges()[2] == genome::TemplateEdge{3, 4});
  CHECK(layout.keep_mask()[0] == 0b1101);
  REQUIRE(layout.ranges().size() == 3);
  CHECK(layout.ranges()[1].begin == 2);
  CHECK(layout.ranges()[1].end == 6);
}

TEST_CASE("Layout: nothing has no genes") {
  const genome::Layout layout({});
  CHECK(layout.gene_count() == 0);
  CHECK(layout.word_count() == 0);
  CHECK(layout.ranges().empty());
}

TEST_CASE("Layout: genes beyond the first word are masked in theirs") {
  const std::vector<genome::OperatorGenes> operators(70, {1, {}});
  const genome::Layout layout(operators);
  CHECK(layout.word_count() == 2);
  CHECK(layout.keep_mask()[1] == 0b111111);
}

}  // namespace paretrain::tests
