// Why: an engine is trusted when it finds fronts that are known; these are the problems of the
// literature whose fronts are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/problem.h"

namespace paretrain::problems {

// The whole front of a problem, where a closed form is known.
struct ExactFront {
  std::uint64_t points = 0;
  // Whether objectives (minimised form, as the engine has them) belong to the front.
  std::function<bool(std::span<const double>)> contains;
  std::optional<double> hypervolume;  // up to BenchProblem::reference
};

struct BenchProblem {
  std::string name;
  std::unique_ptr<engine::Problem> problem;
  // Per objective. The engine minimises; a maximised objective is negated inside and written with
  // its natural sign.
  std::vector<char> maximised;
  std::vector<double> reference;  // minimised form, for hypervolumes
  std::optional<ExactFront> front;
};

// A problem by its text: "lotz:60", "zdt1", "zdt4:30", "knapsack:FILE".
// Errors: InputError naming the known forms, or what is wrong with a number or a file.
[[nodiscard]] BenchProblem bench_problem(std::string_view text);

// "zdt1, ..., mnk:FILE" for help texts.
[[nodiscard]] std::string_view bench_problem_forms();

// Bits as 0 and 1 in gene order; then integers and reals, each after a blank.
[[nodiscard]] std::string genome_text(const engine::GenomeLayout& layout,
                                      engine::GenomeView genome);

}  // namespace paretrain::problems
