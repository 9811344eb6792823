// Why: every operator is costed as a perfectly nested loop; this is that nest and how each operand
// is indexed by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace paretrain::evaluator {

// Layer dimensions. Convolutions use B G K C OY OX FY FX; matrix products B H D C K (D rows, C
// reduction, K columns); elementwise and reduction nests use any of them. Transposed convolutions
// loop over IY IX instead of OY OX.
enum class Loop : std::uint8_t { B, G, K, C, OY, OX, FY, FX, H, D, IY, IX };
inline constexpr std::size_t kLoopCount = 12;
[[nodiscard]] std::string_view loop_name(Loop loop);

// One dimension of an operand: index = stride * first + dilation * second (the second term only
// when `windowed`), clipped to `extent`, the real unpadded size of that dimension.
struct AxisIndex {
  Loop first = Loop::B;
  std::int64_t stride = 1;
  bool windowed = false;
  Loop second = Loop::FY;
  std::int64_t dilation = 1;
  std::int64_t extent = 1;
};

enum class NestOperand : std::uint8_t { O, W, I };
inline constexpr std::size_t kNestOperandCount = 3;

// Bits per element of each operand; `output_partial` while a reduction is under way, `output_final`
// after it.
struct OperandBits {
  std::int64_t weight = 8;
  std::int64_t input = 8;
  std::int64_t output_partial = 16;
  std::int64_t output_final = 8;
  friend bool operator==(const OperandBits&, const OperandBits&) = default;
};

// O[..] += W[..] * I[..] over all loops. An operand without axes is absent (no traffic).
struct LoopNest {
  std::array<std::int64_t, kLoopCount> sizes = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::array<std::vector<AxisIndex>, kNestOperandCount> axes;  // indexed by NestOperand
  OperandBits bits;
  double cycles_per_operation = 1;

  [[nodiscard]] std::int64_t size(Loop loop) const { return sizes[static_cast<std::size_t>(loop)]; }

  [[nodiscard]] std::int64_t& size(Loop loop) { return sizes[static_cast<std::size_t>(loop)]; }

  [[nodiscard]] std::vector<AxisIndex>& operand(NestOperand o) {
    return axes[static_cast<std::size_t>(o)];
  }

  [[nodiscard]] const std::vector<AxisIndex>& operand(NestOperand o) const {
    return axes[static_cast<std::size_t>(o)];
  }

  // Product of all loops: the multiply-accumulates, or elementwise operations, of the nest.
  [[nodiscard]] std::int64_t operations() const;
};

}  // namespace paretrain::evaluator
