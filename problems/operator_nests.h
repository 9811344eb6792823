// Why: `cost` and recorded rows describe an operator by kind and sizes; this makes the loop nests
// of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "evaluator/core_cost/loop_nest.h"

namespace paretrain::problems {

enum class NestKind { Convolution, Depthwise, MatrixProduct, Elementwise, Pooling, Reduction };

// Sizes of loops not named are 1.
struct NestShape {
  NestKind kind = NestKind::Convolution;
  std::array<std::int64_t, evaluator::kLoopCount> sizes = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t stride_y = 1;
  std::int64_t stride_x = 1;
  std::int64_t dilation_y = 1;
  std::int64_t dilation_x = 1;
  std::optional<std::int64_t> input_height;  // unpadded; else what the loops reach
  std::optional<std::int64_t> input_width;
  evaluator::OperandBits bits;
};

// The first loop of more than one step that such an operator does not have, for whoever reads a
// shape: a nest with it would repeat the work. A depthwise convolution and a pooling have one loop
// of channels, which may be given as K, as C, or as both with the same size.
[[nodiscard]] std::optional<evaluator::Loop> foreign_loop(const NestShape& shape);
// Beyond it, counts of operations would not be whole numbers any more.
inline constexpr double kMaxOperations = 9e15;
[[nodiscard]] double operations_of(const NestShape& shape);

// Whether there is a window for strides, dilation and an input's size to apply to.
[[nodiscard]] bool has_windows(NestKind kind);

// Convolution O[b g k oy ox] += W[g k c fy fx] * I[b g c iy ix]; depthwise the same with K = C = 1
// (K or C given without G means G); matrix product O[b h d k] += W[b h c k] * I[b h d c], W without
// b and h where those are 1; elementwise O[…] = I[…] (and W[…] when it has bits) over all loops;
// pooling O[b k oy ox] from I[b k iy ix] (C given without K means K); reduction over C, FY, FX of
// I[…].
[[nodiscard]] evaluator::LoopNest loop_nest_of(const NestShape& shape);

}  // namespace paretrain::problems
