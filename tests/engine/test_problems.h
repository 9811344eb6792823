// Why: the engine's tests need problems whose answers are known, without the problems of the
// product.
#pragma once

#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/problem.h"

namespace paretrain::tests {

// A problem made of functions.
class FunctionProblem : public engine::Problem {
 public:
  using Objectives = std::function<engine::Evaluation(engine::GenomeView)>;

  FunctionProblem(engine::GenomeLayout layout, std::size_t objectives, Objectives function)
      : layout_(std::move(layout)), function_(std::move(function)) {
    for (std::size_t i = 0; i < objectives; ++i)
      names_.push_back("f" + std::to_string(i + 1));
  }

  [[nodiscard]] const engine::GenomeLayout& layout() const override { return layout_; }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override { return names_; }

  [[nodiscard]] engine::Evaluation evaluate(engine::GenomeView genome) const override {
    return function_(genome);
  }

 private:
  engine::GenomeLayout layout_;
  std::vector<std::string> names_;
  Objectives function_;
};

[[nodiscard]] inline std::size_t ones(engine::GenomeView genome) {
  std::size_t count = 0;
  for (const engine::Word word : genome)
    count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

// OneMinMax: minimise (-zeros, -ones); every genome is optimal, n + 1 points.
[[nodiscard]] inline FunctionProblem one_min_max(std::size_t bits) {
  return {engine::GenomeLayout{.bits = bits, .integers = {}, .reals = {}},
          2,
          [bits](engine::GenomeView genome) {
            const auto count = static_cast<double>(ones(genome));
            return engine::Evaluation{.objectives = {count - static_cast<double>(bits), -count},
                                      .violation = 0};
          }};
}

}  // namespace paretrain::tests
