#include "evaluator/group/tile_axis.h"

#include <algorithm>

#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::tests::GroupOf;
using paretrain::tests::SmallGraph;

namespace {

GroupShape shape_of(const SmallGraph& graph, std::size_t first, std::size_t last) {
  return group_shape(graph.graph(), GroupOf(graph.graph(), first, last).content());
}

// Lag of operator 1 behind operator 0, which makes its first read.
std::int64_t lag(const SmallGraph& graph, std::int64_t producer_rows, std::int64_t consumer_rows) {
  const Operator& maker = graph.graph().operators[0];
  const Operator& reader = graph.graph().operators[1];
  return tile_lag(
      {&maker.writes.front(), &maker.nest, Loop::OY, &reader.reads.front(), &reader.nest, Loop::OY},
      producer_rows,
      consumer_rows);
}

}  // namespace

TEST_CASE("tile_axes: a convolution and what follows it share rows but not columns or channels") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 8, 16, 16}, StorageRole::Input);
  graph.relu(graph.convolution(x, 8, 3, 1));
  const auto axes = tile_axes(shape_of(graph, 0, 1));
  REQUIRE(axes.size() == 1);
  CHECK(axes.front().loops.front() == Loop::OY);
}

TEST_CASE("tile_axes: a batch is an axis of its own") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {4, 8, 16, 16}, StorageRole::Input);
  graph.convolution(graph.convolution(x, 8, 3, 1), 8, 3, 2);
  const auto axes = tile_axes(shape_of(graph, 0, 1));
  REQUIRE(axes.size() == 2);
  CHECK(axes[0].loops == std::vector{Loop::B, Loop::B});
  CHECK(axes[1].loops == std::vector{Loop::OY, Loop::OY});
}

TEST_CASE("tile_axes: a sum over the rows may end a group") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 8, 16, 16}, StorageRole::Input);
  graph.channel_sum(graph.convolution(x, 8, 3, 1));
  CHECK(tile_axes(shape_of(graph, 0, 1)).size() == 1);
}

TEST_CASE("tile_axes: a sum over the axis feeds nothing inside its group") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 8, 16, 16}, StorageRole::Input);
  const StorageId sum = graph.channel_sum(x);
  // A reader of the sums: one row of 8 channels times a matrix.
  graph.graph().storages[sum.index()].shape = {1, 8};
  graph.product(sum, 4);
  CHECK(tile_axes(shape_of(graph, 0, 1)).empty());
}

TEST_CASE("tile_axes: rows of a matrix product follow the rows of what it reads") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {32, 8}, StorageRole::Input);
  graph.product(graph.relu(graph.product(x, 16)), 8);
  const auto axes = tile_axes(shape_of(graph, 0, 2));
  REQUIRE(axes.size() == 1);
  for (std::size_t m = 0; m < 3; ++m)
    CHECK(shape_of(graph, 0, 2).members[m].op->nest.size(axes.front().loops[m]) == 32);
}

TEST_CASE("tile_lag: a 3x3 window waits one tile for the row below; a 1x1 window does not") {
  SmallGraph three;
  const StorageId x = three.tensor("x", {1, 4, 16, 16}, StorageRole::Input);
  three.convolution(three.convolution(x, 4, 3, 1), 4, 3, 1);
  CHECK(lag(three, 4, 4) == 1);
  CHECK(lag(three, 1, 1) == 1);
  CHECK(lag(three, 16, 16) == 0);
  SmallGraph one;
  const StorageId y = one.tensor("x", {1, 4, 16, 16}, StorageRole::Input);
  one.convolution(one.convolution(y, 4, 3, 1), 4, 1, 1);
  CHECK(lag(one, 4, 4) == 0);
}

TEST_CASE("tile_lag: a large window waits several tiles of one row") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 4, 16, 16}, StorageRole::Input);
  graph.convolution(graph.convolution(x, 4, 1, 1), 4, 7, 1);
  CHECK(lag(graph, 1, 1) == 3);
}

TEST_CASE("tile_pace: larger tiles of the reader need more and more of the maker's") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 4, 28, 28}, StorageRole::Input);
  graph.convolution(graph.convolution(x, 4, 1, 1), 4, 3, 2);
  const Operator& maker = graph.graph().operators[0];
  const Operator& reader = graph.graph().operators[1];
  const TileDependence dependence{
      &maker.writes.front(), &maker.nest, Loop::OY, &reader.reads.front(), &reader.nest, Loop::OY};
  // Four tiles of 7 rows; tiles of 4 rows read up to rows 8, 16, 24 and 28.
  const TilePace pace = tile_pace(dependence, 7, 4);
  CHECK(pace.gain * 7 == pace.every * 8);
  CHECK(pace.tile(0) == 1);
  CHECK(pace.tile(1) == 2);
  CHECK(pace.tile(2) == 3);
  // Four rows against two: in step.
  CHECK(tile_pace(dependence, 4, 2) == TilePace{1, 0, 1});
  CHECK(tile_pace(dependence, 1, 1).tile(3) == 7);
}

TEST_CASE("tile_lag: a stride that halves the rows keeps pace with twice the producer's rows") {
  SmallGraph graph;
  const StorageId x = graph.tensor("x", {1, 4, 16, 16}, StorageRole::Input);
  graph.convolution(graph.convolution(x, 4, 1, 1), 4, 3, 2);
  CHECK(lag(graph, 4, 2) == 0);
}
