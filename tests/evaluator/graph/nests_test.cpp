// Nests against hand-worked sizes, and accesses against brute force over all loops.
#include "evaluator/graph/nests.h"

#include <set>

#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

OperandView view_of(std::size_t storage, Shape shape) {
  OperandView view;
  view.storage = StorageId(storage);
  view.strides = contiguous_strides(shape);
  view.shape = std::move(shape);
  return view;
}

ConvolutionOperands convolution(std::int64_t groups) {
  ConvolutionOperands operands;
  operands.image = view_of(0, {2, 4, 9, 7});
  operands.weight = view_of(1, {6, 4 / groups, 3, 3});
  operands.feature = view_of(2, {2, 6, 5, 4});
  operands.groups = groups;
  operands.window = {{3, 3}, {2, 2}, {1, 1}, {1, 1}};
  return operands;
}

}  // namespace

TEST_CASE("convolution_nest: sizes and operands") {
  const BuiltNest built = convolution_nest(convolution(1));
  CHECK(built.nest.size(Loop::B) == 2);
  CHECK(built.nest.size(Loop::K) == 6);
  CHECK(built.nest.size(Loop::C) == 4);
  CHECK(built.nest.size(Loop::OY) == 5);
  CHECK(built.nest.size(Loop::OX) == 4);
  CHECK(built.nest.operations() == 2 * 6 * 4 * 5 * 4 * 9);
  const Access& image = built.reads[0];
  CHECK(image.operand == NestOperand::I);
  CHECK(image.axes[2].first == Loop::OY);
  CHECK(image.axes[2].second == Loop::FY);
  CHECK(image.axes[2].stride == 2);
  CHECK(image.axes[2].extent == 9);
  CHECK(image.bytes == Bytes(2 * 4 * 9 * 7 * 4));
  CHECK(built.writes[0].strides == std::vector<std::int64_t>{120, 20, 4, 1});
}

TEST_CASE("convolution_nest: groups index channels by group and within it") {
  const BuiltNest built = convolution_nest(convolution(2));
  CHECK(built.nest.size(Loop::G) == 2);
  CHECK(built.nest.size(Loop::C) == 2);
  CHECK(built.nest.size(Loop::K) == 3);
  const AxisIndex& channel = built.writes[0].axes[1];
  CHECK(channel.first == Loop::G);
  CHECK(channel.stride == 3);
  CHECK(channel.second == Loop::K);
  CHECK(channel.extent == 6);
}

TEST_CASE("transposed_convolution_nest: does the same operations from the other side") {
  const BuiltNest built = transposed_convolution_nest(convolution(1));
  CHECK(built.nest.operations() == convolution_nest(convolution(1)).nest.operations());
  CHECK(built.nest.size(Loop::IY) == 5);
  CHECK(built.nest.size(Loop::OY) == 1);
  CHECK(built.nest.size(Loop::K) == 4);
  CHECK(built.writes[0].storage == StorageId(0));
}

TEST_CASE("convolution_weight_gradient_nest: kernel outside and feature map inside") {
  const BuiltNest built = convolution_weight_gradient_nest(convolution(1));
  CHECK(built.nest.operations() == convolution_nest(convolution(1)).nest.operations());
  CHECK(built.nest.size(Loop::B) == 4);
  CHECK(built.nest.size(Loop::C) == 2);
  CHECK(built.nest.size(Loop::OY) == 3);
  CHECK(built.nest.size(Loop::FY) == 5);
  CHECK(built.reads[0].axes[2].dilation == 2);
  const auto matrix = im2col_weight_gradient_nest(convolution(1));
  REQUIRE(matrix.has_value());
  CHECK(matrix->size(Loop::D) == 4 * 9);
  CHECK(matrix->size(Loop::C) == 2 * 5 * 4);
  CHECK(matrix->operations() == built.nest.operations());
  CHECK_FALSE(im2col_weight_gradient_nest(convolution(2)).has_value());
}

TEST_CASE("convolution_nest: a strided one-by-one window touches a part of the image") {
  ConvolutionOperands operands = convolution(1);
  operands.weight = view_of(1, {6, 4, 1, 1});
  operands.window = {{1, 1}, {2, 2}, {1, 1}, {0, 0}};
  CHECK(convolution_nest(operands).reads[0].bytes == Bytes(2 * 4 * 5 * 4 * 4));
}

