// Why: problems on bit strings whose whole front is known in closed form, from the theory of
// evolutionary algorithms.
#pragma once

#include <cstddef>

#include "problems/bench_problem.h"

namespace paretrain::problems {

// All are maximised. Requires: sizes as given.

// (zeros, ones). Giel, Lehre 2010. bits >= 1.
[[nodiscard]] BenchProblem one_min_max(std::size_t bits);
// (leading ones, trailing zeros). Laumanns, Thiele, Zitzler 2004. bits >= 1.
[[nodiscard]] BenchProblem leading_ones_trailing_zeros(std::size_t bits);
// (ones, ones in the first half + zeros in the second). Laumanns et al. 2004. Even bits >= 2.
[[nodiscard]] BenchProblem count_ones_count_zeros(std::size_t bits);
// (jump(ones), jump(zeros)), jump(c) = k + c if c <= n - k or c = n, else n - c. Doerr, Zheng 2021.
// 2 <= gap <= bits / 2.
[[nodiscard]] BenchProblem one_jump_zero_jump(std::size_t bits, std::size_t gap);
// (zeros, ones in the first half, ones in the second). Wietheger, Doerr 2023. Even bits >= 2.
[[nodiscard]] BenchProblem three_one_min_max(std::size_t bits);
// Leading ones and trailing zeros in each half: four objectives. Laumanns et al. 2004. Even bits >=
// 2.
[[nodiscard]] BenchProblem four_leading_ones_trailing_zeros(std::size_t bits);
// f1 = 1 + ones among 30 bits, f2 = g / f1, g over ten blocks of 5 bits; both minimised. Zitzler,
// Deb, Thiele 2000. 80 bits.
[[nodiscard]] BenchProblem zdt5();

}  // namespace paretrain::problems
