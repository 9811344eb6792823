// Why: what an operator computes is said once, as shapes and strides of its operands; this turns it
// into the loop nest that is costed and the accesses by which fused operators find a common axis.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"

namespace paretrain::evaluator {

// A tensor as one operator sees it. `strides` are in elements of the storage and as many as the
// dimensions; 0 along a broadcast dimension.
struct OperandView {
  StorageId storage;
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t element_bits = 32;
  bool accumulates = false;  // of a write: adds to what is there
};

// Row-major strides of a shape.
[[nodiscard]] std::vector<std::int64_t> contiguous_strides(const Shape& shape);

struct BuiltNest {
  LoopNest nest;
  std::vector<Access> reads;  // in the order given
  std::vector<Access> writes;
};

// How the dimensions of a tensor are named as loops, outermost first.
enum class NestLayout {
  Image,   // 4: B K OY OX; 3: B K OX; 2: B K; 1: K
  Tokens,  // 4: B H D K; 3: B D K; 2: B K; 1: K
  Weights  // 4: K C FY FX; 3: K C FX; 2: K C; 1: K
};

struct PointwiseOperands {
  Shape iteration;  // every operand is broadcast to it: dimensions align at the right, 1 stretches
  NestLayout layout = NestLayout::Image;
  std::vector<OperandView> reads;
  std::vector<OperandView> writes;  // smaller than `iteration` in a reduction
  std::int64_t partial_bits = 32;   // of a sum under way
  double cycles_per_operation = 1;
};

// Elementwise operators, reductions and copies. The largest read is operand I, the next largest of
// full rank W, the first write O. More than four dimensions are folded where all operands allow it;
// what cannot be folded becomes loops of its own.
[[nodiscard]] BuiltNest pointwise_nest(const PointwiseOperands& operands);

// out[.., m, n] = sum over k of left[.., m, k] * right[.., k, n]; leading dimensions broadcast.
// Transposed operands are views with swapped strides.
struct ProductOperands {
  OperandView left;   // operand I
  OperandView right;  // operand W
  OperandView out;
  std::int64_t partial_bits = 32;
};

// Loops: D = m (B when there are no leading dimensions), C = k, K = n, leading dimensions B and H.
[[nodiscard]] BuiltNest product_nest(const ProductOperands& operands);

// out[i, j] = sum over rows of left[.., row, i] * right[.., row, j]: a weight gradient. Loops: D =
// i, K = j, C = row, leading dimensions B and H (also summed). left is operand I, right W.
[[nodiscard]] BuiltNest row_sum_product_nest(const ProductOperands& operands);

// Spatial geometry of a convolution or pooling: one entry per spatial axis (1 to 3), outermost
// first.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> dilation;
  std::vector<std::int64_t> pad_begin;
};

struct ConvolutionOperands {
  OperandView image;    // x or its gradient: [N, groups * C, spatial of the larger side]
  OperandView weight;   // [groups * K, C, kernel]
  OperandView feature;  // y or its gradient: [N, groups * K, spatial of the smaller side]
  std::int64_t groups = 1;
  Window window;
  std::int64_t partial_bits = 32;
};

// feature = convolution(image, weight). Also the input gradient of a transposed convolution.
[[nodiscard]] BuiltNest convolution_nest(const ConvolutionOperands& operands);
// image = transposed convolution(feature, weight): the input gradient of a convolution. Loops over
// IY IX; K are the image's channels.
[[nodiscard]] BuiltNest transposed_convolution_nest(const ConvolutionOperands& operands);
// weight gradient from image and feature gradient; feature is operand W, image I (the convolution-
// shaped nest of the reference: B = C, C = N, OY OX = kernel, FY FX = feature).
[[nodiscard]] BuiltNest convolution_weight_gradient_nest(const ConvolutionOperands& operands);
// The same as a matrix product with implicit im2col: D = C * FY * FX, C = N * OY * OX, K = K. Empty
// for grouped convolutions.
[[nodiscard]] std::optional<LoopNest> im2col_weight_gradient_nest(
    const ConvolutionOperands& operands);

struct PoolingOperands {
  OperandView image;
  OperandView feature;
  std::optional<OperandView> indices;  // shaped like feature; written forward, read backward
  Window window;
};

[[nodiscard]] BuiltNest pooling_nest(const PoolingOperands& operands);
[[nodiscard]] BuiltNest pooling_gradient_nest(const PoolingOperands& operands);

// Access to a vector with one value per position along axis `axis` of a result: a bias.
[[nodiscard]] Access per_result_axis(const OperandView& vector,
                                     const Access& result,
                                     std::size_t axis);

}  // namespace paretrain::evaluator