TEST_CASE("product_nest: rows and columns of a linear layer over tokens") {
  ProductOperands operands;
  operands.left = view_of(0, {2, 5, 8});
  operands.right = view_of(1, {8, 3});
  operands.out = view_of(2, {2, 5, 3});
  const BuiltNest built = product_nest(operands);
  CHECK(built.nest.size(Loop::B) == 2);
  CHECK(built.nest.size(Loop::D) == 5);
  CHECK(built.nest.size(Loop::C) == 8);
  CHECK(built.nest.size(Loop::K) == 3);
  CHECK(built.reads[1].axes.size() == 2);
  CHECK(built.writes[0].axes[1].first == Loop::D);
}

TEST_CASE("product_nest: two-dimensional rows are the batch") {
  ProductOperands operands;
  operands.left = view_of(0, {5, 8});
  operands.right = view_of(1, {8, 3});
  operands.out = view_of(2, {5, 3});
  const BuiltNest built = product_nest(operands);
  CHECK(built.nest.size(Loop::B) == 5);
  CHECK(built.nest.size(Loop::D) == 1);
  CHECK(built.nest.operations() == 120);
}

TEST_CASE("row_sum_product_nest: sums over every row and sample") {
  ProductOperands operands;
  operands.left = view_of(0, {2, 5, 8});
  operands.right = view_of(1, {2, 5, 3});
  operands.out = view_of(2, {8, 3});
  const BuiltNest built = row_sum_product_nest(operands);
  CHECK(built.nest.operations() == 2 * 5 * 8 * 3);
  CHECK(built.writes[0].axes.size() == 2);
  CHECK(built.nest.size(Loop::C) == 5);
}

TEST_CASE("pointwise_nest: a broadcast operand is not indexed along what it lacks") {
  PointwiseOperands operands;
  operands.iteration = {2, 4, 6, 6};
  operands.reads = {view_of(0, {2, 4, 6, 6}), view_of(1, {4, 1, 1})};
  operands.writes = {view_of(2, {2, 4, 6, 6})};
  const BuiltNest built = pointwise_nest(operands);
  REQUIRE(built.reads[1].axes.size() == 1);
  CHECK(built.reads[1].axes[0].first == Loop::K);
  CHECK(built.reads[1].operand == NestOperand::W);
  CHECK(built.reads[1].bytes == Bytes(16));
  CHECK(built.nest.size(Loop::OY) == 6);
}

TEST_CASE("pointwise_nest: a fifth dimension is folded where all operands allow it") {
  PointwiseOperands operands;
  operands.iteration = {2, 3, 4, 5, 6};
  operands.reads = {view_of(0, {2, 3, 4, 5, 6}), view_of(1, {2, 3, 1, 1, 1})};
  operands.writes = {view_of(2, {2, 3, 4, 5, 6})};
  const BuiltNest built = pointwise_nest(operands);
  CHECK(built.writes[0].axes.size() == 4);
  CHECK(built.nest.operations() == 720);
  CHECK(built.reads[1].axes.size() == 2);
}

TEST_CASE("pointwise_nest: what cannot be folded becomes a loop of its own") {
  PointwiseOperands operands;
  operands.iteration = {2, 3, 4, 5, 6};
  OperandView turned = view_of(0, {2, 5, 4, 3, 6});
  std::swap(turned.shape[1], turned.shape[3]);
  std::swap(turned.strides[1], turned.strides[3]);
  operands.reads = {turned};
  operands.writes = {view_of(2, {2, 3, 4, 5, 6})};
  const BuiltNest built = pointwise_nest(operands);
  CHECK(built.nest.operations() == 720);
  CHECK(built.writes[0].axes.size() == 5);
}

TEST_CASE("pooling_nest: writes indices beside the result and reads them back") {
  PoolingOperands operands;
  operands.image = view_of(0, {2, 4, 8, 8});
  operands.feature = view_of(1, {2, 4, 4, 4});
  operands.indices = view_of(2, {2, 4, 4, 4});
  operands.indices->element_bits = 64;
  operands.window = {{2, 2}, {2, 2}, {1, 1}, {0, 0}};
  const BuiltNest forward = pooling_nest(operands);
  CHECK(forward.nest.size(Loop::FY) == 2);
  REQUIRE(forward.writes.size() == 2);
  CHECK(forward.writes[1].bytes == Bytes(2 * 4 * 16 * 8));
  const BuiltNest backward = pooling_gradient_nest(operands);
  CHECK(backward.nest.size(Loop::IY) == 4);
  CHECK(backward.writes[0].storage == StorageId(0));
  CHECK(backward.reads[1].operand == NestOperand::W);
}

}  // namespace paretrain::tests
