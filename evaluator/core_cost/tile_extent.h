// Why: how many distinct elements of an operand a set of loops touches, windows included. Every
// size in the cost model is this number.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/core_cost/whole_number.h"

namespace paretrain::evaluator {

// Windowed dimensions of one operand (IY and IX of a convolution; of a transposed one OY and OX).
inline constexpr std::size_t kMaxWindows = 2;

// What a loop is to an operand. A loop that indexes it directly, one that does not (reuse), or one
// of the two that index it through a sum.
enum class LoopRole : std::uint8_t {
  Irrelevant,
  Relevant,
  FirstOfWindow0,
  SecondOfWindow0,
  FirstOfWindow1,
  SecondOfWindow1
};

// Products of loop sizes, kept apart as far as windows need it.
struct Extent {
  double relevant = 1;
  std::array<double, kMaxWindows> first = {1, 1};
  std::array<double, kMaxWindows> second = {1, 1};

  void grow(LoopRole role, double factor) {
    switch (role) {
      case LoopRole::Irrelevant:
        return;
      case LoopRole::Relevant:
        relevant *= factor;
        return;
      case LoopRole::FirstOfWindow0:
        first[0] *= factor;
        return;
      case LoopRole::SecondOfWindow0:
        second[0] *= factor;
        return;
      case LoopRole::FirstOfWindow1:
        first[1] *= factor;
        return;
      case LoopRole::SecondOfWindow1:
        second[1] *= factor;
        return;
    }
  }
};

// index = stride * first + dilation * second, clipped to the real extent. `stride` and `dilation`
// are divided by their greatest common divisor. `slack` is the smallest value that
// (first - dilation) may take: 0, or minus infinity as ZigZag has it (docs/core-cost.md, windows).
struct Window {
  double stride = 1;
  double dilation = 1;
  double extent = 1;
  double slack = 0;

  // Number of distinct indices. Source: docs/core-cost.md, windows.
  [[nodiscard]] double size(double first, double second) const {
    const double overlap = std::max(0.0, second - stride) * std::max(slack, first - dilation);
    return std::min(extent, first * second - overlap);
  }
};

// How one operand is indexed by the loops of a nest.
struct OperandIndexing {
  std::array<LoopRole, kLoopCount> roles{};
  std::array<Window, kMaxWindows> windows{};
  std::size_t window_count = 0;
  bool cuts_to_whole = false;

  [[nodiscard]] LoopRole role(Loop loop) const { return roles[static_cast<std::size_t>(loop)]; }

  [[nodiscard]] bool irrelevant(Loop loop) const { return role(loop) == LoopRole::Irrelevant; }

  // Elements touched by inner loops and outer loops together. ZigZag cuts the loops of a window to
  // whole numbers first (docs/core-cost.md, windows).
  [[nodiscard]] double elements(const Extent& inner, const Extent& outer) const {
    double product = inner.relevant * outer.relevant;
    for (std::size_t w = 0; w < window_count; ++w) {
      double first = inner.first[w] * outer.first[w];
      double second = inner.second[w] * outer.second[w];
      if (cuts_to_whole) {
        first = rounded_down(first);
        second = rounded_down(second);
      }
      product *= windows[w].size(first, second);
    }
    return product;
  }

  // Products of window loops per distinct index: how often the windows revisit what they touched.
  [[nodiscard]] double revisits(const Extent& inner, const Extent& outer) const {
    double product = 1;
    for (std::size_t w = 0; w < window_count; ++w) {
      const double first = inner.first[w] * outer.first[w];
      const double second = inner.second[w] * outer.second[w];
      product *= first * second / windows[w].size(first, second);
    }
    return product;
  }
};

// Requires: at most kMaxWindows windowed axes.
[[nodiscard]] OperandIndexing operand_indexing(const LoopNest& nest,
                                               NestOperand operand,
                                               CostModel model);

}  // namespace paretrain::evaluator
