#include "evaluator/group/tile.h"

#include <array>

#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::tests::SmallGraph;

namespace {

// A 3x3 convolution with padding 1 over 8 rows: one access per operand.
struct PaddedConvolution {
  PaddedConvolution() {
    const StorageId x = graph.tensor("x", {1, 4, 8, 8}, StorageRole::Input);
    graph.convolution(x, 16, 3, 1);
  }

  [[nodiscard]] const Operator& op() const { return graph.graph().operators.front(); }

  SmallGraph graph;
};

}  // namespace

TEST_CASE(
    "slide: a padded 3x3 window needs two rows more than it makes until the border clips it") {
  const PaddedConvolution c;
  const auto rows = slide(c.op().reads.front(), c.op().nest, Loop::OY);
  REQUIRE(rows);
  CHECK(rows->step == 1);
  CHECK(rows->reach == 2);
  CHECK(rows->padding == 1);
  CHECK(rows->window(1) == 3);
  CHECK(rows->window(4) == 6);
  CHECK(rows->window(8) == 8);
  CHECK(rows->advance(4) == 4);
}

TEST_CASE("slide: a loop that does not index the tensor moves nothing") {
  const PaddedConvolution c;
  CHECK_FALSE(slide(c.op().reads.front(), c.op().nest, Loop::K));
  CHECK_FALSE(slide(c.op().reads.back(), c.op().nest, Loop::OY));
}

TEST_CASE(
    "touched_bytes: a tile of two rows touches four rows of the image and two of the result") {
  const PaddedConvolution c;
  const std::array cut{LoopCount{Loop::OY, 2}};
  const Access& image = c.op().reads.front();
  CHECK(image.bytes.number() == 4 * 8 * 8);
  CHECK(touched_bytes(image, c.op().nest, cut, Halo::Included) == 4 * 4 * 8);
  CHECK(touched_bytes(image, c.op().nest, cut, Halo::Excluded) == 4 * 2 * 8);
  CHECK(touched_bytes(c.op().writes.front(), c.op().nest, cut, Halo::Included) == 16 * 2 * 8);
  CHECK(touched_bytes(c.op().reads.back(), c.op().nest, cut, Halo::Included) == 16 * 4 * 9);
}

TEST_CASE("touched_bytes: cuts along two loops multiply") {
  const PaddedConvolution c;
  const std::array cut{LoopCount{Loop::OY, 2}, LoopCount{Loop::K, 4}};
  CHECK(touched_bytes(c.op().writes.front(), c.op().nest, cut, Halo::Included) == 4 * 2 * 8);
}

TEST_CASE("tile_nest: cutting a loop of the result keeps the final precision and clips the image") {
  const PaddedConvolution c;
  const std::array cut{LoopCount{Loop::OY, 2}};
  const LoopNest tile = tile_nest(c.op().nest, cut);
  CHECK(tile.size(Loop::OY) == 2);
  CHECK(tile.bits.output_final == 8);
  CHECK(tile.operations() == c.op().nest.operations() / 4);
  bool clipped = false;
  for (const AxisIndex& axis : tile.operand(NestOperand::I))
    clipped = clipped || (axis.first == Loop::OY && axis.extent == 4);
  CHECK(clipped);
}

TEST_CASE("tile_nest: cutting a reduction leaves partial sums") {
  const PaddedConvolution c;
  const std::array cut{LoopCount{Loop::C, 2}};
  CHECK(is_reduction(c.op().nest, Loop::C));
  CHECK(tile_nest(c.op().nest, cut).bits.output_final == 16);
}

TEST_CASE("tile_operations: counts what the tile runs") {
  const PaddedConvolution c;
  const std::array cut{LoopCount{Loop::OY, 3}, LoopCount{Loop::K, 5}};
  CHECK(tile_operations(c.op().nest, cut) == 3 * 8 * 5 * 4 * 9);
}
